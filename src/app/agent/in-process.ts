/** Runs host and agent in one process, for one command: the channel and the protocol of the tools are in memory. */
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

/** The identity with which the agent calls tools in one conversation. */
export async function agentCaller(
  { threads }: Pick<Sessions, 'threads'>,
  thread: string,
  schedule: string | null,
): Promise<Caller> {
  const channel = (await threads.has(thread)) ? (await threads.get(thread)).channel : null;
  const identity = { name: 'world-agent', thread, channel };
  // For a turn of a schedule only the event log names the schedule.
  return schedule === null
    ? { ...identity, kind: 'agent', device: hostname() }
    : { ...identity, kind: 'schedule', device: `schedule ${schedule}` };
}

export interface LocalAgentRequest extends Omit<HostRequest, 'tools' | 'runStore'> {
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** The schedule that a thread's turn comes from; null: a person. */
  readonly scheduleOf?: (thread: string) => string | null;
  /** Decides in place of the model, for commands with fixed steps. */
  readonly plan?: Plan;
  /** Tools and models that the calling program passes in. */
  readonly callerParts?: CallerParts;
}

/** Opens the file that the calling program chose for conversations and their runs, separate from the workspace. */
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

/** Opens host and agent in this process. Throws if the workspace is missing, a setting is wrong or a model unusable. */
export async function openLocalAgent({
  settings = {},
  scheduleOf = () => null,
  plan,
  callerParts: givenParts = {},
  ...request
}: LocalAgentRequest): Promise<LocalAgent> {
  const { root } = request;
  const environment = processEnvironment();
  const configuration = loadConfiguration({ environment, flags: { ...settings } });
  const callerParts = await guardCallerTools(givenParts, configuration);
  const conversationFile =
    givenParts.store === undefined ? undefined : await openConversationFile(givenParts.store);
  const openedHost = await openHost({
    ...request,
    ...(callerParts.tools !== undefined && { tools: callerParts.tools }),
    ...(conversationFile !== undefined && { runStore: conversationFile }),
  }).catch((error: unknown) => {
    conversationFile?.close();
    throw error;
  });
  const closeHost = async (): Promise<void> => {
    await openedHost.close();
    conversationFile?.close();
  };
  let composed: ComposedAgent | undefined;
  try {
    const { capabilitySet, connectInMemory } = await import('../../tools/index.ts');
    const capabilities = capabilitySet('agent');
    const composedAgent = await composeAgent({
      configuration,
      environment,
      open: storesIn(conversationFile ?? openedHost.open.database),
      workspace: openedHost.open.path,
      name: openedHost.open.world.workspace.name,
      callerParts,
      redact: openedHost.redact,
      confined: false,
      ...(root !== undefined && { root: resolveRoot(root) }),
      connect: async (thread) =>
        connectInMemory(
          openedHost.host,
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
      opened: openedHost,
      sessions: composedAgent.ports.sessions,
      store: composedAgent.ports.store,
      notes: [...new Set([...openedHost.notes, ...configuration.notes, ...composedAgent.notes])],
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

/** The agent that a command uses: that of the server that has the workspace open, or one in this process. */
export interface OpenAgent {
  readonly client: AgentClient;
  readonly about: AgentAbout;
  readonly world: World;
  readonly database: Database;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly notes: readonly string[];
  /** True: it is the agent of a server; false: it runs in this process. */
  readonly served: boolean;
  /** Limits of each turn, from the flags of the command; null: the agent's own limits apply. */
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
  const findSuccessor = async (): Promise<OpenAgent | null> =>
    // A server creates this file before it uses the workspace.
    existsSync(`${path}.serving`)
      ? (await import('./port/over-port.ts')).openServedAgent(path, configuration, request)
      : null;
  const servedAgent = await findSuccessor();
  if (servedAgent !== null) return servedAgent;
  const { opened, ...local } = await openLocalAgent({ workspace, settings, ...rest });
  const { world, database } = opened.open;
  return { ...local, world, database, served: false, limits: null, successor: findSuccessor };
}
