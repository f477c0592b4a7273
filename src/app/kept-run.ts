import { resolve } from 'node:path';
import type { RunRow } from '../store/index.ts';
import { openRuns } from './compose.ts';
import { loadConfiguration, processEnvironment } from './config/index.ts';

export interface KeptRun<Extra> {
  readonly row: RunRow;
  /** What the row keeps beside what its shape needs; an older Sonde may have kept less. */
  readonly extra: Partial<Extra>;
  /** The model it began with. */
  readonly model: string | null;
}

/** By a run's id, or the beginning of one. Throws `not_found`. */
export async function keptRun<Extra>(run: string): Promise<KeptRun<Extra>> {
  const store = await openRuns(loadConfiguration({ environment: processEnvironment() }));
  try {
    const row = store.runs.get(run);
    const { extra = {}, model = null } = row.params as { extra?: Partial<Extra>; model?: string };
    return { row, extra, model };
  } finally {
    store.close();
  }
}

/** A model's name to be kept: where a script is must not depend on the folder in which the run is resumed. */
export const keptModel = (model: string): string =>
  model.startsWith('scripted:') ? `scripted:${resolve(model.slice('scripted:'.length))}` : model;
