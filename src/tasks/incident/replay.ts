/** Works a finished investigation through again from what it recorded: the same result, and nothing is asked. */
import {
  type Journal,
  memoryLedger,
  openPool,
  type Signal,
  SondeError,
  systemClock,
} from '../../core/index.ts';
import { extractive, isExtractive } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import { holeIn, silentModel } from '../research/replay-ports.ts';
import type { Crew } from './crew.ts';
import type { Sink } from './deliver/sink.ts';
import { finished } from './finish.ts';
import { type FinishedIncident, finishedIncident, incidentRow, paramsOf } from './run-row.ts';
import { pipeline } from './stages.ts';
import { initialState } from './state.ts';

/**
 * `signals` give the names and schemas of what was asked; none of them is asked again. Throws `run_state` where
 * the run is not finished, or kept nothing.
 */
export async function replayIncident(
  run: string,
  store: Store,
  signals: readonly Signal[],
): Promise<FinishedIncident> {
  const row = incidentRow(store, run);
  const kept = finishedIncident(store, row.id);
  const recorded = store.recorded(row.id);
  if (recorded.recall('resolve/systems') === undefined)
    throw new SondeError('run_state', {
      message: `${row.id} kept no records to replay`,
      remedy: 'Investigate again without store_artifacts: false, and replay that run.',
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
  const sinks = kept.incident.deliveries.map(
    ({ sink }): Sink => ({
      name: sink,
      idempotent: true,
      deliver: () => Promise.reject(holeIn(row.id, `the delivery to ${sink}`)),
    }),
  );
  const crew: Crew = {
    run: row.id,
    models: {
      planner: isExtractive({ name: params.model }) ? extractive : silentModel(params.model, row.id),
    },
    signals,
    sinks,
    twin: () => null,
    limits: params.limits,
    pool: openPool(memoryLedger(), { account: row.id, run: row.id, fence: 1 }),
    log: { append: () => false },
    journal,
    atomic: (work) => work(),
    clock: systemClock,
    signal: new AbortController().signal,
    random: () => 0,
    sleep: async () => {},
  };
  const state = await pipeline(initialState(params.sent, params.now), crew, async () => {});
  return finished(state, crew, kept.result.spent);
}
