import { resolve } from 'node:path';
import type { RunRow } from '../../store/index.ts';
import { openRuns } from '../compose.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';

/** A stored run. `extra`: what its row stores besides the parameters of its work; older versions stored less. */
export interface KeptRun {
  readonly row: RunRow;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Finds a run by its id or the beginning of it. `file`: a store other than the user's. Throws `not_found`. */
export async function findRun(run: string, file?: string): Promise<KeptRun> {
  const store = await openRuns(loadConfiguration({ environment: processEnvironment() }), { file });
  try {
    const row = await store.runs.get(run);
    const { extra = {} } = row.params as { readonly extra?: KeptRun['extra'] };
    return { row, extra };
  } finally {
    await store.close();
  }
}

/** Returns the name under which a model is stored: the path of a script becomes absolute. */
export const storableModelName = (model: string): string =>
  model.startsWith('scripted:') ? `scripted:${resolve(model.slice('scripted:'.length))}` : model;
