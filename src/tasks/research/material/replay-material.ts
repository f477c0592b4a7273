/** The material of a replay: the records of the run, and an error for a result that is not recorded. */
import { z } from 'zod';
import { entry } from '../../../catalogue/index.ts';
import type { Journal } from '../../../core/index.ts';
import { holeIn } from '../../replay-life.ts';
import type { Material } from './material.ts';
import { startOf } from './start.ts';

export function silentMaterial(run: string, journal: Pick<Journal, 'recall'>): Material {
  const missing = (port: string) => () => Promise.reject(holeIn(run, `a result of ${port}`));
  const start = startOf(journal);
  const had = new Set(start?.ports);
  return {
    search: { search: missing('search') },
    text: { readText: missing('reading') },
    ...(had.has('grep') && { grep: { grep: missing('grep') } }),
    ...(had.has('definitions') && { definitions: { find: missing('definitions') } }),
    ...(had.has('symbols') && {
      symbols: {
        references: missing('references'),
        outline: missing('an outline'),
        impact: missing('impact'),
        impactOfChange: missing('impact'),
        trace: missing('a path'),
        hover: missing('a signature'),
        expand: missing('neighbours'),
        paths: missing('paths'),
      },
    }),
    ...(had.has('past') && {
      past: { log: missing('git log'), blame: missing('git blame'), pickaxe: missing('git pickaxe') },
    }),
    ...(start && { coverage: start.coverage }),
    ...(start?.tools && { tools: start.tools.map((name) => silentTool(name, missing(name))) }),
  };
}

/** Stands in for a tool that a program brought along. The results of that tool are recorded. */
const silentTool = (name: string, run: () => Promise<never>) =>
  entry({
    name,
    description: 'It was brought along.',
    parameters: z.looseObject({}),
    capability: 'CodeRead',
    effect: 'read',
    cost: 'nothing: its results are recorded',
    run,
  });
