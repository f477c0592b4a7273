import {
  type Journal,
  memoryLedger,
  openPool,
  type RunResult,
  SondeError,
  systemClock,
} from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import type { Crew } from './crew.ts';
import { researchLoop } from './loop.ts';
import { holeIn, silentMaterial, silentModel } from './replay-ports.ts';
import { report } from './report.ts';
import { paramsOf, researchRow, resultOf } from './run-row.ts';
import { scopeOf } from './scope.ts';
import { startOf } from './start.ts';
import { initialState } from './state.ts';

/**
 * Works a finished run through again from what it recorded: the same answer. Calls no model, touches no
 * material, writes nothing. Throws `run_state` where the run is not finished, or kept nothing.
 */
export async function replayResearch(run: string, store: Store): Promise<RunResult> {
  const row = researchRow(store, run);
  const kept = resultOf(store, row.id);
  const recorded = store.recorded(row.id);
  if (startOf(recorded) === undefined)
    throw new SondeError('run_state', {
      message: `${row.id} kept no records to replay`,
      remedy: 'Ask again without store_artifacts: false, and replay that run.',
    });
  const params = paramsOf(row);
  const journal: Journal = {
    recall: recorded.recall,
    // Every record is there already: one that is missing is a hole, not something to make up.
    record(key) {
      const found = recorded.recall(key);
      if (found === undefined) throw holeIn(row.id, key);
      return found;
    },
  };
  const pool = openPool(memoryLedger(), { account: row.id, run: row.id, fence: 1 });
  const silent = silentModel(params.model, row.id);
  const crew: Crew = {
    models: { planner: silent, analyst: silent },
    material: silentMaterial(row.id, journal),
    scope: scopeOf(params.scope),
    limits: params.limits,
    pool,
    log: { append: () => false },
    journal,
    atomic: (work) => work(),
    clock: systemClock,
    signal: new AbortController().signal,
    random: () => 0,
    sleep: async () => {},
  };
  const state = await researchLoop(initialState(row.question), crew);
  return report(row.id, state, crew, { model: params.model, spent: () => kept.spent });
}
