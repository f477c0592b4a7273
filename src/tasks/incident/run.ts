/** Runs an investigation from an alert to its delivered report: new, or taken up again. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Clock,
  isSondeError,
  type LoggedEvent,
  maskSecrets,
  openPool,
  type Pool,
  type RunLog,
  runId,
  type Signal,
  SondeError,
  systemClock,
} from '../../core/index.ts';
import type { Lease, RunRow, Store } from '../../store/index.ts';
import { alertLine } from './alert/alert.ts';
import { alertsIn } from './alert/shapes.ts';
import type { Crew, ErrorSink, Models } from './crew.ts';
import { deliverPartial } from './deliver/deliver.ts';
import type { Sink } from './deliver/sink.ts';
import { finished } from './finish.ts';
import { ceilingsOf, type Limits, limitsOf, reserveOf } from './limits.ts';
import {
  type FinishedIncident,
  finishedIncident,
  incidentRow,
  incidentShape,
  type Params,
  paramsOf,
  twinOf,
} from './run-row.ts';
import { pipeline } from './stages.ts';
import { initialState } from './state.ts';

export interface IncidentRequest {
  /** The alert as it was sent: JSON of any shape, or text. */
  readonly alert: string;
  /** What the run is about, for lists: a folder, or where the systems are. */
  readonly root: string;
  readonly limits?: Partial<Limits>;
  /** What counts as now; of a frozen incident the time of its alert. Milliseconds since the Unix epoch. */
  readonly now?: number;
  /** False: only the alert and the result are kept. Default true. */
  readonly storeArtifacts?: boolean;
  /** The run's id, where somebody has to know it before. */
  readonly id?: string;
  /** What else the caller needs to start the run again. No secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface IncidentSetting {
  readonly store: Store;
  readonly models: Models;
  readonly signals: readonly Signal[];
  /** Made for the run's id, since the local report has it in its path. */
  readonly sinks?: (run: string) => readonly Sink[];
  readonly errors?: ErrorSink;
  /** The budget that this is part of, where it is the work of another run. */
  readonly pool?: Pool;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly onRun?: (run: string) => void;
  readonly onEvent?: (event: LoggedEvent) => void;
  /** For tests: the jitter of retries, and the pause before them. */
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Characters. */
const longestAlert = 256_000;

/** Throws `bad_argument` before anything is written; after that every end but a bug is a result. */
export async function runIncident(
  request: IncidentRequest,
  setting: IncidentSetting,
): Promise<FinishedIncident> {
  const row = createIncident(request, setting);
  setting.onRun?.(row.id);
  return advance(row, setting.store.runs.acquire(row.id), setting);
}

/** Writes the run down without starting it: `resumeIncident` does. */
export function createIncident(
  request: IncidentRequest,
  { store, models, clock = systemClock }: Pick<IncidentSetting, 'store' | 'models' | 'clock'>,
): RunRow {
  if (request.alert.trim() === '' || request.alert.length > longestAlert)
    throw new SondeError('bad_argument', {
      message:
        request.alert.trim() === ''
          ? 'The alert is empty'
          : `The alert has ${request.alert.length} characters`,
      remedy: `Give the alert as it was sent, in 1 to ${longestAlert} characters.`,
    });
  const sent = maskSecrets(request.alert.trim());
  const alerts = alertsIn(sent);
  const first = alerts.find(({ state }) => state === 'firing') ?? alerts[0]!;
  const params: Params = {
    sent,
    fingerprint: first.fingerprint,
    now: request.now ?? clock.now(),
    limits: limitsOf(request.limits),
    store_artifacts: request.storeArtifacts ?? true,
    model: models.planner.name,
    ...(request.extra && { extra: request.extra }),
  };
  return store.runs.create({
    id: request.id ?? runId(clock.now()),
    shape: incidentShape,
    question: alertLine(first),
    root: request.root,
    params: { ...params },
  });
}

/** Takes up a run that a crash or a cancel ended, and gives what one that is finished ended with. */
export async function resumeIncident(run: string, setting: IncidentSetting): Promise<FinishedIncident> {
  const row = incidentRow(setting.store, run);
  setting.onRun?.(row.id);
  if (row.status === 'finished') {
    const known = finishedIncident(setting.store, row.id);
    prune(setting.store, row.id);
    return known;
  }
  return advance(row, setting.store.runs.acquire(row.id), setting);
}

/** How often the lease is renewed and the time worked is written down. Milliseconds. */
const heartbeatMs = 10_000;

async function advance(row: RunRow, lease: Lease, setting: IncidentSetting): Promise<FinishedIncident> {
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
    const terms = { limits: ceilingsOf(params.limits), reserve: reserveOf(params.limits) };
    const pool =
      setting.pool?.child(row.id, terms) ??
      openPool(store.ledger, { account: row.id, run: row.id, fence: lease.fence, ...terms, clock });
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
        run: row.id,
        models,
        signals: setting.signals,
        sinks: setting.sinks?.(row.id) ?? [],
        twin: (fingerprint) => twinOf(store, row.id, fingerprint),
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
      const state = await pipeline(
        initialState(params.sent, params.now),
        crew,
        async (stage, found, thrown) => {
          setting.errors?.report(thrown, { run: row.id, stage });
          // Without the lease nothing may be written, and another process goes on.
          if (!isSondeError(thrown, 'lease_lost') && !lost.signal.aborted)
            await deliverPartial(found, crew, stage);
        },
      );
      if (lost.signal.aborted) throw lost.signal.reason;
      pool.tick();
      const end = await finished(state, crew, pool.spent());
      const cancelled = end.result.stop_reason === 'cancelled';
      log.append(cancelled ? `run-cancelled/${lease.fence}` : 'run-finished', {
        kind: 'run_finished',
        result: end.result,
        spent: end.result.spent,
        incident: end.incident,
      });
      if (!cancelled) store.runs.finish(row.id, lease);
      return cancelled ? end : finishedIncident(store, row.id);
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
function heard(log: RunLog, listener: IncidentSetting['onEvent']): RunLog {
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
