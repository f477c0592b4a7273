/**
 * Metrics of runs: how many of each shape are in each state, their verdicts and costs. Labels are words of this program,
 * such as shapes, states and verdicts; never text of an alert, a model or a file.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Meter } from '@opentelemetry/api';
import type { AllAmounts, RunEvent } from '../../core/index.ts';
import type { RunRow, Store } from '../../store/index.ts';

/** Maximum runs that are read at the first request. Runs that end later are all counted. */
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

/** `openStore` is called at the first request. `otherStores` are also counted, but closed by the caller. */
export function openRunMeasures(
  openStore: () => Promise<Store>,
  otherStores: readonly RunStore[] = [],
): RunMeasures {
  const endSamples = new Map<string, RunEndSample>();
  let openedStore: Promise<Store> | undefined;
  let currentReading: Promise<readonly RunCount[]> | undefined;

  // Simultaneous requests share one reading.
  const readCounts = (): Promise<readonly RunCount[]> => {
    currentReading ??= (async () => {
      openedStore ??= openStore();
      return await countRuns([await openedStore, ...otherStores], endSamples);
    })().finally(() => {
      currentReading = undefined;
    });
    return currentReading;
  };
  const sumBy = (
    key: (sample: RunEndSample) => string,
    amount: (sample: RunEndSample) => number,
  ): Map<string, number> => {
    const sums = new Map<string, number>();
    for (const runEndSample of endSamples.values())
      sums.set(key(runEndSample), (sums.get(key(runEndSample)) ?? 0) + amount(runEndSample));
    return sums;
  };

  return {
    measure(meter) {
      meter
        .createObservableGauge('sonde_runs', { description: 'Runs by shape and state.' })
        .addCallback(async (result) => {
          for (const { shape, state, count } of await readCounts()) result.observe(count, { shape, state });
        });
      meter
        .createObservableCounter('sonde_run_verdicts', { description: 'Ended runs by shape and verdict.' })
        .addCallback(async (result) => {
          await readCounts();
          for (const [key, count] of sumBy(
            ({ shape, verdict }) => `${shape} ${verdict}`,
            () => 1,
          )) {
            const [shape = '', verdict = ''] = key.split(' ');
            result.observe(count, { shape, verdict });
          }
        });
      for (const { name, description, amount } of spending)
        meter.createObservableCounter(name, { description }).addCallback(async (result) => {
          await readCounts();
          for (const [shape, sum] of sumBy(
            ({ shape }) => shape,
            ({ spent }) => amount(spent),
          ))
            result.observe(sum, { shape });
        });
    },
    async close() {
      await currentReading?.catch(() => {});
      await (await openedStore?.catch(() => undefined))?.close();
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

/** Counts runs by shape and state. Reads each ended run once, and yields to the event loop after each. */
async function countRuns(
  stores: readonly RunStore[],
  endSamples: Map<string, RunEndSample>,
): Promise<readonly RunCount[]> {
  const counts = new Map<string, number>();
  const shapes = new Set<string>();
  const maxRows = maxRuns + endSamples.size;
  for (const store of stores)
    for (const row of await store.runs.list(maxRows)) {
      shapes.add(row.shape);
      const key = `${row.shape} ${await readState(row, store)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (row.status !== 'finished' || endSamples.has(row.id)) continue;
      const end = await readEnd(row, store);
      if (end !== null) endSamples.set(row.id, end);
      await yieldToEventLoop();
    }
  return [...shapes].flatMap((shape) =>
    states.map((state) => ({ shape, state, count: counts.get(`${shape} ${state}`) ?? 0 })),
  );
}

async function readState({ id, status }: RunRow, store: RunStore): Promise<RunState> {
  if (status === 'finished') return 'finished';
  return (await store.runs.isHeld(id)) ? 'running' : 'unfinished';
}

async function readEnd({ id, shape }: RunRow, store: RunStore): Promise<RunEndSample | null> {
  const events = await store.events(id);
  const end = events.findLast(({ event }) => event.kind === 'run_finished')?.event as RunFinished | undefined;
  if (end === undefined) return null;
  return { shape, verdict: verdictLabel(end.incident?.verdict ?? end.result.status), spent: end.spent };
}

/** A run kind from outside Sonde may have any verdict. One that is not a plain word is counted as `other`. */
const verdictLabel = (verdict: string | undefined): string =>
  verdict !== undefined && /^[a-z_]{1,40}$/.test(verdict) ? verdict : 'other';
