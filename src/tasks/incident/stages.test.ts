import { afterAll, expect, it } from 'vitest';
import { extractive } from '../../model/index.ts';
import { runLife } from '../run-life.ts';
import { readRunEnd } from '../run-row.ts';
import { type FinishedIncident, finishIncident } from './finish.ts';
import { alertJson, bench, pool as made, noWait, now, signalOf } from './incident.contract.ts';
import { ceilingsOf, limitsOf, reserveOf } from './limits.ts';
import { incidentRun } from './run.ts';
import type { RunContext } from './run-context.ts';
import { nextStage, stages } from './stages.ts';
import { type IncidentState, initialState, mergeUpdates, stageNames } from './state.ts';

const { store, close } = bench();
afterAll(close);

/** To its last part, whatever of it was frozen before. */
function frozen<Value>(value: Value, seen = new Set<unknown>()): Value {
  if (typeof value === 'object' && value !== null && !seen.has(value)) {
    seen.add(Object.freeze(value));
    for (const part of Object.values(value)) frozen(part, seen);
  }
  return value;
}

// incident.md: Pipeline 1, 2.
it('six stages in order, each from a state that it leaves as it is to updates, the same ones when it is asked again', async () => {
  const signal = signalOf(made);
  const limits = limitsOf({});
  const setting = { store, models: { planner: extractive }, signals: [signal], ...noWait };
  const row = await incidentRun.create({ alert: alertJson(), root: '/systems', now }, setting);
  const order: string[] = [];
  await runLife(row, setting, {
    budget: { limits: ceilingsOf(limits), reserve: reserveOf(limits) },
    readEnd: async (run) => (await readRunEnd(store, run)) as FinishedIncident,
    async runWork({ pool, ...life }) {
      const { models, signals } = setting;
      const context: RunContext = {
        ...life,
        ...{
          pool,
          readerPool: null,
          run: row.id,
          models,
          signals,
          sinks: [],
          otherRun: async () => null,
          limits,
        },
      };
      let state: IncidentState = initialState(alertJson(), now);
      while (state.next !== null) {
        const stage = state.next;
        order.push(stage);
        const updates = await stages[stage](frozen(state), context);
        const asked = signal.asked.length;
        expect(await stages[stage](state, context)).toEqual(updates);
        // What it learned from outside is in the journal.
        expect([stage, signal.asked.length]).toEqual([stage, asked]);
        const after = mergeUpdates(state, updates);
        state = mergeUpdates(after, { next: nextStage(stage, after) });
      }
      expect(signal.asked.length).toBeGreaterThan(3);
      return finishIncident(state, context, pool.spent());
    },
  });
  expect(order).toEqual(stageNames);
});
