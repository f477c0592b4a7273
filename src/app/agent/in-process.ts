/** Host and agent in one process, for one command: the channel and the tools' protocol are both in memory. */
import { existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Amounts, Caller } from '../../core/index.ts';
import type { Plan } from '../../session/index.ts';
import type { Database, Sessions, Store } from '../../store/index.ts';
import type { World } from '../../world/index.ts';
import {
  type Configuration,
  loadConfiguration,
  processEnvironment,
  type SettingKey,
  workspaceFile,
} from '../config/index.ts';
import { type HostRequest, type OpenHost, openHost } from '../host/host.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import type { CallerParts } from '../runs/run-kind.ts';
import { version } from '../version.ts';
import { type Agent, runAgent } from './agent.ts';
import type { AgentAbout } from './channel/channel.ts';
import { type AgentClient, agentClient } from './channel/channel-client.ts';
import { memoryWires } from './channel/memory-wire.ts';
import { agentTables, type ComposedAgent, composeAgent, storesIn } from './compose-agent.ts';

export interface LocalAgent {
  readonly client: AgentClient;
  readonly about: ComposedAgent['about'];
  readonly opened: OpenHost;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** The agent as a caller of tools, in one conversation. */
export async function agentCaller(
  { threads }: Pick<Sessions, 'threads'>,
  thread: string,
  schedule: string | null,
): Promise<Caller> {
  const channel = (await threads.has(thread)) ? (await threads.get(thread)).channel : null;
  const who = { name: 'world-agent', thread, channel };
  // For a turn of a schedule only the event log names the schedule.
  return schedule === null
    ? { ...who, kind: 'agent', device: hostname() }
    : { ...who, kind: 'schedule', device: `schedule ${schedule}` };
}

export interface LocalAgentRequest extends Omit<HostRequest, 'tools' | 'kept'> {
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** The schedule that a thread's turn comes from; null: a person. */
  readonly scheduleOf?: (thread: string) => string | null;
  /** Decides in place of the model. For commands whose steps are fixed. */
  readonly plan?: Plan;
  /** Tools and models that the calling program passes in. */
  readonly callerParts?: CallerParts;
}

/** Opens the file for conversations and their runs that the calling program names, apart from the workspace. */
async function openConversationFile(path: string): Promise<Database> {
  const { openDatabase } = await import('../../store/index.ts');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openDatabase({ path, schemas: agentTables });
}

async function guardCallerTools(
  callerParts: CallerParts,
  configuration: Configuration,
): Promise<CallerParts> {
  if (callerParts.tools === undefined) return callerParts;
  const { guardTool } = await import('../../catalogue/index.ts');
  const mask = openMasker(configuration);
  return { ...callerParts, tools: callerParts.tools.map((tool) => guardTool(tool, mask)) };
}

/** Throws the errors of a missing workspace, a wrong setting or an unusable model. */
export async function openLocalAgent({
  settings = {},
  scheduleOf = () => null,
  plan,
  callerParts: given = {},
  ...request
}: LocalAgentRequest): Promise<LocalAgent> {
  const { root } = request;
  const environment = processEnvironment();
  const configuration = loadConfiguration({ environment, flags: { ...settings } });
  const callerParts = await guardCallerTools(given, configuration);
  const kept = given.store === undefined ? undefined : await openConversationFile(given.store);
  const opened = await openHost({
    ...request,
    ...(callerParts.tools !== undefined && { tools: callerParts.tools }),
    ...(kept !== undefined && { runStore: kept }),
  }).catch((error: unknown) => {
    kept?.close();
    throw error;
  });
  const closeHost = async (): Promise<void> => {
    await opened.close();
    kept?.close();
  };
  let composed: ComposedAgent | undefined;
  try {
    const { capabilitySet, connectInMemory } = await import('../../tools/index.ts');
    const capabilities = capabilitySet('agent');
    const composedAgent = await composeAgent({
      configuration,
      environment,
      open: storesIn(kept ?? opened.open.database),
      workspace: opened.open.path,
      name: opened.open.world.workspace.name,
      callerParts,
      redact: opened.redact,
      confined: false,
      ...(root !== undefined && { root: resolveRoot(root) }),
      connect: async (thread) =>
        connectInMemory(
          opened.host,
          {
            caller: await agentCaller(composedAgent.ports.sessions, thread, scheduleOf(thread)),
            capabilities,
          },
          version(),
        ),
    });
    composed = composedAgent;
    const [here, there] = memoryWires();
    const client = agentClient(here);
    const agent: Agent = runAgent(there, {
      ...composedAgent.ports,
      ...(plan && { plan: async () => plan }),
    });
    await client.ready;
    return {
      client,
      about: composedAgent.about,
      opened,
      sessions: composedAgent.ports.sessions,
      store: composedAgent.ports.store,
      notes: [...new Set([...opened.notes, ...configuration.notes, ...composedAgent.notes])],
      async close() {
        await agent.close();
        await composedAgent.close();
        await closeHost();
      },
    };
  } catch (error) {
    await composed?.close();
    await closeHost();
    throw error;
  }
}

/** The agent of a workspace, as a command uses it: that of the running server, or one of its own. */
export interface OpenAgent {
  readonly client: AgentClient;
  readonly about: AgentAbout;
  readonly world: World;
  readonly database: Database;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly notes: readonly string[];
  /** Whether it is the agent of a server. */
  readonly served: boolean;
  /** The limits of each turn, if this command was given any. Null: the limits of the agent. */
  readonly limits: Amounts | null;
  /**
   * The agent of a server that has opened the workspace meanwhile: the caller must use it from now on and close this
   * one. Null: there is no such server, or this is its agent. Throws if the server lacks the requested model or folder.
   */
  successor(): Promise<OpenAgent | null>;
  close(): Promise<void>;
}

export interface OpenAgentRequest {
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** A folder of code that the agent may read. */
  readonly root?: string;
  /** The schedule that a thread's turn comes from; null: a person. */
  readonly scheduleOf?: (thread: string) => string | null;
  /** Aborting it ends the wait for a server that is gone. */
  readonly signal?: AbortSignal;
}

/**
 * Throws as opening a workspace, settings and models does, and `run_state` for what the agent of a server cannot do.
 */
export async function openAgent(request: OpenAgentRequest): Promise<OpenAgent> {
  const { settings, signal: _, ...rest } = request;
  const configuration = loadConfiguration({ environment: processEnvironment(), flags: settings });
  const { workspace } = configuration.values;
  const path = workspaceFile(configuration.directories, workspace);
  const successor = async (): Promise<OpenAgent | null> =>
    // A server creates this file before it uses the workspace.
    existsSync(`${path}.serving`)
      ? (await import('./port/over-port.ts')).openServedAgent(path, configuration, request)
      : null;
  const served = await successor();
  if (served !== null) return served;
  const { opened, ...local } = await openLocalAgent({ workspace, settings, ...rest });
  const { world, database } = opened.open;
  return { ...local, world, database, served: false, limits: null, successor };
}
