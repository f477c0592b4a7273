import type { Drive } from '../drive.ts';
import type { Crew, Place } from './crew.ts';
import { stageOf, stages, stepOf } from './stages.ts';
import { initialState, type NodeState } from './state.ts';
import { Workbench } from './workbench.ts';

/** Carries a state to its end; the plain form. */
export type Carry = (state: NodeState, place: Place, crew: Crew, bench: Workbench) => Promise<NodeState>;

export const byLoop: Carry = async (state, place, crew, bench) => {
  let current = state;
  for (let stage = stageOf(current); stage !== null; stage = stageOf(current)) {
    current = await stages[stage](current, place, crew, bench);
    if (stageOf(current) !== null) crew.failure.check();
  }
  return current;
};

/** Those that are nested go through by themselves. */
export const byDrive =
  (drive: Drive): Carry =>
  (begin, place, crew, bench) =>
    place.depth > 0
      ? byLoop(begin, place, crew, bench)
      : drive(begin, {
          next: stageOf,
          async run(state) {
            const stage = stageOf(state);
            if (stage === null) return state;
            const after = await stages[stage](state, place, crew, bench);
            if (stageOf(after) !== null) crew.failure.check();
            return after;
          },
        });

/** One investigation with all that it nests, in a session that is gone afterwards, however it ends. */
export async function investigateAt(place: Place, crew: Crew, carry: Carry = byLoop): Promise<NodeState> {
  const bench = new Workbench(crew, place, (nested) => investigateAt(nested, crew, carry));
  try {
    const state = await carry(initialState(), place, crew, bench);
    const end = state.pending.kind === 'end' ? state.pending.end : null;
    if (end !== null && end.status !== 'cancelled' && end.resumable !== true) {
      crew.snapshots.drop(place.key);
      crew.tell(`${place.key}/ended`, {
        kind: 'node_finished',
        step: stepOf(place, state.turn),
        node: place.key,
        status: end.status,
        summary: (end.trouble ?? JSON.stringify(state.gains.final?.answer ?? null)).slice(0, 300),
      });
    }
    return state;
  } finally {
    await bench.close();
    if (place.depth > 0) place.pool.close();
  }
}
