/**
 * A worker to be killed: a process of its own that works on a run as a research loop would, and says on standard
 * output, a JSON line each, what the store has acknowledged. Started as `node crash-worker.contract.ts MODE PATH RUN`.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { isSondeError, type Pool, type Reservation } from '../../core/index.ts';
import { openPool } from '../../core/pools.ts';
import { momentsUntil } from '../moments.contract.ts';
import { openStore } from '../open-store.ts';
import type { Lease, Store } from '../store.ts';
import { openSteps } from './steps.ts';

/** Every call reserves this many tokens and costs one less. */
export const reservedTokens = 100;
export const spentTokens = reservedTokens - 1;
/** More calls than are ever made before the last kill. */
export const callsInARun = 1_000_000;
/** Tokens and what each process asks for at a time in the mode `share`. */
export const shared = { limit: 1000, amount: 10, attempts: 60 };
const pausedLeaseMs = 300;

function say(what: Record<string, unknown>): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

function take(reply: ReturnType<Pool['reserve']>): Reservation {
  if (reply.kind === 'reserved') return reply;
  throw new Error(`exhausted: ${JSON.stringify(reply)}`);
}

async function resume(
  store: Store,
  run: string,
): Promise<{ readonly lease: Lease; readonly pool: Pool; readonly commit: () => Promise<number> }> {
  const lease = await store.runs.acquire(run);
  const recovered = store.atomic(() => {
    const count = store.ledger(lease).recover(run, lease.fence);
    const event = { kind: 'run_resumed', fence: lease.fence, recovered: count } as const;
    store.log(lease).append(`resumed-${lease.fence}`, event);
    return count;
  });
  await store.commit(lease);
  say({ acquired: lease.fence, recovered });
  const pool = openPool(store.ledger(lease), { account: run, run, fence: lease.fence });
  return { lease, pool, commit: () => store.commit(lease) };
}

/** Reserves, calls, records, settles and logs, until it is killed. */
async function work(path: string, run: string): Promise<void> {
  const store = openStore(path);
  const { lease, pool, commit } = await resume(store, run);
  const log = store.log(lease);
  const journal = store.journal(lease);
  for (let i = 0; i < callsInARun; i += 1) {
    const call = `call-${i}`;
    if (journal.recall(call) !== undefined) continue;
    const held = take(pool.reserve(call, { tokens: reservedTokens, calls: 1 }));
    await commit();
    say({ reserved: call });
    // The provider's bill: from here on the money is spent, even if this process dies.
    appendFileSync(`${path}.bill`, `${run} ${call}\n`);
    const reply = { text: `answer of ${lease.fence} to ${call}` };
    store.atomic(() => {
      journal.record(call, reply);
      const { amounts } = held.settle({ tokens: spentTokens, calls: 1 });
      log.append(call, {
        kind: 'model_replied',
        step: i,
        call,
        spent: amounts,
        unknown: false,
        wall_ms: 0,
        text: reply.text,
      });
    });
    await commit();
    say({ recorded: call, reply });
    log.append(`note-${i}`, { kind: 'note', level: 'info', text: `after ${call}` });
    await commit();
    say({ logged: `note-${i}` });
    take(pool.reserve(`dropped-${i}`, { fuel: 1 })).release();
  }
}

/** The tokens that each step of the mode `steps` is billed, and the maximum that it reserves. */
export const stepTokens = { billed: 7, reserved: 10 };
export const stepsInARun = ['ask', 'look', 'again'] as const;

/**
 * Goes through a run of three steps and ends, or dies at the n-th of the moments at which its steps touch anything:
 * each call of journal, log, pool and commit has one before it and one behind it, and so has the work itself.
 */
async function steps(path: string, run: string, dieAt: number): Promise<void> {
  const store = openStore(path);
  const { lease, pool, commit } = await resume(store, run);
  const { moment, around, call, seen } = momentsUntil(dieAt);
  const journal = store.journal(lease);
  const step = openSteps({
    journal: { recall: around(journal.recall), record: around(journal.record) },
    log: { append: around(store.log(lease).append) },
    pool: { ...pool, reserve: around(pool.reserve) },
    atomic: store.atomic,
    async commit() {
      await call(commit);
    },
    signal: new AbortController().signal,
  });
  for (const key of stepsInARun) {
    const done = await step(key, {
      ...(key !== 'look' && { cost: { tokens: stepTokens.reserved, calls: 1 } }),
      startEvent: { kind: 'note', level: 'info', text: `${key} begins` },
      async run() {
        moment();
        if (key !== 'look') appendFileSync(`${path}.bill`, `${run} ${key}\n`);
        moment();
        return {
          value: { by: lease.fence },
          ...(key !== 'look' && { spent: { tokens: stepTokens.billed, calls: 1 } }),
          events: [[`${key}/told`, { kind: 'note', level: 'info', text: `${key} is done` }]],
        };
      },
    });
    if (done.kind !== 'done') throw new Error(`${key}: ${done.kind}`);
    say({ recorded: key, reply: done.value });
  }
  store.runs.finish(run, lease);
  await commit();
  say({ moments: seen() });
}

/** Takes the lease, waits to be told, then tries to write in every way and says what came of each. */
async function pause(path: string, run: string): Promise<void> {
  const store = openStore(path, { leaseMs: pausedLeaseMs });
  const { lease, pool, commit } = await resume(store, run);
  const log = store.log(lease);
  const journal = store.journal(lease);
  const held = take(pool.reserve('before', { tokens: 10 }));
  await commit();
  say({ ready: true });
  await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
  const note = { kind: 'note', level: 'info', text: 'late' } as const;
  const attempts: Readonly<Record<string, () => unknown>> = {
    renew: () => lease.renew(),
    append: () => log.append('late', note),
    record: () => journal.record('late', 1),
    reserve: () => pool.reserve('late', { tokens: 1 }),
    settle: () => held.settle({ tokens: 1 }),
    release: () => held.release(),
    finish: () => store.runs.finish(run, lease),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      await commit();
      say({ name, code: 'done' });
    } catch (error) {
      say({ name, code: isSondeError(error) ? error.code : String(error) });
    }
  }
  await store.close();
}

/** Draws on one account together with other processes, in a store that all of them create. */
async function share(path: string, run: string): Promise<void> {
  const store = openStore(path);
  const { accounts } = store;
  await accounts.open({ id: 'shared', parent: null, limits: { tokens: shared.limit }, reserve: {} });
  const amounts = { tokens: shared.amount };
  let granted = 0;
  for (let i = 0; i < shared.attempts; i += 1) {
    const reply = await accounts.reserve({
      account: 'shared',
      key: { run, step: `${i}`, fence: 1 },
      amounts,
    });
    if (reply.kind === 'reserved') {
      granted += 1;
      await accounts.settle(reply.id, amounts);
    }
  }
  say({ granted });
  await store.close();
}

const [mode, path, run] = process.argv.slice(2);
if (path !== undefined && run !== undefined) {
  if (mode === 'work') await work(path, run);
  else if (mode === 'pause') await pause(path, run);
  else if (mode === 'share') await share(path, run);
  else if (mode === 'steps') await steps(path, run, Number(process.argv[5]));
}
