/** Works a finished investigation through again from what it recorded: the same result, and nothing is asked. */
import { type Signal, withOverspend } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { holeIn, replayLife, silentModel } from '../replay-life.ts';
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
  const life = replayLife(row, store, 'resolve/systems');
  const params = paramsOf(row);
  const sinks = kept.incident.deliveries.map(
    ({ sink }): Sink => ({
      name: sink,
      idempotent: true,
      deliver: () => Promise.reject(holeIn(row.id, `the delivery to ${sink}`)),
    }),
  );
  const crew: Crew = {
    ...life,
    run: row.id,
    models: { planner: silentModel(params.model, row.id) },
    signals,
    sinks,
    twin: () => null,
    limits: params.limits,
  };
  const state = await pipeline(initialState(params.sent, params.now), crew, async () => {});
  const again = await finished(state, crew, kept.result.spent);
  return { ...again, result: withOverspend(again.result, store.events(row.id)) };
}
