/** Composes an agent from its models and the conversations of a workspace. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../core/index.ts';
import { isExtractive } from '../../model/extractive.ts';
import {
  type Database,
  openDatabase,
  openSessionsIn,
  openStoreIn,
  runsSchema,
  type Sessions,
  type Store,
  sessionSchema,
} from '../../store/index.ts';
import type { Configuration, Environment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { openModels } from '../models/models.ts';
import type { CallerParts } from '../runs/run-kind.ts';
import { maskCallerModels } from '../runs/run-models.ts';
import type { AgentPorts } from './agent.ts';
import type { AgentAbout } from './channel/channel.ts';
import { openShapes, shapesWithoutModel } from './shapes.ts';

export interface ComposedAgent {
  readonly ports: AgentPorts;
  readonly about: AgentAbout;
  readonly notes: readonly string[];
  /** Releases the leases of threads and runs, and closes the databases. */
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly configuration: Configuration;
  readonly environment: Environment;
  /** Opens conversations and their runs, which are closed with the agent. */
  readonly open: () => { readonly sessions: Sessions; readonly store: Store };
  readonly redact: (text: string) => string;
  readonly connect: AgentPorts['connect'];
  /** True: this process may read and write only conversations and runs. */
  readonly confined: boolean;
  /** A folder that the agent's work may read as well. */
  readonly root?: string;
  /** Tools and models that the calling program passes in. The host lists those tools as well. */
  readonly callerParts?: CallerParts;
  /** The file of the workspace. */
  readonly workspace: string;
  /** The name of the workspace, which the planner is told; absent: it is told none. */
  readonly name?: string;
}

/** Opens conversations and runs in the file of the workspace. */
export const storesIn =
  (database: Database): AgentOptions['open'] =>
  () => ({ sessions: openSessionsIn(database), store: openStoreIn(database) });

/** The only tables that an agent in a process of its own may use. */
export const agentTables = [runsSchema, sessionSchema] as const;

/** Opens the database of the account, which contains its roles and its memory. */
export function openAccount(
  { directories }: Pick<Configuration, 'directories'>,
  isConfined: boolean,
): Database {
  const path = join(directories.data, 'account.db');
  return openDatabase({
    path,
    holds: 'account',
    ...(isConfined ? { schemas: [], only: agentTables } : { schemas: agentTables }),
  });
}

/** The default time limit of a turn. It is long, since it includes delegated work. Milliseconds. */
const defaultTurnMs = 10 * 60_000;

/** Throws `model_config` if a configured model cannot be used. */
export async function composeAgent(setting: AgentOptions): Promise<ComposedAgent> {
  const { configuration, environment, redact, connect, confined, root } = setting;
  const { workspace, callerParts = {} } = setting;
  const { values, sources } = configuration;
  const { planner, analyst } =
    callerParts.models === undefined
      ? await openModels(values, environment, openMasker(configuration))
      : await openCallerModels(configuration, callerParts.models);
  const account = openAccount(configuration, confined);
  const { sessions, store } = setting.open();
  const accountSessions = openSessionsIn(account);
  const isModel = !isExtractive(planner.model);
  const models = { planner: planner.model, analyst: analyst.model };
  const close = async (): Promise<void> => {
    await sessions.close();
    await store.close();
    await accountSessions.close();
    account.close();
  };
  try {
    const request = {
      ...{ configuration, store, workspace, callerParts },
      ...models,
      ...(root && { root }),
    };
    const shapes = await (isModel ? openShapes(request) : shapesWithoutModel(request));
    const about = { model: planner.model.name, why: planner.why, reasons: isModel };
    return {
      about,
      notes: shapes.notes,
      ports: {
        about,
        ...models,
        sessions,
        store,
        ...(!isModel && {
          plan: async () => (await import('../../session/index.ts')).planWithoutModel,
        }),
        connect,
        ...(isModel && {
          check: async (answer, reader) =>
            (await import('../../tasks/check/turn.ts')).createTurnChecker(store)(answer, reader),
          reader: values.reader === 'on',
        }),
        dispatcher: shapes.dispatcher,
        place: {
          ...(setting.name !== undefined && { workspace: setting.name }),
          zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        },
        roles: { workspace: sessions.roles, account: accountSessions.roles },
        roleMode: values.roles,
        ...(values.auto_compact !== 'off' && { autoCompact: values.auto_compact }),
        limits: {
          tokens: values.max_tokens,
          usd: values.max_usd,
          wall_ms: sources.max_time === 'default' ? defaultTurnMs : values.max_time,
        },
        clock: systemClock,
        random: Math.random,
        sleep: (ms, signal) => sleep(ms, undefined, { signal }),
        prices: values.prices,
        redact,
        mask: openMasker(configuration),
      },
      async close() {
        await shapes.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openCallerModels(
  configuration: Configuration,
  callerParts: NonNullable<CallerParts['models']>,
) {
  const { planner, analyst } = (await maskCallerModels(configuration, callerParts)).models;
  const why = 'chosen by the calling program';
  return { planner: { model: planner, why }, analyst: { model: analyst, why } };
}
