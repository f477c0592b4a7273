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
import { changeFinder } from '../http/feed/changes.ts';
import { askPerson } from './permissions.ts';
import { toCallUpdate, toStartedCall, toToolCall } from './updates.ts';

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
  /** Like `use`, for work that starts a turn. `work` gets the agent of a server if one has opened the workspace. */
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

  async function replayMessages(
    sessionId: string,
    acpAgent: AcpAgent,
    update: (update: SessionUpdate) => Promise<void>,
  ): Promise<void> {
    const messages = await acpAgent.messages(await requireSession(sessionId, acpAgent));
    const results = new Map(
      messages.flatMap((message) => (message.kind === 'tool' ? [[message.call, message]] : [])),
    );
    for (const message of messages) {
      if (message.kind === 'user' || message.kind === 'steer')
        await update(textUpdate('user_message_chunk', message.text));
      if (message.kind === 'compact') await update(textUpdate('agent_thought_chunk', message.form.summary));
      if (message.kind !== 'assistant') continue;
      const updateKind = message.calls.length === 0 ? 'agent_message_chunk' : 'agent_thought_chunk';
      if (message.text !== '') await update(textUpdate(updateKind, message.text));
      for (const { id, name, args } of message.calls) {
        const ok = results.get(id)?.ok === true;
        await update({ ...toToolCall(id, name, JSON.stringify(args)), status: ok ? 'completed' : 'failed' });
      }
    }
  }

  /** One turn. Its events are sent while it runs. */
  async function runTurn(
    thread: string,
    text: string,
    acpAgent: AcpAgent,
    update: (update: SessionUpdate) => Promise<void>,
  ): Promise<{ readonly turnEnd: TurnEndedEvent; readonly written: ReadonlySet<string> }> {
    const { client, world } = acpAgent;
    const request = await createTurnRequest(thread, text, acpAgent);
    const changesOf = changeFinder(world);
    const written = new Set<string>();
    const turnId = randomUUID().slice(0, 8);
    /** Sends events in order, and all of them before the turn's end. */
    let sending = Promise.resolve();
    const tell = (sessionUpdate: SessionUpdate): void => {
      sending = sending.then(() => update(sessionUpdate));
    };
    const outcome = await client.turn(request, (event: AgentEvent) => {
      if (event.kind === 'text') tell(textUpdate('agent_thought_chunk', event.piece));
      if (event.kind === 'tool_started') tell(toStartedCall(turnId, event));
      if (event.kind === 'tool_finished') {
        const changes = event.write_id === null ? [] : changesOf(event.write_id);
        for (const { id } of changes)
          for (const contentId of [id, world.block(id)?.page ?? id]) written.add(contentId);
        tell(toCallUpdate(turnId, event, { workspace: world.workspace.name, changes }));
      }
    });
    if ('type' in outcome) throw RequestError.internalError(undefined, outcome.message);
    await sending;
    return { turnEnd: outcome, written };
  }

  /** The prompt answers an open question, if there is one; otherwise it starts a turn, and drops an unfinished turn. */
  async function createTurnRequest(
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
    acpAgent: AcpAgent,
  ) {
    const { client, world } = acpAgent;
    const thread = await requireSession(sessionId, acpAgent);
    const update = (sessionUpdate: SessionUpdate): Promise<void> =>
      context.notify(methods.client.session.update, { sessionId, update: sessionUpdate });
    const text = blocks.map(toText).join('\n\n').trim();
    if (text === '') throw RequestError.invalidParams(undefined, 'The prompt has no text');
    running.set(sessionId, client);
    const { turnEnd, written } = await runTurn(thread, text, acpAgent, update).finally(() =>
      running.delete(sessionId),
    );
    const { status, questions } = turnEnd;
    if (status === 'failed') throw RequestError.internalError(undefined, turnEnd.text);
    const questionTexts = questions.map(({ value }) => (value as { readonly question?: unknown }).question);
    for (const text of [turnEnd.text, ...questionTexts])
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
      await ports.use((acpAgent) => replayMessages(sessionId, acpAgent, tell));
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params, client: context }) =>
      ports
        .begin((acpAgent) => prompt(params.sessionId, params.prompt, context, acpAgent))
        .catch((thrown: unknown) => {
          if (!isSondeError(thrown)) throw thrown;
          throw RequestError.internalError(undefined, `${messageOf(thrown)} ${thrown.remedy ?? ''}`.trim());
        }),
    )
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      await ports.use(async (acpAgent) => {
        const client = running.get(sessionId) ?? acpAgent.client;
        await client.request({ type: 'cancel', thread_id: await requireSession(sessionId, acpAgent) });
      });
    })
    .connect(stream);
}

/** Throws for kinds of content that the agent does not declare. */
function toText(block: ContentBlock): string {
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
