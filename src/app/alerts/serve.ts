/** The alert intake, composed: endpoint, queue and desk over the database of the runs. */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { runId, SondeError, systemClock } from '../../core/index.ts';
import { databaseFile, loadConfiguration, processEnvironment, type SettingKey } from '../config/index.ts';
import { limitsFrom, openIncident } from '../incident.ts';
import { alertDesk } from './desk.ts';
import { alertEndpoint, type Endpoint } from './endpoint.ts';
import { alertQueue } from './queue.ts';

export interface ServeAlertsRequest {
  readonly port: number;
  /** A folder with a frozen incident, instead of the systems that are configured. */
  readonly replay?: string;
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly tell: (line: string) => void;
}

export interface AlertServer {
  readonly address: Endpoint['address'];
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** After an investigation, alerts of the same group start no other for so long. Milliseconds. */
const quietMs = 30 * 60_000;
/** A storm is kept before the first investigation of it takes the processor. Milliseconds. */
const settleMs = 1_000;
const shortestToken = 16;

/** Throws `bad_config` where there is no token. */
export async function serveAlerts({
  port,
  replay,
  settings = {},
  tell,
}: ServeAlertsRequest): Promise<AlertServer> {
  const configuration = loadConfiguration({ environment: processEnvironment(), flags: settings });
  const { values, directories } = configuration;
  const token = values.alerts_token?.reveal() ?? '';
  if (token.length < shortestToken)
    throw new SondeError('bad_config', {
      message:
        token === ''
          ? 'There is no token for those who send alerts'
          : `The token for alerts is shorter than ${shortestToken} characters`,
      remedy: 'Set SONDE_ALERTS_TOKEN, or name a file that holds it with SONDE_ALERTS_TOKEN_FILE.',
    });
  const folder = replay === undefined ? null : resolve(replay);
  const [{ openDatabase, openStoreIn }, { createIncident, resumeIncident }] = await Promise.all([
    import('../../store/index.ts'),
    import('../../tasks/index.ts'),
  ]);
  const path = databaseFile(directories);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const closers: (() => Promise<void> | void)[] = [() => db.close()];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const store = openStoreIn(db);
    closers.push(() => store.close());
    const open = await openIncident(
      configuration,
      folder,
      { onNote: (note) => tell(`note: ${note}`) },
      store,
    );
    closers.push(() => open.close());
    const queue = alertQueue({ db, clock: systemClock, most: values.alerts_queue, quietMs });
    const desk = alertDesk({
      queue,
      workers: values.alerts_workers,
      settleMs,
      tell,
      create: ({ sent }) =>
        createIncident(
          {
            alert: sent,
            root: folder ?? process.cwd(),
            limits: limitsFrom(configuration),
            storeArtifacts: values.store_artifacts,
            id: runId(systemClock.now()),
            extra: { replay: folder },
            ...(open.signals.now !== null && { now: open.signals.now }),
          },
          { store, models: open.setting.models },
        ).id,
      async work(run, signal) {
        const { incident } = await resumeIncident(run, { ...open.setting, signal });
        tell(`${run} ${incident.verdict}: ${incident.root_cause.slice(0, 160)}`);
      },
    });
    closers.push(() => desk.close());
    const endpoint = await alertEndpoint({ queue, token, port, onAlerts: () => desk.wake(), tell });
    closers.push(() => endpoint.close());
    desk.wake();
    return { address: endpoint.address, idle: () => desk.idle(), close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
