/** Investigations of what waits, composed: a desk over the database of the runs, and the systems to look at. */
import { runId, systemClock } from '../../core/index.ts';
import { openDatabase, openStoreIn } from '../../store/index.ts';
import { createIncident, cutAlert, resumeIncident } from '../../tasks/index.ts';
import type { Configuration } from '../config/index.ts';
import { limitsFrom, openIncident } from '../incident.ts';
import { type AlertDesk, alertDesk } from './desk.ts';
import { knownRun, openGroupsIn } from './open-groups.ts';

export interface InvestigationsOptions {
  readonly configuration: Configuration;
  /** The file of the runs. */
  readonly database: string;
  /** A folder with a frozen incident, instead of the systems that are configured. */
  readonly replay: string | null;
  readonly tell: (line: string) => void;
}

const busyMs = 60_000;
/** A storm is kept before the first investigation of it takes the processor. Milliseconds. */
const settleMs = 1_000;

export interface Investigations extends Pick<AlertDesk, 'wake' | 'idle'> {
  close(): Promise<void>;
}

export async function openInvestigations({
  configuration,
  database,
  replay,
  tell,
}: InvestigationsOptions): Promise<Investigations> {
  const db = openDatabase({ path: database, schemas: [], busyMs });
  const store = openStoreIn(db);
  const incidents = await openIncident(
    configuration,
    replay,
    { onNote: (note) => tell(`note: ${note}`) },
    store,
  );
  const { setting, signals } = incidents;
  const desk = alertDesk({
    groups: openGroupsIn(db, store),
    workers: configuration.values.alerts_workers,
    settleMs,
    tell,
    create: (group) =>
      // One that failed and waits again goes on with its run, where that is still there.
      (group.run === null ? null : knownRun(store, group.run)) ??
      createIncident(
        {
          // What an older version kept may be longer than what is taken today.
          alert: cutAlert(group.sent),
          root: replay ?? process.cwd(),
          limits: limitsFrom(configuration),
          storeArtifacts: configuration.values.store_artifacts,
          id: runId(systemClock.now()),
          extra: { replay },
          ...(signals.now !== null && { now: signals.now }),
        },
        { store, models: setting.models },
      ).id,
    async work(run, signal) {
      const { incident } = await resumeIncident(run, { ...setting, signal });
      tell(`${run} ${incident.verdict}: ${incident.root_cause.slice(0, 160)}`);
    },
  });
  return {
    wake: desk.wake,
    idle: desk.idle,
    async close() {
      await desk.close();
      await incidents.close();
      store.close();
      db.close();
    },
  };
}
