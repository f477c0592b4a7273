/** A conversation of a test: a workspace with its host, the agent beside it, and a model that follows a plan. */
import { vi } from 'vitest';
import type { Capability } from '../../core/index.ts';
import { capabilitySet, connectInMemory, type ToolHost } from '../../tools/index.ts';
import { type Agent, runAgent } from '../agent/agent.ts';
import type { AgentEvent } from '../agent/channel/channel.ts';
import { type AgentClient, agentClient, type TurnEndedEvent } from '../agent/channel/channel-client.ts';
import { memoryWires } from '../agent/channel/memory-wire.ts';
import { composeAgent, storesIn } from '../agent/compose-agent.ts';
import { loadConfiguration } from '../config/index.ts';
import { type OpenHost, openHost } from '../host/host.ts';
import { type ModelServer, modelServer, type Reply } from './model-server.ts';
import { environmentOf, newHome } from './run-sonde.ts';
import { createSmallWorld } from './small-world.ts';

export interface Conversation {
  readonly client: AgentClient;
  readonly events: readonly AgentEvent[];
  readonly model: ModelServer;
  readonly opened: OpenHost;
  /** Of the workspace's file. */
  readonly path: string;
  /** Prompts of the conversation's own planner, and all others. */
  prompts(): { readonly planner: readonly string[]; readonly others: readonly string[] };
  /** Carries a turn to its end. */
  send(prompt: string): Promise<TurnEndedEvent>;
  resume(): Promise<TurnEndedEvent>;
  /** To the question that the last turn asked. */
  answer(turnEnd: TurnEndedEvent, value: string): Promise<TurnEndedEvent>;
  cancel(): Promise<void>;
  /** All that is kept of conversations: checkpoints, with the messages in them. */
  readStored(): string;
  close(): Promise<void>;
}

export interface ConversationRequest {
  readonly reply: Reply;
  readonly pages?: Readonly<Record<string, string>>;
  readonly capabilities?: Iterable<Capability>;
  /** A folder that may be read, too. */
  readonly root?: string;
  readonly limits?: { readonly max_tokens?: number };
  /** What stands between the host and the agent. */
  readonly wrapHost?: (host: ToolHost) => ToolHost;
}

const thread = 'talk';
/** The same for all of a file, so that the sandbox is compiled once. */
const home = newHome();
let openedCount = 0;
const checkpointTables = ['langgraph_checkpoints', 'langgraph_writes', 'langgraph_lists', 'langgraph_pieces'];

export const decision = (
  text: string,
  ...calls: readonly (readonly [name: string, args: object])[]
): string =>
  JSON.stringify({ text, calls: calls.map(([name, args]) => ({ name, args: JSON.stringify(args) })) });

export const isPlanner = (prompt: string): boolean => prompt.includes('\n## The person\n');

/** What the last turn of a planner's page holds, from the person's message on. */
export const readLastTurn = (prompt: string): string => prompt.slice(prompt.lastIndexOf('\n## The person\n'));

export async function openConversation({
  reply,
  pages,
  capabilities: may = capabilitySet('agent'),
  root,
  limits = {},
  wrapHost = (host) => host,
}: ConversationRequest): Promise<Conversation> {
  openedCount += 1;
  const path = await createSmallWorld(home, pages, `world-${openedCount}`);
  const model = await modelServer(reply);
  const env = environmentOf({
    home,
    env: { OPENAI_BASE_URL: model.address, OPENAI_API_KEY: 'sk-test-0123456789' },
  });
  vi.stubEnv('SONDE_HOME', home);
  const folder = root === undefined ? {} : { root };
  const opened = await openHost({ workspace: path, ...folder });
  const caller = { kind: 'agent', name: 'agent', device: 'here', thread, channel: null } as const;
  const composed = await composeAgent({
    configuration: loadConfiguration({
      environment: env,
      // Its model answers planners and work that is handed on: it reads no claims.
      flags: { model: 'openai-compatible:planned', reader: 'off', ...limits },
    }),
    environment: env,
    open: storesIn(opened.open.database),
    workspace: opened.open.path,
    redact: opened.redact,
    confined: false,
    connect: () => connectInMemory(wrapHost(opened.host), { caller, capabilities: new Set(may) }),
    ...folder,
  });
  const [hostWire, agentWire] = memoryWires();
  const client = agentClient(hostWire);
  const agent: Agent = runAgent(agentWire, composed.ports);
  await client.ready;
  const events: AgentEvent[] = [];
  client.onEvent((_, event) => events.push(event));
  let sentCount = 0;
  const listEnds = () => events.flatMap((event) => (event.kind === 'turn_ended' ? [event] : []));

  async function turn(request: Parameters<AgentClient['request']>[0]): Promise<TurnEndedEvent> {
    const before = listEnds().length;
    const started = await client.request(request);
    if (started.status === 'error') throw new Error(started.message);
    return vi.waitUntil(() => listEnds()[before], { timeout: 600_000, interval: 5 });
  }

  return {
    client,
    events,
    model,
    opened,
    path,
    prompts() {
      const all = model.served.map(({ prompt }) => prompt);
      return { planner: all.filter(isPlanner), others: all.filter((prompt) => !isPlanner(prompt)) };
    },
    send(prompt) {
      sentCount += 1;
      return turn({ type: 'start_run', thread_id: thread, message_id: `m-${sentCount}`, prompt });
    },
    resume: () => turn({ type: 'resume', thread_id: thread }),
    answer: ({ questions }, value) =>
      turn({ type: 'resume', thread_id: thread, answer: { question: questions[0]!.id, value } }),
    async cancel() {
      await client.request({ type: 'cancel', thread_id: thread });
    },
    readStored() {
      const rows = checkpointTables.flatMap((table) => opened.open.database.all(`SELECT * FROM ${table}`));
      return rows
        .flatMap((row) => Object.values(row))
        .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value)))
        .join('\n');
    },
    async close() {
      await agent.close();
      await composed.close();
      await opened.close();
      await model.close();
    },
  };
}
