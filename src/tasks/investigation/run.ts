/** Runs an investigation from its prompt to its checked result: new, or taken up again. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Capability,
  type Clock,
  type LoggedEvent,
  openPool,
  type Pool,
  type RunLog,
  runId,
  SondeError,
  systemClock,
} from '../../core/index.ts';
import type { Tier } from '../../model/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Lease, RunRow, Store } from '../../store/index.ts';
import { scopeOf } from '../research/scope.ts';
import { answerForm, type JsonSchema } from './answer-form.ts';
import { type Crew, type Models, openFailure, type Place } from './crew.ts';
import { byGraph } from './graph.ts';
import { ceilingsOf, type Limits, limitsOf, reserveOf } from './limits.ts';
import { byLoop, investigateAt } from './loop.ts';
import type { Material } from './material.ts';
import { report } from './report.ts';
import {
  type FinishedInvestigation,
  finishedInvestigation,
  investigationRow,
  investigationShape,
  type Params,
  paramsOf,
} from './run-row.ts';

export interface InvestigationRequest {
  /** Of the run; made where it isn't given. Throws `run_state` where it is taken. */
  readonly id?: string;
  readonly prompt: string;
  /** A value that JSON can hold: there in the sandbox as `context`, never in a prompt. */
  readonly context?: unknown;
  /** JSON Schema of the answer; without one the answer is a text, or whatever FINAL was given. */
  readonly schema?: JsonSchema;
  /** What the run is about, for lists: a folder, or the file of a workspace. */
  readonly root: string;
  /** Comma-separated globs; see core's scopes. */
  readonly scope?: string;
  readonly limits?: Partial<Limits>;
  /** Which model writes the code; `planner` where not said. */
  readonly outer?: Tier;
  /** Which model answers llm_query; `analyst` where not said. */
  readonly inner?: Tier;
  /** False: only the prompt and the result are kept. Default true. */
  readonly storeArtifacts?: boolean;
  /** What else the caller needs to start the run again. No secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface InvestigationSetting {
  readonly store: Store;
  readonly models: Models;
  readonly material: Material;
  /** With `investigationHelpers`. */
  readonly sandbox: Pick<Sandbox, 'open' | 'restore'>;
  readonly capabilities: ReadonlySet<Capability>;
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

const longestPrompt = 8_000;
/** Bytes as JSON. */
const largestContext = 4_000_000;

/** Throws `bad_argument` and `bad_pattern` before anything is written; after that every end but a bug is a result. */
export async function runInvestigation(
  request: InvestigationRequest,
  setting: InvestigationSetting,
): Promise<FinishedInvestigation> {
  const params = checkedParams(request, setting);
  const { runs } = setting.store;
  const row = runs.create({
    id: request.id ?? runId((setting.clock ?? systemClock).now()),
    shape: investigationShape,
    question: request.prompt.trim(),
    root: request.root,
    params: { ...params },
  });
  setting.onRun?.(row.id);
  return advance(row, runs.acquire(row.id), setting);
}

function checkedParams(
  request: InvestigationRequest,
  { models, capabilities }: InvestigationSetting,
): Params {
  const prompt = request.prompt.trim();
  if (prompt === '' || prompt.length > longestPrompt)
    throw new SondeError('bad_argument', {
      message: prompt === '' ? 'The question is empty' : `The question has ${prompt.length} characters`,
      remedy: `Ask something in 1 to ${longestPrompt} characters; pass longer text along as context.`,
    });
  if (!capabilities.has('SandboxRun'))
    throw new SondeError('bad_argument', {
      message: 'An investigation runs code, and the caller lacks the capability SandboxRun',
      remedy: 'Ask for a research instead.',
    });
  const { context = null, schema } = request;
  if (context !== null && Buffer.byteLength(JSON.stringify(context)) > largestContext)
    throw new SondeError('bad_argument', {
      message: `The context is larger than ${largestContext} bytes`,
      remedy: 'Put it into the material, and let the investigation search it.',
    });
  if (schema !== undefined) answerForm(schema);
  const scope = scopeOf(request.scope);
  return {
    ...(scope.text !== undefined && { scope: scope.text }),
    ...(context !== null && { context }),
    ...(schema !== undefined && { schema }),
    limits: limitsOf(request.limits),
    outer: request.outer ?? 'planner',
    inner: request.inner ?? 'analyst',
    store_artifacts: request.storeArtifacts ?? true,
    model: models.planner.name,
    ...(request.extra && { extra: request.extra }),
  };
}

/**
 * Takes up a run that a crash or a cancel ended, with its namespace, and gives the result of one that is finished.
 * What was recorded is not asked again. Throws `not_found`, and `run_state` while another process works on it.
 */
export async function resumeInvestigation(
  run: string,
  setting: InvestigationSetting,
): Promise<FinishedInvestigation> {
  const row = investigationRow(setting.store, run);
  setting.onRun?.(row.id);
  if (row.status === 'finished') {
    const known = finishedInvestigation(setting.store, row.id);
    prune(setting.store, row.id);
    return known;
  }
  return advance(row, setting.store.runs.acquire(row.id), setting);
}

/** The root of the tree, as the row of a run describes it. */
export function rootPlace(row: RunRow, pool: Pool): Place {
  const { scope, context, schema } = paramsOf(row);
  return {
    key: 'root',
    depth: 0,
    step: null,
    prompt: row.question,
    context: context ?? null,
    scope: scopeOf(scope),
    form: schema === undefined ? null : answerForm(schema),
    pool,
  };
}

/** How often the lease is renewed and the time worked is written down. Milliseconds. */
const heartbeatMs = 10_000;

async function advance(
  row: RunRow,
  lease: Lease,
  setting: InvestigationSetting,
): Promise<FinishedInvestigation> {
  const { store, models, clock = systemClock } = setting;
  const params = paramsOf(row);
  const failure = openFailure();
  const signal = setting.signal ?? new AbortController().signal;
  try {
    const log = heard(store.log(lease), setting.onEvent);
    // One transaction: what a crash left open is counted once, and told.
    store.atomic(() => {
      const recovered = store.ledger.recover(row.id, lease.fence);
      log.append('run-started', {
        kind: 'run_started',
        shape: row.shape,
        question: row.question,
        params: toldParams(params),
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
        failure.set(thrown);
      }
    }, heartbeatMs);
    heart.unref();
    try {
      const crew: Crew = {
        models,
        outer: params.outer,
        inner: params.inner,
        material: setting.material,
        capabilities: setting.capabilities,
        limits: params.limits,
        sandbox: setting.sandbox,
        snapshots: store.snapshots(lease),
        log,
        journal: store.journal(lease),
        atomic: store.atomic,
        synced: store.synced,
        clock,
        signal,
        random: setting.random ?? Math.random,
        sleep: setting.sleep ?? pause,
        seed: row.id,
        failure,
      };
      const state = await investigateAt(
        rootPlace(row, pool),
        crew,
        setting.form === 'graph' ? byGraph : byLoop,
      );
      failure.check();
      pool.tick();
      const end = await report(state, crew, { run: row.id, model: params.model, spent: pool.spent() });
      const cancelled = end.result.stop_reason === 'cancelled';
      log.append(cancelled ? `run-cancelled/${lease.fence}` : 'run-finished', {
        kind: 'run_finished',
        ...end,
        spent: end.result.spent,
      });
      if (!cancelled) store.runs.finish(row.id, lease);
      return cancelled ? end : finishedInvestigation(store, row.id);
    } finally {
      clearInterval(heart);
      if (!failure.signal.aborted) pool.close();
    }
  } finally {
    lease.release();
    prune(store, row.id);
  }
}

/** The context is in the row; a log that repeats it serves nobody. */
function toldParams({ context, ...params }: Params): Readonly<Record<string, unknown>> {
  return {
    ...params,
    ...(context !== undefined && { context: `${JSON.stringify(context).length} characters` }),
  };
}

/** The log, with somebody who listens. */
function heard(log: RunLog, listener: InvestigationSetting['onEvent']): RunLog {
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
