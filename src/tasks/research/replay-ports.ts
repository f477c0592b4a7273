/** Ports of a replay: there as far as they were, and an error where one is really used. */
import { type Journal, SondeError } from '../../core/index.ts';
import type { Model } from '../../model/index.ts';
import type { Material } from './material.ts';
import { startOf } from './start.ts';

export function holeIn(run: string, what: string): SondeError {
  return new SondeError('run_state', {
    message: `The records of ${run} lack ${what}, which its replay needs`,
    remedy: 'It may have been written by another version: ask the question again.',
  });
}

/** Named as the model of the run; its replies are all in the journal. */
export function silentModel(name: string, run: string): Model {
  return {
    name,
    real: false,
    local: true,
    maxOutput: 64_000,
    contextWindow: 1_000_000,
    generate: () => Promise.reject(holeIn(run, 'a reply of the model')),
  };
}

export function silentMaterial(run: string, journal: Pick<Journal, 'recall'>): Material {
  const missing = (port: string) => () => Promise.reject(holeIn(run, `a result of ${port}`));
  const start = startOf(journal);
  const had = new Set(start?.ports);
  return {
    search: { search: missing('search') },
    text: { readText: missing('reading') },
    ...(had.has('grep') && { grep: { grep: missing('grep') } }),
    ...(had.has('definitions') && { definitions: { find: missing('definitions') } }),
    ...(had.has('past') && {
      past: { log: missing('git log'), blame: missing('git blame'), pickaxe: missing('git pickaxe') },
    }),
    ...(start && { coverage: start.coverage }),
  };
}
