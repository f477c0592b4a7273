/** What an agent is made of: its models, and the conversations of a workspace's database. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../core/index.ts';
import { isExtractive } from '../../model/index.ts';
import { planWithoutModel } from '../../session/index.ts';
import {
  type Database,
  openDatabase,
  openSessionsIn,
  openStoreIn,
  runsSchema,
  sessionSchema,
} from '../../store/index.ts';
import type { Configuration, Environment } from '../config/index.ts';
import { openModels } from '../models.ts';
import type { AgentPorts } from './agent.ts';

export interface ComposedAgent {
  readonly ports: AgentPorts;
  /** For people: which model plans, and why. */
  readonly about: { readonly model: string; readonly why: string; readonly reasons: boolean };
  /** Gives leases back; the database stays its owner's. */
  close(): void;
}

export interface AgentSetting {
  readonly configuration: Configuration;
  readonly environment: Environment;
  /** Of the workspace. */
  readonly database: Database;
  readonly redact: (text: string) => string;
  readonly connect: AgentPorts['connect'];
  /** True: this process may reach conversations and runs, and nothing else. */
  readonly confined: boolean;
}

/** How long to wait for another process that writes, in milliseconds. */
const busyMs = 10_000;

/** All that an agent in a process of its own may reach of a file. */
export const agentTables = [runsSchema, sessionSchema] as const;

/** Roles of the account lie beside its memory. */
export function openAccount(
  { directories }: Pick<Configuration, 'directories'>,
  confined: boolean,
): Database {
  const path = join(directories.data, 'account.db');
  return openDatabase({
    path,
    busyMs,
    ...(confined ? { schemas: [], only: agentTables } : { schemas: agentTables }),
  });
}

/** Throws `model_config` for a model that was named and cannot be used. */
export async function composeAgent(setting: AgentSetting): Promise<ComposedAgent> {
  const { configuration, environment, database, redact, connect, confined } = setting;
  const { values } = configuration;
  const { planner, analyst } = await openModels(values, environment);
  const account = openAccount(configuration, confined);
  const sessions = openSessionsIn(database);
  const store = openStoreIn(database);
  const ofAccount = openSessionsIn(account);
  const reasons = !isExtractive(planner.model);
  return {
    about: { model: planner.model.name, why: planner.why, reasons },
    ports: {
      sessions,
      store,
      planner: planner.model,
      analyst: analyst.model,
      ...(!reasons && { plan: planWithoutModel }),
      connect,
      roles: { workspace: sessions.roles, account: ofAccount.roles },
      roleMode: values.roles,
      limits: { tokens: values.max_tokens, usd: values.max_usd, wall_ms: values.max_time },
      clock: systemClock,
      random: Math.random,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      prices: values.prices,
      redact,
    },
    close() {
      sessions.close();
      store.close();
      ofAccount.close();
      account.close();
    },
  };
}
