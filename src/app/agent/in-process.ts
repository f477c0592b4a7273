/** Host and agent in one process, for one command: the channel and the tools' protocol are both in memory. */
import { hostname } from 'node:os';
import type { Caller } from '../../core/index.ts';
import type { Plan } from '../../session/index.ts';
import type { Sessions, Store } from '../../store/index.ts';
import { loadConfiguration, processEnvironment, type SettingKey } from '../config/index.ts';
import { type HostRequest, type OpenHost, openHost } from '../host.ts';
import { resolveRoot } from '../root.ts';
import { version } from '../version.ts';
import { type Agent, serveAgent } from './agent.ts';
import { type AgentClient, agentClient } from './channel-client.ts';
import { type ComposedAgent, composeAgent } from './compose-agent.ts';
import { memoryWires } from './memory-wire.ts';

export interface LocalAgent {
  readonly client: AgentClient;
  readonly about: ComposedAgent['about'];
  readonly opened: OpenHost;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** The agent, as the host of tools knows it: who it is in which conversation. */
export function agentCaller(sessions: Sessions, thread: string, schedule: string | null): Caller {
  const { threads } = sessions;
  const channel = threads.has(thread) ? threads.get(thread).channel : null;
  const who = { name: 'world-agent', thread, channel };
  // Told apart in the log of events, and by nothing else.
  return schedule === null
    ? { ...who, kind: 'agent', device: hostname() }
    : { ...who, kind: 'schedule', device: `schedule ${schedule}` };
}

export interface LocalAgentRequest extends HostRequest {
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  /** The schedule that a thread's turn comes from; null: a person. */
  readonly scheduleOf?: (thread: string) => string | null;
  /** Used in place of the planner by a command that knows what to do. */
  readonly plan?: Plan;
}

/** Throws what a missing workspace, a wrong setting, an unusable model throw. */
export async function openLocalAgent({
  settings = {},
  scheduleOf = () => null,
  plan,
  ...request
}: LocalAgentRequest): Promise<LocalAgent> {
  const { root } = request;
  const environment = processEnvironment();
  const configuration = loadConfiguration({ environment, flags: { ...settings } });
  const opened = await openHost(request);
  let composed: ComposedAgent | undefined;
  try {
    const { capabilitySet, connectInMemory } = await import('../../tools/index.ts');
    const capabilities = capabilitySet('agent');
    const made = await composeAgent({
      configuration,
      environment,
      database: opened.open.database,
      redact: opened.redact,
      confined: false,
      ...(root !== undefined && { root: resolveRoot(root) }),
      connect: (thread) =>
        connectInMemory(
          opened.host,
          { caller: agentCaller(made.ports.sessions, thread, scheduleOf(thread)), capabilities },
          version(),
        ),
    });
    composed = made;
    const [here, there] = memoryWires();
    const client = agentClient(here);
    const agent: Agent = serveAgent(there, { ...made.ports, ...(plan && { plan }) });
    await client.ready;
    return {
      client,
      about: made.about,
      opened,
      sessions: made.ports.sessions,
      store: made.ports.store,
      notes: [...new Set([...opened.notes, ...configuration.notes, ...made.notes])],
      async close() {
        await agent.close();
        await made.close();
        await opened.close();
      },
    };
  } catch (error) {
    await composed?.close();
    await opened.close();
    throw error;
  }
}
