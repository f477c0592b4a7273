/**
 * The agent of a workspace for editors, by the Agent Client Protocol. A session is a conversation, and stays when the
 * editor goes. Text that was not checked yet is sent as thoughts; the checked answer follows. The editor asks the
 * person to accept or reject what the agent proposed; what is left open waits in the inbox.
 */
import { randomUUID } from 'node:crypto';
import {
  type AgentConnection,
  type AgentContext,
  agent,
  type ContentBlock,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk';
import { type Amounts, type Caller, isSondeError, messageOf } from '../../core/index.ts';
import type { Message } from '../../session/index.ts';
import type { Sessions } from '../../store/index.ts';
import type { World } from '../../world/index.ts';
import { type AgentEvent, threadId, threadNote } from '../agent/channel/channel.ts';
import type { AgentClient, TurnEndedEvent, TurnRequest } from '../agent/channel/channel-client.ts';
import { changesIn } from '../http/feed/changes.ts';
import { askPerson } from './permissions.ts';
import { callUpdate, toStartedCall, toToolCall } from './updates.ts';

/** The agent that sessions talk with, and its workspace. */
export interface AcpAgent {
  readonly client: AgentClient;
  readonly sessions: Pick<Sessions, 'threads'>;
  readonly messages: (thread: string) => Promise<readonly Message[]>;
  readonly world: World;
  /** The limits of each turn; null: those of the agent. */
  readonly limits: Amounts | null;
}

export interface AcpPorts {
  /** The agent stays open until the work has ended. */
  use<Value>(work: (agent: AcpAgent) => Promise<Value>): Promise<Value>;
  /** As `use`, for work that starts a turn. If a server has opened the workspace meanwhile, its agent does the work. */
  begin<Value>(work: (agent: AcpAgent) => Promise<Value>): Promise<Value>;
  readonly person: Caller;
  readonly version: string;
}

const textUpdate = (
  kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
  text: string,
): SessionUpdate => ({
  sessionUpdate: kind,
  content: { type: 'text', text },
});

/** Serves one editor, until the stream closes. */
export function connectAcp(stream: Stream, ports: AcpPorts): AgentConnection {
  /** The agent whose turn runs in each session, by session id. */
  const running = new Map<string, AgentClient>();

  async function requireSession(sessionId: string, { sessions }: AcpAgent): Promise<string> {
    if (threadId.safeParse(sessionId).success && (await sessions.threads.has(sessionId))) return sessionId;
    throw RequestError.resourceNotFound(sessionId);
  }

  async function load(
    sessionId: string,
    at: AcpAgent,
    update: (one: SessionUpdate) => Promise<void>,
  ): Promise<void> {
    const messages = await at.messages(await requireSession(sessionId, at));
    const results = new Map(messages.flatMap((each) => (each.kind === 'tool' ? [[each.call, each]] : [])));
    for (const one of messages) {
      if (one.kind === 'user' || one.kind === 'steer')
        await update(textUpdate('user_message_chunk', one.text));
      if (one.kind === 'compact') await update(textUpdate('agent_thought_chunk', one.form.summary));
      if (one.kind !== 'assistant') continue;
      const updateKind = one.calls.length === 0 ? 'agent_message_chunk' : 'agent_thought_chunk';
      if (one.text !== '') await update(textUpdate(updateKind, one.text));
      for (const { id, name, args } of one.calls) {
        const ok = results.get(id)?.ok === true;
        await update({ ...toToolCall(id, name, JSON.stringify(args)), status: ok ? 'completed' : 'failed' });
      }
    }
  }

  /** One turn. Its events are sent while it runs. */
  async function turn(
    thread: string,
    text: string,
    at: AcpAgent,
    update: (one: SessionUpdate) => Promise<void>,
  ): Promise<{ readonly ended: TurnEndedEvent; readonly written: ReadonlySet<string> }> {
    const { client, world } = at;
    const request = await requestFor(thread, text, at);
    const changesOf = changesIn(world);
    const written = new Set<string>();
    const turnId = randomUUID().slice(0, 8);
    /** Sends events in order, and all of them before the turn's end. */
    let sending = Promise.resolve();
    const tell = (one: SessionUpdate): void => {
      sending = sending.then(() => update(one));
    };
    const outcome = await client.turn(request, (event: AgentEvent) => {
      if (event.kind === 'text') tell(textUpdate('agent_thought_chunk', event.piece));
      if (event.kind === 'tool_started') tell(toStartedCall(turnId, event));
      if (event.kind === 'tool_finished') {
        const changes = event.write_id === null ? [] : changesOf(event.write_id);
        for (const { id } of changes) for (const one of [id, world.block(id)?.page ?? id]) written.add(one);
        tell(callUpdate(turnId, event, { workspace: world.workspace.name, changes }));
      }
    });
    if ('type' in outcome) throw RequestError.internalError(undefined, outcome.message);
    await sending;
    return { ended: outcome, written };
  }

  /** The prompt answers an open question, if there is one; otherwise it starts a turn, and drops an unfinished turn. */
  async function requestFor(
    thread: string,
    text: string,
    { client, limits }: AcpAgent,
  ): Promise<TurnRequest> {
    const observed = await client.request({ type: 'observe', thread_id: thread });
    const { state, questions } = threadNote.parse(observed.details);
    if (state === 'unfinished') await client.request({ type: 'cancel', thread_id: thread, drop: true });
    const [question] = state === 'interrupted' ? questions : [];
    return question === undefined
      ? {
          ...{ type: 'start_run', thread_id: thread, message_id: `acp-${randomUUID()}`, prompt: text },
          ...(limits !== null && { limits }),
        }
      : { type: 'resume', thread_id: thread, answer: { question: question.id, value: text } };
  }

  async function prompt(
    sessionId: string,
    blocks: readonly ContentBlock[],
    context: AgentContext,
    at: AcpAgent,
  ) {
    const { client, world } = at;
    const thread = await requireSession(sessionId, at);
    const update = (one: SessionUpdate): Promise<void> =>
      context.notify(methods.client.session.update, { sessionId, update: one });
    const text = blocks.map(textOf).join('\n\n').trim();
    if (text === '') throw RequestError.invalidParams(undefined, 'The prompt has no text');
    running.set(sessionId, client);
    const { ended, written } = await turn(thread, text, at, update).finally(() => running.delete(sessionId));
    const { status, questions } = ended;
    if (status === 'failed') throw RequestError.internalError(undefined, ended.text);
    const asked = questions.map(({ value }) => (value as { readonly question?: unknown }).question);
    for (const text of [ended.text, ...asked])
      if (typeof text === 'string' && text !== '' && status !== 'cancelled')
        await update(textUpdate('agent_message_chunk', text));
    if (status !== 'cancelled') await askPerson(written, { sessionId, context, world, person: ports.person });
    return {
      stopReason:
        status === 'cancelled' || status === 'dropped'
          ? ('cancelled' as const)
          : status === 'exhausted'
            ? ('max_tokens' as const)
            : ('end_turn' as const),
    };
  }

  return agent({ name: 'sonde' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'sonde', title: 'Sonde', version: ports.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true, image: false, audio: false },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async () => {
      const id = `acp-${new Date().toISOString().slice(0, 10)}-${randomUUID().slice(0, 8)}`;
      await ports.use(({ sessions }) => sessions.threads.create({ id }));
      return { sessionId: id };
    })
    .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client: context }) => {
      const tell = (update: SessionUpdate) =>
        context.notify(methods.client.session.update, { sessionId, update });
      await ports.use((at) => load(sessionId, at, tell));
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params, client: context }) =>
      ports
        .begin((at) => prompt(params.sessionId, params.prompt, context, at))
        .catch((thrown: unknown) => {
          if (!isSondeError(thrown)) throw thrown;
          throw RequestError.internalError(undefined, `${messageOf(thrown)} ${thrown.remedy ?? ''}`.trim());
        }),
    )
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      await ports.use(async (at) => {
        const client = running.get(sessionId) ?? at.client;
        await client.request({ type: 'cancel', thread_id: await requireSession(sessionId, at) });
      });
    })
    .connect(stream);
}

/** Throws for kinds of content that the agent does not declare. */
function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `${block.name}: ${block.uri}`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `${resource.uri}:\n${resource.text}`;
      throw RequestError.invalidParams(undefined, `${resource.uri} is not text`);
    }
    default:
      throw RequestError.invalidParams(undefined, `Content of the type ${block.type} is not accepted`);
  }
}
