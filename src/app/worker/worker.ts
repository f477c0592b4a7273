/**
 * A worker takes runs from the queue of a team and works on them. It ends only when it is told to: while the store is
 * away its steps stop, and it tries again.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Meter } from '@opentelemetry/api';
import { isSondeError, messageOf, SondeError } from '../../core/index.ts';
import {
  type Claim,
  type ClaimEnd,
  isStoreTrouble,
  type Job,
  jobError,
  judgeDeaths,
  type Queue,
  type Settlement,
  type Store,
  type Teams,
  withCrash,
  workOff,
} from '../../store/index.ts';
import {
  drawForRun,
  noDraw,
  type PoolState,
  requireRepository,
  settleDraw,
} from '../../store/postgres/index.ts';
import { type Configuration, loadConfiguration, processEnvironment } from '../config/index.ts';
import type { RunnerSetting } from '../runs/perform-run.ts';
import type { ServerPart } from '../server/server-part.ts';
import { watchStore } from '../team/store-watch.ts';
import {
  type QueuedRun,
  queuedRun,
  readLeft,
  returnTopic,
  runTopic,
  type WorkerHandover,
} from './queued-run.ts';
import { openRepository, type Repositories } from './repositories.ts';
import type { RunProcesses } from './run-processes.ts';
import { returnDraws } from './team-returns.ts';

export interface WorkerRequest {
  readonly configuration: Configuration;
  readonly queue: Queue;
  readonly store: Store;
  readonly teams: Pick<Teams, 'list'>;
  readonly slots: number;
  readonly repositories: Repositories;
  /** Where the runs are performed. Their owner closes them. */
  readonly processes: RunProcesses;
  /** Other topics that this process takes from the queue. */
  readonly others?: readonly string[];
  readonly tell: (line: string) => void;
  /** What this process measures beside itself. */
  readonly measure?: (meter: Meter) => void;
  /** Begins a run, or resumes it if it is stored already. */
  readonly work?: typeof workOnRun;
}

export interface OpenWorker {
  readonly id: string;
  readonly part: ServerPart;
  /** Takes no more jobs. Running ones may end within this time; after that they return to the queue. Milliseconds. */
  close(drainMs: number): Promise<void>;
}

/** The times between looks for work, renewals of a claim, and announcements. Milliseconds. */
const lookMs = 500;
const renewMs = 3_000;
const announcedMs = 15_000;
/** The wait before a run is tried again after an obstacle. Milliseconds. */
const soonMs = 2_000;
const maxAttempts = 5;
/** How often a run waits for what others hold of its team's budget, before it takes what there is. */
const maxWaits = 60;

export function openWorker(request: WorkerRequest): OpenWorker {
  const { queue, slots, repositories, others = [], tell, work = workOnRun } = request;
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const ended = new Map<ClaimEnd | 'begun', number>();
  const atWork = new Set<Promise<Settlement>>();
  let draining = false;
  const count = (what: ClaimEnd | 'begun'): void => void ended.set(what, (ended.get(what) ?? 0) + 1);

  const worker = workOff({
    queue,
    topic: runTopic,
    slots,
    careful: true,
    offers: [...repositories.keys()],
    ready: () => !draining,
    lookMs,
    renewMs,
    tell,
    async work(claim, signal) {
      count('begun');
      const doing = work(claim, signal, request);
      atWork.add(doing);
      try {
        const end = await doing;
        count(end.kind);
        return end;
      } finally {
        atWork.delete(doing);
      }
    },
  });

  const returns = returnDraws({ ...request, ready: () => !draining, renewMs });

  async function announce(): Promise<void> {
    const offers = [...repositories.keys()];
    const topics = [runTopic, returnTopic, ...others];
    const announced = { id, topics, slots: draining ? 0 : slots, offers, clock: Date.now() };
    await queue.announce(announced, announcedMs);
  }
  const watch = watchStore(announce, tell, renewMs);
  void worker.take();
  void returns.take();

  return {
    id,
    part: {
      name: 'worker',
      mount() {},
      notReady: () => watch.why(),
      isDraining: () => draining,
      // Everybody may read the measurements of this process, since they name nobody.
      readRefusal: () => null,
      measure(meter) {
        meter
          .createObservableGauge('sonde_worker_slots', { description: 'Slots, and those at work.' })
          .addCallback((result) => {
            result.observe(slots, { of: 'all' });
            result.observe(atWork.size, { of: 'busy' });
          });
        meter
          .createObservableCounter('sonde_worker_runs', { description: 'Runs by what became of them here.' })
          .addCallback((result) => {
            for (const [outcome, runs] of ended) result.observe(runs, { outcome });
          });
        meter
          .createObservableGauge('sonde_worker_store_away', {
            description: '1 while the store does not answer.',
          })
          .addCallback((result) => result.observe(watch.why() === null ? 0 : 1));
        request.measure?.(meter);
      },
    },
    async close(drainMs) {
      draining = true;
      // Nobody waits for a store that is away: the announcement ends by itself.
      if (watch.why() === null) await announce().catch(() => {});
      const late = new AbortController();
      const all = (async () => {
        while (atWork.size > 0) await Promise.allSettled(atWork);
      })();
      await Promise.race([all, sleep(drainMs, undefined, { signal: late.signal }).catch(() => {})]);
      late.abort();
      watch.close();
      await Promise.all([worker.close(), returns.close()]);
    },
  };
}

/** Gives how the job ended, as the queue is told. Throws nothing expected. */
async function workOnRun(claim: Claim, signal: AbortSignal, request: WorkerRequest): Promise<Settlement> {
  const { queue, store, configuration, repositories, tell } = request;
  const { job } = claim;
  let left: WorkerHandover | null = readLeft(job);
  const keep = async (changed: WorkerHandover): Promise<void> => {
    await queue.renew(claim, changed);
    left = changed;
  };
  /** A job that has ended gives back what its run has not spent. */
  async function withSettledPool<End extends Settlement>(end: End): Promise<End> {
    if (!left?.pool || left.pool.drawn === null) return end;
    const pool = await settleDraw(store, { run: job.key, team: job.team }, left.pool);
    return { ...end, kept: { ...left, pool } };
  }
  try {
    const asked = queuedRun.safeParse(job.payload);
    if (!asked.success) return await withSettledPool({ kind: 'failed', error: jobError(notOne(job.key)) });
    const { repository: name } = asked.data;
    if (job.team !== '') requireRepository(await request.teams.list(), job.team, name);
    const isBegun = await hasRow(store, job.key);
    const judged = judgeDeaths(job, left, isBegun ? (await store.events(job.key)).length : 0);
    if (judged.end !== null)
      return await withSettledPool({ kind: 'failed', error: jobError(giveUpError(job, judged.end)) });
    const commit = left?.commit ?? asked.data.commit;
    const checkout = await openRepository(configuration, repositories, { name, commit, signal });
    const at = { ...judged.kept, commit: checkout.commit };
    const waits = left?.waits ?? 0;
    await keep({ ...at, waits, ...(left?.pool && { pool: left.pool }) });
    const drawn =
      job.team === '' ? null : await drawFor(asked.data, { ...at, waits, pool: left?.pool ?? noDraw });
    if (drawn === 'wait') {
      const kept = { ...(left ?? at), waits: waits + 1 };
      return { kind: 'release', error: jobError(budgetHeld(job.team)), afterMs: soonMs, kept };
    }
    if (isBegun && drawn?.drawn != null) await relimit(store, job.key, drawn.settled + drawn.drawn);
    const setting = settingOf(asked.data, {
      ...{ run: job.key, isBegun, root: checkout.root, team: job.team },
      ...(drawn?.drawn != null && { maxUsd: drawn.drawn }),
    });
    const died = await request.processes.perform(setting, { team: job.team, alone: job.deaths > 0, signal });
    if (signal.aborted) return await releaseJob();
    if (died !== null) {
      tell(`${job.key}: its process died: ${died}`);
      const kept = left ?? at;
      return { kind: 'died', kept: { ...kept, ...withCrash(kept) } };
    }
    const status = await statusOf(store, job.key);
    tell(`${job.key}: ${status}`);
    return await withSettledPool({ kind: 'done', result: { run: job.key, status } });
  } catch (thrown) {
    if (signal.aborted) return releaseJob();
    tell(`${job.key}: ${messageOf(thrown)}`);
    const end = afterTrouble(thrown, job.attempts);
    // It ends only when its team has its money back.
    return end.kind === 'failed'
      ? withSettledPool(end).catch(() => ({ kind: 'release', afterMs: soonMs }))
      : end;
  }

  function drawFor(
    { settings }: QueuedRun,
    before: WorkerHandover & { readonly pool: PoolState; readonly waits: number },
  ): Promise<PoolState | 'wait' | null> {
    const { values } = loadConfiguration({ environment: processEnvironment(), flags: settings });
    const draw = {
      ...{ team: job.team, run: job.key, wanted: values.max_usd },
      keep: (pool: PoolState) => keep({ ...before, pool }),
      now: before.waits >= maxWaits,
    };
    return drawForRun(store, draw, before.pool);
  }

  /** A job that was cancelled has ended for its team; any other is gone on with. */
  async function releaseJob(): Promise<Settlement> {
    const now = await queue.find(job.id).catch(() => null);
    if (now?.state === 'cancelled') await withSettledPool({ kind: 'release' }).catch(() => {});
    return { kind: 'release' };
  }
}

/** The run was begun with what an earlier draw left it. */
async function relimit({ accounts }: Store, run: string, usd: number): Promise<void> {
  await accounts.relimit(run, { usd }).catch((thrown: unknown) => {
    // It had no account yet when its process died.
    if (!isSondeError(thrown, 'pool_misuse')) throw thrown;
  });
}

function afterTrouble(thrown: unknown, attempts: number): Settlement {
  const isHeld = isSondeError(thrown, 'lease_lost') || isSondeError(thrown, 'run_state');
  if (isStoreTrouble(thrown) || isHeld) return { kind: 'release', afterMs: soonMs };
  const mayPass = isSondeError(thrown, 'tool_failed') || isSondeError(thrown, 'timeout');
  const error = jobError(thrown);
  return mayPass && attempts + 1 < maxAttempts
    ? { kind: 'retry', error, afterMs: soonMs * 2 ** attempts }
    : { kind: 'failed', error };
}

interface RunAssignment {
  readonly run: string;
  readonly isBegun: boolean;
  readonly root: string;
  readonly team: string;
  /** What its team has left for it, in place of its own limit. */
  readonly maxUsd?: number;
}

function settingOf(asked: QueuedRun, { run, isBegun, root, team, maxUsd }: RunAssignment): RunnerSetting {
  const { kind, question, scope } = asked;
  const settings = { ...asked.settings, ...(maxUsd !== undefined && { max_usd: String(maxUsd) }) };
  const by = { name: 'worker', team };
  const shared = { id: run, settings, root, by, ...(scope !== undefined && { scope }) };
  const ask = { ...shared, question };
  const investigate = { ...shared, prompt: question };
  if (isBegun) return { resume: run, root };
  return kind === 'ask'
    ? { shape: 'research', request: ask }
    : { shape: 'investigation', request: investigate };
}

async function statusOf(store: Store, run: string): Promise<string> {
  const end = (await store.events(run)).findLast(({ event }) => event.kind === 'run_finished');
  return end?.event.kind === 'run_finished' ? end.event.result.status : 'unknown';
}

async function hasRow({ runs }: Store, run: string): Promise<boolean> {
  try {
    return (await runs.get(run)).id === run;
  } catch (thrown) {
    if (isSondeError(thrown, 'not_found')) return false;
    throw thrown;
  }
}

const budgetHeld = (team: string): SondeError =>
  new SondeError('run_state', {
    message: `the rest of the budget of team ${team} is held by runs that have not ended`,
    remedy: 'Wait for them, or raise it: sonde team budget.',
  });

const notOne = (key: string): SondeError =>
  new SondeError('bad_argument', {
    message: `${key} says nothing that this Sonde can work on`,
    remedy: 'Use workers of the version that queued it, or a newer one.',
  });

const giveUpError = ({ key: run }: Job, why: string): SondeError =>
  new SondeError('internal', {
    message: `${run} is given up: ${why}`,
    remedy: `See how far it came: sonde show ${run}. sonde queue retry tries it again.`,
  });
