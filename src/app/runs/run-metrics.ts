/**
 * Measurements of runs: how many of each shape are in each state, their outcomes and costs. Labels are words of this
 * program, such as shapes, states and verdicts; never text of an alert, a model or a file.
 */
import { setImmediate as breath } from 'node:timers/promises';
import type { Meter } from '@opentelemetry/api';
import type { AllAmounts, RunEvent } from '../../core/index.ts';
import type { RunRow, Store } from '../../store/index.ts';

/** How many runs are read at the first request. Later ones are all counted. */
const maxRuns = 1_000;

type RunStore = Pick<Store, 'events'> & { readonly runs: Pick<Store['runs'], 'list' | 'isHeld'> };
type RunFinished = Extract<RunEvent, { kind: 'run_finished' }>;

interface RunEndSample {
  readonly shape: string;
  readonly verdict: string;
  readonly spent: AllAmounts;
}

export interface RunMeasures {
  measure(meter: Meter): void;
  close(): Promise<void>;
}

/** `open` is called at the first request. `also`: stores that somebody else closes. */
export function runMeasures(open: () => Promise<Store>, also: readonly RunStore[] = []): RunMeasures {
  const ended = new Map<string, RunEndSample>();
  let opened: Promise<Store> | undefined;
  let reading: Promise<readonly RunCount[]> | undefined;

  // Simultaneous requests share one reading.
  const now = (): Promise<readonly RunCount[]> => {
    reading ??= (async () => {
      opened ??= open();
      return await countRuns([await opened, ...also], ended);
    })().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const sumOf = (
    key: (one: RunEndSample) => string,
    amount: (one: RunEndSample) => number,
  ): Map<string, number> => {
    const sums = new Map<string, number>();
    for (const runEndSample of ended.values())
      sums.set(key(runEndSample), (sums.get(key(runEndSample)) ?? 0) + amount(runEndSample));
    return sums;
  };

  return {
    measure(meter) {
      meter
        .createObservableGauge('sonde_runs', { description: 'Runs by shape and state.' })
        .addCallback(async (result) => {
          for (const { shape, state, count } of await now()) result.observe(count, { shape, state });
        });
      meter
        .createObservableCounter('sonde_run_verdicts', { description: 'Ended runs by shape and verdict.' })
        .addCallback(async (result) => {
          await now();
          for (const [key, count] of sumOf(
            ({ shape, verdict }) => `${shape} ${verdict}`,
            () => 1,
          )) {
            const [shape = '', verdict = ''] = key.split(' ');
            result.observe(count, { shape, verdict });
          }
        });
      for (const { name, description, amount } of spending)
        meter.createObservableCounter(name, { description }).addCallback(async (result) => {
          await now();
          for (const [shape, sum] of sumOf(
            ({ shape }) => shape,
            ({ spent }) => amount(spent),
          ))
            result.observe(sum, { shape });
        });
    },
    async close() {
      await reading?.catch(() => {});
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

const spending: readonly {
  readonly name: string;
  readonly description: string;
  readonly amount: (spent: AllAmounts) => number;
}[] = [
  { name: 'sonde_run_tokens', description: 'Tokens that ended runs spent.', amount: ({ tokens }) => tokens },
  { name: 'sonde_run_usd', description: 'Dollars that ended runs spent.', amount: ({ usd }) => usd },
  {
    name: 'sonde_run_seconds',
    description: 'Seconds that ended runs took.',
    amount: ({ wall_ms: ms }) => ms / 1_000,
  },
];

interface RunCount {
  readonly shape: string;
  readonly state: RunState;
  readonly count: number;
}
const states = ['running', 'unfinished', 'finished'] as const;
type RunState = (typeof states)[number];

/** Reads each ended run once, and pauses between two for other work of the process. */
async function countRuns(
  stores: readonly RunStore[],
  ended: Map<string, RunEndSample>,
): Promise<readonly RunCount[]> {
  const counts = new Map<string, number>();
  const shapes = new Set<string>();
  const max = maxRuns + ended.size;
  for (const store of stores)
    for (const row of await store.runs.list(max)) {
      shapes.add(row.shape);
      const key = `${row.shape} ${await stateOf(row, store)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (row.status !== 'finished' || ended.has(row.id)) continue;
      const end = await endOf(row, store);
      if (end !== null) ended.set(row.id, end);
      await breath();
    }
  return [...shapes].flatMap((shape) =>
    states.map((state) => ({ shape, state, count: counts.get(`${shape} ${state}`) ?? 0 })),
  );
}

async function stateOf({ id, status }: RunRow, store: RunStore): Promise<RunState> {
  if (status === 'finished') return 'finished';
  return (await store.runs.isHeld(id)) ? 'running' : 'unfinished';
}

async function endOf({ id, shape }: RunRow, store: RunStore): Promise<RunEndSample | null> {
  const events = await store.events(id);
  const end = events.findLast(({ event }) => event.kind === 'run_finished')?.event as RunFinished | undefined;
  if (end === undefined) return null;
  return { shape, verdict: wordOf(end.incident?.verdict ?? end.result.status), spent: end.spent };
}

/** A kind of run by others may have any verdict. */
const wordOf = (verdict: string | undefined): string =>
  verdict !== undefined && /^[a-z_]{1,40}$/.test(verdict) ? verdict : 'other';
