/**
 * What a store that has grown costs: listing runs, opening one and going on with one, beside the same store when it held
 * 100 runs. Runs are made through the store's own commits: `--real` of 40 steps of 2 KB, `--small` of one.
 * `PGURL=postgres://… node bench/team-growth.ts [--real 1000] [--small 50000] [--seconds 300]`: into a database of its
 * own; called again it goes on where it stood. Prints JSON.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openPool, openPostgresStore, writerOf } from '../src/bench.ts';

const { values } = parseArgs({
  options: {
    real: { type: 'string', default: '1000' },
    small: { type: 'string', default: '50000' },
    seconds: { type: 'string', default: '300' },
  },
});
const url = process.env['PGURL'];
if (url === undefined) throw new Error('Set PGURL to a database of its own');
const stepsOfReal = 40;
const first = 100;
const samples = 200;
const connections = 8;
const until = performance.now() + Number(values.seconds) * 1_000;
const store = openPostgresStore({ url, maxConnections: connections });
/** What the server can't compress: 2 KB in its tables, too. */
const text = randomBytes(1_500).toString('base64');

async function make(id: string, steps: number, finished = true): Promise<void> {
  const run = { id, shape: 'research', question: 'How many?', root: '/', params: {} };
  const { lease } = await store.runs.begin(run);
  const writer = writerOf(store, lease);
  const limits = { tokens: 1e9 };
  writer.begin({ kind: 'run_started', shape: 'research', question: 'How many?', params: {}, limits });
  const pool = openPool(store.ledger(lease), { account: id, run: id, fence: lease.fence, limits });
  store.atomic(() => {
    for (let n = 0; n < steps; n += 1) {
      const reserved = pool.reserve(`step-${n}`, { tokens: 100 });
      if (reserved.kind === 'exhausted') throw new Error('the pool of the bench is too small');
      store.journal(lease).record(`step-${n}`, text);
      reserved.settle({ tokens: 90 });
      writer.tell(`told-${n}`, { kind: 'step_started', step: n, left: { tokens: 1 } });
    }
  });
  if (finished) writer.finish({ kind: 'note', level: 'info', text: 'over' });
  pool.close();
  await lease.release();
}

/** Those that there are not yet, several at once, while there is time. Gives how many there are now. */
async function fill(kind: string, count: number, steps: number): Promise<number> {
  // Those of one step go together in few commits; a commit of many long ones would be too large.
  const atOnce = steps > 1 ? 8 : 64;
  const name = (n: number): string => `${kind}-${String(n).padStart(8, '0')}`;
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const there = await store.runs.get(name(middle)).then(
      () => true,
      () => false,
    );
    if (there) low = middle + 1;
    else high = middle;
  }
  // Of the last ones some may be missing.
  let next = Math.max(0, low - atOnce);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count && performance.now() < until) {
        const id = name(next);
        next += 1;
        await make(id, steps).catch((thrown: unknown) => {
          if ((thrown as { code?: unknown }).code !== 'run_state') throw thrown;
        });
      }
    }),
  );
  return Math.min(next, count);
}

const p95 = (all: readonly number[]): number =>
  Math.round(all.toSorted((a, b) => a - b)[Math.floor(0.95 * (all.length - 1))]! * 100) / 100;

/** Milliseconds at p95. */
async function measure(round: string) {
  const ids = (await store.runs.list(first)).map(({ id }) => id).filter((id) => id.startsWith('first-'));
  const some = Array.from({ length: samples }, (_, n) => `first-${String(n % first).padStart(8, '0')}`);
  if (ids.length === 0 && round === 'before') throw new Error('the first runs are missing');
  for (let n = 0; n < samples; n += 1) await make(`open-${round}-${n}-${Date.now()}`, 0, false);
  const waiting = (await store.runs.list(samples))
    .filter(({ status }) => status === 'running')
    .map(({ id }) => id);
  const timed = async (over: readonly string[], work: (id: string) => Promise<unknown>): Promise<number> => {
    const all: number[] = [];
    for (const id of over) {
      const begun = performance.now();
      await work(id);
      all.push(performance.now() - begun);
    }
    return p95(all);
  };
  return {
    list: await timed(some, () => store.runs.list(50)),
    open: await timed(some, async (id) => {
      await store.runs.get(id);
      return store.events(id);
    }),
    resume: await timed(waiting, async (id) => {
      const lease = await store.runs.acquire(id);
      const writer = writerOf(store, lease);
      writer.begin({ kind: 'run_started', shape: 'research', question: 'How many?', params: {} });
      await writer.commit();
      await lease.release();
    }),
  };
}

try {
  const isNew = (await store.runs.list(1)).length === 0;
  await fill('first', first, stepsOfReal);
  const before = isNew ? await measure('before') : null;
  const real = await fill('real', Number(values.real), stepsOfReal);
  const small = await fill('small', Number(values.small), 1);
  console.log(JSON.stringify({ before, real, small, now: await measure('now') }));
} finally {
  await store.close();
}
