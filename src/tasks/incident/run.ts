/** Runs an investigation from an alert to its delivered report: new, or taken up again. */
import {
  isSondeError,
  plainMask,
  runId,
  type Signal,
  SondeError,
  type SystemMask,
  systemClock,
} from '../../core/index.ts';
import type { RunRow } from '../../store/index.ts';
import { type LifeSetting, liveRun } from '../run-life.ts';
import { alertLine } from './alert/alert.ts';
import { cutAlert } from './alert/cut.ts';
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

export interface IncidentSetting extends LifeSetting {
  readonly models: Models;
  readonly signals: readonly Signal[];
  /** Hides the secrets in the alert and in what the systems say, each behind a mark of its own. */
  readonly mask?: SystemMask;
  /** Made for the run's id, since the local report has it in its path. */
  readonly sinks?: (run: string) => readonly Sink[];
  readonly errors?: ErrorSink;
}

/** Throws `bad_argument` before anything is written; after that every end but a bug is a result. */
export async function runIncident(
  request: IncidentRequest,
  setting: IncidentSetting,
): Promise<FinishedIncident> {
  return carried(createIncident(request, setting), setting);
}

/** Writes the run down without starting it: `resumeIncident` does. */
export function createIncident(
  request: IncidentRequest,
  {
    store,
    models,
    clock = systemClock,
    mask = plainMask,
  }: Pick<IncidentSetting, 'store' | 'models' | 'clock' | 'mask'>,
): RunRow {
  if (request.alert.trim() === '')
    throw new SondeError('bad_argument', {
      message: 'The alert is empty',
      remedy: 'Give the alert as it was sent.',
    });
  const sent = cutAlert(mask.system(request.alert.trim()));
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
  return carried(incidentRow(setting.store, run), setting);
}

async function carried(row: RunRow, setting: IncidentSetting): Promise<FinishedIncident> {
  const { store } = setting;
  const params = paramsOf(row);
  return liveRun(row, setting, {
    terms: { limits: ceilingsOf(params.limits), reserve: reserveOf(params.limits) },
    ended: (run) => finishedIncident(store, run),
    async work({ lost, pool, ...life }) {
      const crew: Crew = {
        ...life,
        pool,
        run: row.id,
        models: setting.models,
        signals: setting.signals,
        ...(setting.mask && { mask: setting.mask }),
        sinks: setting.sinks?.(row.id) ?? [],
        twin: (fingerprint) => twinOf(store, row.id, fingerprint),
        limits: params.limits,
      };
      const state = await pipeline(
        initialState(params.sent, params.now),
        crew,
        async (stage, found, thrown) => {
          setting.errors?.report(thrown, { run: row.id, stage });
          // Without the lease nothing may be written, and another process goes on.
          if (!isSondeError(thrown, 'lease_lost') && !lost.aborted) await deliverPartial(found, crew, stage);
        },
      );
      lost.throwIfAborted();
      pool.tick();
      return finished(state, crew, pool.spent());
    },
  });
}
