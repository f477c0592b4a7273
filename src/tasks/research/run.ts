/** Runs a research from its question to its checked result: new, or taken up again. */

import { setTimeout as delay } from 'node:timers/promises';
import {
  type Clock,
  type LoggedEvent,
  openPool,
  type RunLog,
  type RunResult,
  runId,
  SondeError,
  systemClock,
} from '../../core/index.ts';
import type { Lease, RunRow, Store } from '../../store/index.ts';
import type { Crew, Models } from './crew.ts';
import { researchByGraph } from './graph.ts';
import { ceilingsOf, type Limits, limitsOf, reserveOf } from './limits.ts';
import { researchLoop } from './loop.ts';
import type { Material } from './material.ts';
import { report } from './report.ts';
import { type Params, paramsOf, researchRow, researchShape, resultOf } from './run-row.ts';
import { scopeOf } from './scope.ts';
import { recordStart } from './start.ts';
import { initialState } from './state.ts';

export interface ResearchRequest {
  /** Of the run; made where it isn't given. Throws `run_state` where it is taken. */
  readonly id?: string;
  readonly question: string;
  /** Absolute path of the material, as the store keeps it. */
  readonly root: string;
  /** Comma-separated globs; see core's scopes. */
  readonly scope?: string;
  readonly limits?: Partial<Limits>;
  /** False: only the question and the result are kept. Default true. */
  readonly storeArtifacts?: boolean;
  /** What else the caller needs to start the run again. No secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface ResearchSetting {
  readonly store: Store;
  readonly models: Models;
  readonly material: Material;
  /** `loop` by default; both give the same result. */
  readonly form?: 'loop' | 'graph';
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** The run's id, as soon as it has one. */
  readonly onRun?: (run: string) => void;
  /** Each event once it is in the log; not again after a resume. */
  readonly onEvent?: (event: LoggedEvent) => void;
  /** For tests: the jitter of retries, and the pause before them. */
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

const longestQuestion = 8_000;

/** Throws `bad_argument` and `bad_pattern` before anything is written; after that every end is a result. */
export async function runResearch(request: ResearchRequest, setting: ResearchSetting): Promise<RunResult> {
  const question = request.question.trim();
  if (question === '' || question.length > longestQuestion)
    throw new SondeError('bad_argument', {
      message: question === '' ? 'The question is empty' : `The question has ${question.length} characters`,
      remedy: `Ask something in 1 to ${longestQuestion} characters.`,
    });
  const scope = scopeOf(request.scope);
  const params: Params = {
    ...(scope.text !== undefined && { scope: scope.text }),
    limits: limitsOf(request.limits),
    store_artifacts: request.storeArtifacts ?? true,
    model: setting.models.planner.name,
    ...(request.extra && { extra: request.extra }),
  };
  const { runs } = setting.store;
  const row = runs.create({
    id: request.id ?? runId((setting.clock ?? systemClock).now()),
    shape: researchShape,
    question,
    root: request.root,
    params: { ...params },
  });
  setting.onRun?.(row.id);
  return advance(row, runs.acquire(row.id), setting);
}

/**
 * Takes up a run that a crash or a cancel ended, and gives the result of one that is finished. What was recorded
 * is not asked again. Throws `not_found`, and `run_state` while another process is working on it.
 */
export async function resumeResearch(run: string, setting: ResearchSetting): Promise<RunResult> {
  const row = researchRow(setting.store, run);
  setting.onRun?.(row.id);
  if (row.status === 'finished') {
    const result = resultOf(setting.store, row.id);
    prune(setting.store, row.id);
    return result;
  }
  return advance(row, setting.store.runs.acquire(row.id), setting);
}

/** How often the lease is renewed and the time worked is written down. Milliseconds. */
const heartbeatMs = 10_000;

async function advance(row: RunRow, lease: Lease, setting: ResearchSetting): Promise<RunResult> {
  const { store, models, clock = systemClock } = setting;
  const params = paramsOf(row);
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, ...(setting.signal ? [setting.signal] : [])]);
  try {
    const log = heard(store.log(lease), setting.onEvent);
    // One transaction: what a crash left open is counted once, and told.
    store.atomic(() => {
      const recovered = store.ledger.recover(row.id, lease.fence);
      log.append('run-started', {
        kind: 'run_started',
        shape: row.shape,
        question: row.question,
        params: row.params,
        limits: ceilingsOf(params.limits),
      });
      if (lease.fence > 1)
        log.append(`run-resumed/${lease.fence}`, { kind: 'run_resumed', fence: lease.fence, recovered });
    });
    const pool = openPool(store.ledger, {
      account: row.id,
      run: row.id,
      fence: lease.fence,
      limits: ceilingsOf(params.limits),
      reserve: reserveOf(params.limits),
      clock,
    });
    const heart = setInterval(() => {
      try {
        lease.renew();
        pool.tick();
      } catch (thrown) {
        lost.abort(thrown);
      }
    }, heartbeatMs);
    heart.unref();
    try {
      const crew: Crew = {
        models,
        material: setting.material,
        scope: scopeOf(params.scope),
        limits: params.limits,
        pool,
        log,
        journal: store.journal(lease),
        atomic: store.atomic,
        clock,
        signal,
        random: setting.random ?? Math.random,
        sleep: setting.sleep ?? pause,
      };
      recordStart(crew);
      const carry = setting.form === 'graph' ? researchByGraph : researchLoop;
      const state = await carry(initialState(row.question), crew);
      if (lost.signal.aborted) throw lost.signal.reason;
      const result = await report(row.id, state, crew, {
        model: params.model,
        spent: () => {
          pool.tick();
          return pool.spent();
        },
      });
      const cancelled = result.stop_reason === 'cancelled';
      log.append(cancelled ? `run-cancelled/${lease.fence}` : 'run-finished', {
        kind: 'run_finished',
        result,
        spent: result.spent,
      });
      if (!cancelled) store.runs.finish(row.id, lease);
      return cancelled ? result : resultOf(store, row.id);
    } finally {
      clearInterval(heart);
      if (!lost.signal.aborted) pool.close();
    }
  } finally {
    lease.release();
    prune(store, row.id);
  }
}

/** The log, with somebody who listens. */
function heard(log: RunLog, listener: ResearchSetting['onEvent']): RunLog {
  if (listener === undefined) return log;
  let last = log.read().at(-1)?.seq ?? 0;
  return {
    read: log.read,
    append(key, event) {
      const added = log.append(key, event);
      if (added)
        for (const logged of log.read(last)) {
          last = logged.seq;
          listener(logged);
        }
      return added;
    },
  };
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {}).catch(() => {});
}

function prune(store: Store, run: string): void {
  const row = store.runs.get(run);
  if (row.status === 'finished' && !paramsOf(row).store_artifacts && !store.runs.held(run))
    store.runs.prune(run);
}
