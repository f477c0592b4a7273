/**
 * A worker takes runs from the queue of a team and performs them, until it is closed. If the store does not answer, it
 * tries again.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Meter } from '@opentelemetry/api';
import { isSondeError, messageOf, SondeError } from '../../core/index.ts';
import {
  addCrash,
  type Claim,
  type ClaimEnd,
  isStoreError,
  type Job,
  judgeDeaths,
  type Queue,
  type Settlement,
  type Store,
  type Teams,
  toJobError,
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
  readHandover,
  returnTopic,
  runTopic,
  type WorkerHandover,
} from './queued-run.ts';
import { openRepository, type Repositories } from './repositories.ts';
import type { RunProcesses } from './run-processes.ts';
import { startReturns } from './team-returns.ts';

export interface WorkerRequest {
  readonly configuration: Configuration;
  readonly queue: Queue;
  readonly store: Store;
  readonly teams: Pick<Teams, 'list'>;
  readonly slots: number;
  readonly repositories: Repositories;
  /** The processes that perform the runs. The caller closes them. */
  readonly processes: RunProcesses;
  /** Other topics of the queue that this process works on, for the announcement. */
  readonly otherTopics?: readonly string[];
  readonly tell: (line: string) => void;
  /** Registers the metrics of other parts of this process. */
  readonly measure?: (meter: Meter) => void;
  /** Starts a run, or resumes it if it is stored already. */
  readonly work?: typeof workOnRun;
}

export interface OpenWorker {
  readonly id: string;
  readonly part: ServerPart;
  /** Takes no more jobs, and waits `drainMs` milliseconds for running ones. The rest return to the queue. */
  close(drainMs: number): Promise<void>;
}

/** Intervals of looking for work and of renewing a claim, and how long an announcement is valid. Milliseconds. */
const lookMs = 500;
const renewMs = 3_000;
const announcementMs = 15_000;
/** The wait before a run that could not start is tried again. Milliseconds. */
const retryMs = 2_000;
const maxAttempts = 5;
/** How often a run waits for budget that other runs have reserved, before it starts with the rest. */
const maxWaits = 60;

export function openWorker(request: WorkerRequest): OpenWorker {
  const { queue, slots, repositories, otherTopics = [], tell, work = workOnRun } = request;
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const outcomeCounts = new Map<ClaimEnd | 'begun', number>();
  const runningJobs = new Set<Promise<Settlement>>();
  let isDraining = false;
  const count = (outcome: ClaimEnd | 'begun'): void =>
    void outcomeCounts.set(outcome, (outcomeCounts.get(outcome) ?? 0) + 1);

  const queueWorker = workOff({
    queue,
    topic: runTopic,
    slots,
    careful: true,
    offers: [...repositories.keys()],
    ready: () => !isDraining,
    pollMs: lookMs,
    renewMs,
    tell,
    async work(claim, signal) {
      count('begun');
      const runningWork = work(claim, signal, request);
      runningJobs.add(runningWork);
      try {
        const settlement = await runningWork;
        count(settlement.kind);
        return settlement;
      } finally {
        runningJobs.delete(runningWork);
      }
    },
  });

  const budgetReturns = startReturns({ ...request, ready: () => !isDraining, renewMs });

  async function announce(): Promise<void> {
    const offers = [...repositories.keys()];
    const topics = [runTopic, returnTopic, ...otherTopics];
    const announcement = { id, topics, slots: isDraining ? 0 : slots, offers, clock: Date.now() };
    await queue.announce(announcement, announcementMs);
  }
  const storeWatch = watchStore(announce, tell, renewMs);
  void queueWorker.take();
  void budgetReturns.take();

  return {
    id,
    part: {
      name: 'worker',
      mount() {},
      notReady: () => storeWatch.reasonAway(),
      isDraining: () => isDraining,
      // Needs no token: the metrics of this process contain no names.
      readRefusal: () => null,
      measure(meter) {
        meter
          .createObservableGauge('sonde_worker_slots', { description: 'Slots: all, and those with a run.' })
          .addCallback((result) => {
            result.observe(slots, { of: 'all' });
            result.observe(runningJobs.size, { of: 'busy' });
          });
        meter
          .createObservableCounter('sonde_worker_runs', { description: 'Runs on this worker by outcome.' })
          .addCallback((result) => {
            for (const [outcome, runs] of outcomeCounts) result.observe(runs, { outcome });
          });
        meter
          .createObservableGauge('sonde_worker_store_away', {
            description: '1 while the store does not answer.',
          })
          .addCallback((result) => result.observe(storeWatch.reasonAway() === null ? 0 : 1));
        request.measure?.(meter);
      },
    },
    async close(drainMs) {
      isDraining = true;
      // If the store does not answer, the last announcement expires by itself.
      if (storeWatch.reasonAway() === null) await announce().catch(() => {});
      const drainTimer = new AbortController();
      const allEnded = (async () => {
        while (runningJobs.size > 0) await Promise.allSettled(runningJobs);
      })();
      await Promise.race([
        allEnded,
        sleep(drainMs, undefined, { signal: drainTimer.signal }).catch(() => {}),
      ]);
      drainTimer.abort();
      storeWatch.close();
      await Promise.all([queueWorker.close(), budgetReturns.close()]);
    },
  };
}

/** Performs the run of a job, and returns the settlement for the queue. Expected failures are settlements. */
async function workOnRun(claim: Claim, signal: AbortSignal, request: WorkerRequest): Promise<Settlement> {
  const { queue, store, configuration, repositories, tell } = request;
  const { job } = claim;
  let handover: WorkerHandover | null = readHandover(job);
  const storeHandover = async (newHandover: WorkerHandover): Promise<void> => {
    await queue.renew(claim, newHandover);
    handover = newHandover;
  };
  /** Returns the unspent budget of a job that has ended to its team. */
  async function withSettledPool<End extends Settlement>(settlement: End): Promise<End> {
    if (!handover?.pool || handover.pool.drawn === null) return settlement;
    const settledPool = await settleDraw(store, { run: job.key, team: job.team }, handover.pool);
    return { ...settlement, kept: { ...handover, pool: settledPool } };
  }
  try {
    const parsedOrder = queuedRun.safeParse(job.payload);
    if (!parsedOrder.success)
      return await withSettledPool({ kind: 'failed', error: toJobError(notARunError(job.key)) });
    const { repository: name } = parsedOrder.data;
    if (job.team !== '') requireRepository(await request.teams.list(), job.team, name);
    const hasStarted = await isStored(store, job.key);
    const judgement = judgeDeaths(job, handover, hasStarted ? (await store.events(job.key)).length : 0);
    if (judgement.end !== null)
      return await withSettledPool({ kind: 'failed', error: toJobError(giveUpError(job, judgement.end)) });
    const commit = handover?.commit ?? parsedOrder.data.commit;
    const checkout = await openRepository(configuration, repositories, { name, commit, signal });
    const handoverBase = { ...judgement.kept, commit: checkout.commit };
    const waitCount = handover?.waits ?? 0;
    await storeHandover({
      ...handoverBase,
      waits: waitCount,
      ...(handover?.pool && { pool: handover.pool }),
    });
    const draw =
      job.team === ''
        ? null
        : await drawFor(parsedOrder.data, {
            ...handoverBase,
            waits: waitCount,
            pool: handover?.pool ?? noDraw,
          });
    if (draw === 'wait') {
      const waitingHandover = { ...(handover ?? handoverBase), waits: waitCount + 1 };
      return {
        kind: 'release',
        error: toJobError(budgetReservedError(job.team)),
        afterMs: retryMs,
        kept: waitingHandover,
      };
    }
    if (hasStarted && draw?.drawn != null) await setCostLimit(store, job.key, draw.settled + draw.drawn);
    const setting = toRunnerSetting(parsedOrder.data, {
      ...{ run: job.key, isBegun: hasStarted, root: checkout.root, team: job.team },
      ...(draw?.drawn != null && { maxUsd: draw.drawn }),
    });
    const exitReason = await request.processes.perform(setting, {
      team: job.team,
      alone: job.deaths > 0,
      signal,
    });
    if (signal.aborted) return await releaseJob();
    if (exitReason !== null) {
      tell(`${job.key}: its process died: ${exitReason}`);
      const oldHandover = handover ?? handoverBase;
      return { kind: 'died', kept: { ...oldHandover, ...addCrash(oldHandover) } };
    }
    const status = await readStatus(store, job.key);
    tell(`${job.key}: ${status}`);
    return await withSettledPool({ kind: 'done', result: { run: job.key, status } });
  } catch (thrown) {
    if (signal.aborted) return releaseJob();
    tell(`${job.key}: ${messageOf(thrown)}`);
    const settlement = settleError(thrown, job.attempts);
    // Fails the job only if its budget could be returned; otherwise the job is tried again.
    return settlement.kind === 'failed'
      ? withSettledPool(settlement).catch(() => ({ kind: 'release', afterMs: retryMs }))
      : settlement;
  }

  function drawFor(
    { settings }: QueuedRun,
    state: WorkerHandover & { readonly pool: PoolState; readonly waits: number },
  ): Promise<PoolState | 'wait' | null> {
    const { values } = loadConfiguration({ environment: processEnvironment(), flags: settings });
    const draw = {
      ...{ team: job.team, run: job.key, wanted: values.max_usd },
      keep: (pool: PoolState) => storeHandover({ ...state, pool }),
      now: state.waits >= maxWaits,
    };
    return drawForRun(store, draw, state.pool);
  }

  /** Releases the job. If it was cancelled, its budget is returned; otherwise another worker continues it. */
  async function releaseJob(): Promise<Settlement> {
    const currentJob = await queue.find(job.id).catch(() => null);
    if (currentJob?.state === 'cancelled') await withSettledPool({ kind: 'release' }).catch(() => {});
    return { kind: 'release' };
  }
}

/** Sets the cost limit of a resumed run to the newly drawn budget. */
async function setCostLimit({ accounts }: Store, run: string, usd: number): Promise<void> {
  await accounts.relimit(run, { usd }).catch((thrown: unknown) => {
    // The process of the run died before it created the run's account.
    if (!isSondeError(thrown, 'pool_misuse')) throw thrown;
  });
}

function settleError(thrown: unknown, attempts: number): Settlement {
  const isHeld = isSondeError(thrown, 'lease_lost') || isSondeError(thrown, 'run_state');
  if (isStoreError(thrown) || isHeld) return { kind: 'release', afterMs: retryMs };
  const mayPass = isSondeError(thrown, 'tool_failed') || isSondeError(thrown, 'timeout');
  const error = toJobError(thrown);
  return mayPass && attempts + 1 < maxAttempts
    ? { kind: 'retry', error, afterMs: retryMs * 2 ** attempts }
    : { kind: 'failed', error };
}

interface RunAssignment {
  readonly run: string;
  readonly isBegun: boolean;
  readonly root: string;
  readonly team: string;
  /** The budget in dollars that the team has left for the run. It replaces the run's own limit. */
  readonly maxUsd?: number;
}

function toRunnerSetting(
  parsed: QueuedRun,
  { run, isBegun, root, team, maxUsd }: RunAssignment,
): RunnerSetting {
  const { kind, question, scope } = parsed;
  const settings = { ...parsed.settings, ...(maxUsd !== undefined && { max_usd: String(maxUsd) }) };
  const by = { name: 'worker', team };
  const sharedRequest = { id: run, settings, root, by, ...(scope !== undefined && { scope }) };
  const askRequest = { ...sharedRequest, question };
  const investigateRequest = { ...sharedRequest, prompt: question };
  if (isBegun) return { resume: run, root };
  return kind === 'ask'
    ? { shape: 'research', request: askRequest }
    : { shape: 'investigation', request: investigateRequest };
}

async function readStatus(store: Store, run: string): Promise<string> {
  const finishedEvent = (await store.events(run)).findLast(({ event }) => event.kind === 'run_finished');
  return finishedEvent?.event.kind === 'run_finished' ? finishedEvent.event.result.status : 'unknown';
}

async function isStored({ runs }: Store, run: string): Promise<boolean> {
  try {
    return (await runs.get(run)).id === run;
  } catch (thrown) {
    if (isSondeError(thrown, 'not_found')) return false;
    throw thrown;
  }
}

const budgetReservedError = (team: string): SondeError =>
  new SondeError('run_state', {
    message: `the rest of the budget of team ${team} is reserved by runs that have not ended`,
    remedy: 'Wait for them, or raise it: sonde team budget.',
  });

const notARunError = (key: string): SondeError =>
  new SondeError('bad_argument', {
    message: `${key} is not a job that this version of Sonde understands`,
    remedy: 'Use workers of the version that queued it, or a newer one.',
  });

const giveUpError = ({ key: run }: Job, why: string): SondeError =>
  new SondeError('internal', {
    message: `${run} was stopped: ${why}`,
    remedy: `sonde show ${run} shows what it did. sonde queue retry tries it again.`,
  });
