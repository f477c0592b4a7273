/** Sets up the alert intake: endpoint and queue in this process, investigations in another. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError, systemClock } from '../../core/index.ts';
import type { AgentClient } from '../agent/channel/channel-client.ts';
import { startChild } from '../agent/channel/child-wire.ts';
import { keysOfAgent } from '../agent/keys.ts';
import { supervise } from '../agent/supervise.ts';
import { openRuns } from '../compose.ts';
import {
  databaseFile,
  type Environment,
  loadConfiguration,
  processEnvironment,
  type SettingKey,
} from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { openRunMeasures } from '../runs/run-metrics.ts';
import type { ServerPart } from '../server/server-part.ts';
import { watchStore } from '../team/store-watch.ts';
import { openAlertTokenCheck } from '../tokens/alert-token-check.ts';
import { alertPart } from './alert-part.ts';
import { alertGroups } from './groups.ts';
import type { InvestigatorSetting } from './investigator.ts';
import { openAlertStore } from './open-alert-store.ts';
import { alertQueue } from './queue.ts';
import { snsReader } from './sns.ts';
import { storeCheck } from './store-ready.ts';

export interface AlertIntakeRequest {
  /** A folder with a recorded incident, instead of the configured systems. */
  readonly replay?: string;
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** The environment of the process that investigates, with the keys of models, systems and reports. */
  readonly environment: Environment;
  readonly tell: (line: string) => void;
}

export interface AlertIntake {
  readonly part: ServerPart;
  /** A line that says where to get a token; null: senders use the configured key. */
  readonly hint: string | null;
  close(): Promise<void>;
}

/** For how long after an investigation further alerts of the same group start no new one. Milliseconds. */
const quietMs = 30 * 60_000;
const minTokenLength = 16;

/** Throws `bad_config` if the configured token is too short, or if nothing can be investigated with these settings. */
export async function openAlertIntake({
  replay,
  settings = {},
  environment,
  tell,
}: AlertIntakeRequest): Promise<AlertIntake> {
  const configuration = loadConfiguration({
    environment: processEnvironment(),
    flags: settings,
    ignoredSettings: keysOfAgent,
  });
  const { values, directories } = configuration;
  const token = values.alerts_token?.reveal() ?? '';
  if (token !== '' && token.length < minTokenLength)
    throw new SondeError('bad_config', {
      message: `The token for alerts is shorter than ${minTokenLength} characters`,
      remedy: 'Set SONDE_ALERTS_TOKEN, or name a file that holds it with SONDE_ALERTS_TOKEN_FILE.',
    });
  const isShared = values.store === 'postgres';
  if (isShared && replay !== undefined)
    throw new SondeError('bad_argument', {
      message: '--replay has no effect here: with a shared store, workers investigate',
      remedy: 'Give it to sonde worker --signals.',
    });
  const { records, queue: jobQueue, close: closeStore } = await openAlertStore(configuration, '');
  const closers: (() => Promise<void> | void)[] = [closeStore];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne();
  };
  try {
    const queue = alertQueue({
      records,
      queue: jobQueue,
      mask: openMasker(configuration),
      max: values.alerts_queue,
      quietMs,
      ...(values.alerts_group_by.length > 0 && { groupBy: values.alerts_group_by }),
    });
    const groups = alertGroups(records, jobQueue);
    const storeWatch = isShared ? watchStore(() => records.check(), tell) : null;
    closers.push(() => storeWatch?.close());
    const whyNotStored =
      storeWatch === null ? storeCheck(records, systemClock, tell) : async () => storeWatch.reasonAway();
    const path = databaseFile(directories);
    const setting = {
      database: path,
      replay: replay === undefined ? null : resolve(replay),
      settings: JSON.parse(JSON.stringify(settings)) as Record<string, unknown>,
    };
    // With a shared store the workers investigate; this process has no keys and starts no investigator.
    const investigator = isShared ? workersInvestigate : await startInvestigator(setting, environment, tell);
    closers.push(() => investigator.close());
    const tokenCheck = openAlertTokenCheck(directories, token);
    closers.push(() => tokenCheck.close());
    // Opened at the first request for metrics: the investigations have the store open in their own process.
    const runs = openRunMeasures(() => openRuns(configuration, isShared ? { team: '' } : { file: path }));
    closers.push(() => runs.close());
    const part = alertPart({
      measures: runs.measure,
      queue,
      groups,
      tokenCheck,
      ...(values.alerts_sns_topics.length > 0 && {
        sns: snsReader({ topics: values.alerts_sns_topics, clock: systemClock }),
      }),
      onAlerts: () => investigator.wake(),
      tell,
      notReady: async () => investigator.whyAway() ?? (await whyNotStored()),
    });
    return { part: part, hint: tokenCheck.hint, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Investigator {
  /** Tells the investigator that groups are waiting. */
  wake(): void;
  /** Why alerts cannot be investigated now; null if they can. */
  whyAway(): string | null;
  close(): Promise<void>;
}

/** For a shared store: workers find waiting groups without being told. */
const workersInvestigate: Investigator = { wake() {}, whyAway: () => null, close: async () => {} };

/** Starts the investigator, and restarts it if it dies. Throws `bad_config` if the first one does not become ready. */
async function startInvestigator(
  setting: InvestigatorSetting,
  environment: Environment,
  tell: (line: string) => void,
): Promise<Investigator> {
  const firstReady = Promise.withResolvers<void>();
  let client: AgentClient | null = null;
  const supervisor = supervise({
    start: () => startChild(setting, environment, 'investigator'),
    onUp(agentClient) {
      client = agentClient;
      firstReady.resolve();
    },
    onDown(why, wasRequested) {
      client = null;
      if (!wasRequested) tell(`the process that investigates ended: ${why}`);
      firstReady.reject(
        new SondeError('bad_config', {
          message: `Alerts cannot be investigated: ${why}`,
          remedy: 'Correct the settings, and start the server again.',
        }),
      );
    },
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  });
  try {
    await firstReady.promise;
  } catch (error) {
    await supervisor.close();
    throw error;
  }
  return {
    wake: () => client?.sendRaw({ type: 'wake' }),
    whyAway: () => (client === null ? 'the process that investigates is being started' : null),
    close: () => supervisor.close(),
  };
}
