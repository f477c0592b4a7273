/** The kind of run that investigates an alert, from the received message to the delivered report. */
import {
  isSondeError,
  plainMask,
  type ReadChangedNames,
  type Signal,
  SondeError,
  type SystemMask,
  systemClock,
} from '../../core/index.ts';
import type { RunRow, RunTable } from '../../store/index.ts';
import { splitPoolForClaims } from '../check/claim-handling.ts';
import { defineRun, type RunParams, type RunRequest } from '../define-run.ts';
import type { Drive } from '../drive.ts';
import { missingRecordError, replayModel } from '../replay-life.ts';
import type { LifeSetting, LiveRun } from '../run-life.ts';
import { createUnfinishedError } from '../run-row.ts';
import { alertLine } from './alert/alert.ts';
import { cutAlert } from './alert/cut.ts';
import { readAlerts } from './alert/split-message.ts';
import { deliverPartial } from './deliver/deliver.ts';
import type { Sink } from './deliver/sink.ts';
import { findEarlierThread } from './deliver/thread.ts';
import { usesOlderRules } from './diagnose/diagnose.ts';
import { type FinishedIncident, finishIncident } from './finish.ts';
import { type Library, libraryStep } from './library/library.ts';
import { listPastReports } from './library/past.ts';
import { ceilingsOf, type Limits, limitsOf, reserveOf } from './limits.ts';
import { createVersion01Error, isVersion01 } from './old-version.ts';
import type { ErrorSink, Models, RunContext } from './run-context.ts';
import type { IncidentOffer } from './shape.ts';
import { runStages } from './stages.ts';
import { initialState } from './state.ts';

export interface IncidentRequest extends RunRequest {
  /** The alert as it was sent: JSON of any shape, or text. */
  readonly alert: string;
  readonly limits?: Partial<Limits>;
  /** The present time; for a frozen incident the time of its alert. Milliseconds since the Unix epoch. */
  readonly now?: number;
  /** Whether a model decides claims that code leaves open. */
  readonly reader?: boolean;
}

export interface IncidentPorts {
  readonly models: Models;
  readonly signals: readonly Signal[];
  /** Masks secrets in the alert and in answers of systems, each by a mark of its own. */
  readonly mask?: SystemMask;
  /** Made for the run's id, since the local report has it in its path. */
  readonly sinks?: (run: string) => readonly Sink[];
  readonly errors?: ErrorSink;
  /** The pages of the folder of runbooks. */
  readonly runbooks?: Library['runbooks'];
  /** Whether results of earlier runs about the same alert are shown. */
  readonly earlier?: boolean;
  /** Drives the stages; by default the run does so itself. */
  readonly drive?: Drive;
  /** Finds the definitions that a diff touches. Absent: only the words of the diff are compared. */
  readonly changedNames?: ReadChangedNames;
}

export type IncidentSetting = LifeSetting & IncidentPorts;

/** The parameters in the row of a run, enough to start it again. */
export interface IncidentParams extends RunParams {
  /** The alert as it was sent, with secrets masked. */
  readonly sent: string;
  readonly fingerprint: string;
  /** The time that counts as now, in milliseconds since the Unix epoch. */
  readonly now: number;
  readonly limits: Limits;
  /** Absent in runs of versions without it. */
  readonly reader?: boolean;
}

export interface IncidentTypes {
  readonly request: IncidentRequest;
  readonly params: IncidentParams;
  readonly ports: IncidentPorts;
  readonly end: FinishedIncident;
  /** In a replay, the signals only provide names and schemas of questions; none of them is queried. */
  readonly given: readonly Signal[];
  readonly replayed: FinishedIncident;
  readonly offer: IncidentOffer;
}

export const incidentRun = defineRun<IncidentTypes>({
  shape: 'incident',
  params(request, { clock = systemClock, mask = plainMask }) {
    if (request.alert.trim() === '')
      throw new SondeError('bad_argument', {
        message: 'The alert is empty',
        remedy: 'Give the alert as it was sent.',
      });
    const sent = cutAlert(mask.system(request.alert.trim()));
    const alerts = readAlerts(sent);
    const first = alerts.find(({ state }) => state === 'firing') ?? alerts[0]!;
    return {
      question: alertLine(first),
      params: {
        sent,
        fingerprint: first.fingerprint,
        now: request.now ?? clock.now(),
        limits: limitsOf(request.limits),
        reader: request.reader ?? false,
      },
    };
  },
  limits: ({ limits }) => ({ limits: ceilingsOf(limits), reserve: reserveOf(limits) }),
  async work(
    { row, params, runs, ended },
    { models, signals, mask, sinks, errors, drive, runbooks, changedNames, earlier = false },
    { lost, ...life },
  ) {
    if (isVersion01(life.recorded)) throw createVersion01Error(row.id);
    const { planner, analyst = planner } = models;
    const { limits, reader } = params;
    const handling = { reader, models: { planner, analyst }, limits, reserve: reserveOf(limits) };
    const { pool, claimHandling } = splitPoolForClaims(life.pool, handling);
    const context: RunContext = {
      ...life,
      pool,
      readerPool: claimHandling.readerPool,
      run: row.id,
      models,
      signals,
      ...(mask && { mask }),
      ...(changedNames && { changedNames }),
      sinks: sinks?.(row.id) ?? [],
      thread: (sink) => findEarlierThread({ row, runs, ended }, sink),
      otherRun: (fingerprint) => findOtherRun(runs, row, fingerprint),
      limits,
      ...((runbooks !== undefined || earlier || hasLibrary(life)) && {
        library: {
          ...(runbooks && { runbooks }),
          past: async (fingerprint) => (earlier ? listPastReports({ row, runs, ended }, fingerprint) : []),
        },
      }),
    };
    const state = await runStages(
      initialState(params.sent, params.now),
      context,
      async (stage, found, thrown) => {
        errors?.report(thrown, { run: row.id, stage });
        // Without the lease, this process may write nothing; another process continues the run.
        if (!isSondeError(thrown, 'lease_lost') && !lost.aborted && !life.replayed)
          await deliverPartial(found, context, stage);
      },
      drive,
    );
    lost.throwIfAborted();
    return finishIncident(state, context, life.spent());
  },
  result({ result, incident: found }, run) {
    if (found === undefined) throw createUnfinishedError(run);
    return { result, incident: found };
  },
  requiredKey: 'resolve/systems',
  async replay({ row, recordedEnd, given, journal }, work) {
    if (isVersion01(journal) || usesOlderRules(journal, recordedEnd.incident)) return recordedEnd;
    const sinks = recordedEnd.incident.deliveries.map(
      ({ sink }): Sink => ({
        name: sink,
        idempotent: true,
        deliver: () => Promise.reject(missingRecordError(row.id, `the delivery to ${sink}`)),
      }),
    );
    return work({
      models: {
        planner: replayModel('planner', { row, journal }),
        analyst: replayModel('analyst', { row, journal }),
      },
      signals: given,
      sinks: () => sinks,
    });
  },
  task: async () => (await import('./shape.ts')).incidentTask,
});

/** Whether this replays a run that recorded runbooks and earlier reports. */
const hasLibrary = ({ replayed, recorded }: Pick<LiveRun, 'replayed' | 'recorded'>): boolean =>
  replayed && recorded.recall(libraryStep) !== undefined;

/**
 * Returns the oldest unfinished run of the same alert that a process works on. A later one may be a duplicate itself.
 */
async function findOtherRun(
  runs: Pick<RunTable, 'list' | 'isHeld'>,
  runRow: RunRow,
  fingerprint: string,
): Promise<string | null> {
  const twins = (await runs.list(200))
    .filter(
      ({ id, shape, status, params }) =>
        shape === runRow.shape &&
        status === 'running' &&
        (params as unknown as IncidentParams).fingerprint === fingerprint &&
        id < runRow.id,
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id } of twins) if (await runs.isHeld(id)) return id;
  return null;
}
