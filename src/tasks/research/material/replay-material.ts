/**
 * The material of a replay. All results come from the run's records, so every port rejects: a call of it means that a
 * result is not recorded.
 */
import { z } from 'zod';
import { entry } from '../../../catalogue/index.ts';
import type { Journal } from '../../../core/index.ts';
import { missingRecordError } from '../../replay-life.ts';
import type { Material } from './material.ts';
import { readStart } from './start.ts';

export function replayMaterial(run: string, journal: Pick<Journal, 'recall'>): Material {
  const rejectCall = (port: string) => () => Promise.reject(missingRecordError(run, `a result of ${port}`));
  const start = readStart(journal);
  const recordedPorts = new Set(start?.ports);
  return {
    search: { search: rejectCall('search') },
    text: { readText: rejectCall('reading') },
    ...(recordedPorts.has('grep') && { grep: { grep: rejectCall('grep') } }),
    ...(recordedPorts.has('definitions') && { definitions: { find: rejectCall('definitions') } }),
    ...(recordedPorts.has('symbols') && {
      symbols: {
        references: rejectCall('references'),
        outline: rejectCall('an outline'),
        impact: rejectCall('impact'),
        impactOfChange: rejectCall('impact'),
        trace: rejectCall('a path'),
        hover: rejectCall('a signature'),
        expand: rejectCall('neighbours'),
        paths: rejectCall('paths'),
      },
    }),
    ...(recordedPorts.has('past') && {
      past: {
        log: rejectCall('git log'),
        blame: rejectCall('git blame'),
        pickaxe: rejectCall('git pickaxe'),
      },
    }),
    ...(start && { coverage: start.coverage }),
    ...(start?.tools && { tools: start.tools.map((name) => silentTool(name, rejectCall(name))) }),
  };
}

/** Stands in for a tool that the program passed in. The results of that tool are recorded. */
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
