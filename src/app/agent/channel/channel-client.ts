/** The host's end of the channel. */
import { randomUUID } from 'node:crypto';
import { SondeError } from '../../../core/index.ts';
import {
  type AgentEvent,
  type AgentMessage,
  type AgentOutput,
  type AgentReply,
  type AgentWaiting,
  agentOutput,
  type Wire,
} from './channel.ts';

type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id'> : never;
export type AgentRequest = WithoutId<AgentMessage>;
export type TurnEndedEvent = Extract<AgentEvent, { kind: 'turn_ended' }>;
export type TurnRequest = Extract<AgentRequest, { type: 'start_run' | 'workspace_event' | 'resume' }>;
/** `request`: the id of the message that the event belongs to. */
export type AgentEventListener = (thread: string, event: AgentEvent, request: string) => void;

export interface AgentClient {
  /** Resolves when the agent accepts messages. Rejects with `tool_failed` if it cannot start. */
  readonly ready: Promise<void>;
  /**
   * The agent's reply, also if it is a refusal. Rejects if the agent goes away first. A request without an id gets one.
   */
  request(request: AgentRequest, id?: string): Promise<AgentReply>;
  /**
   * Begins a turn and resolves with the end of that turn, or with the reply that refused it or says that it was left.
   * `listener` gets the events of this turn only. Rejects if the agent goes away before the end.
   */
  turn(
    request: TurnRequest,
    listener?: (event: AgentEvent) => void,
    id?: string,
  ): Promise<TurnEndedEvent | AgentReply>;
  /** Sends any value, for tests of wrong messages. The reply to it has no id. */
  sendRaw(value: unknown): void;
  onEvent(listener: AgentEventListener): () => void;
  onReply(listener: (reply: AgentReply) => void): () => void;
  /** Calls the listener when a turn of this client has to wait. */
  onWaiting(listener: (waiting: AgentWaiting) => void): () => void;
  /** Rejects all open requests and turns: no agent is left to answer them. */
  endAll(error?: SondeError): void;
}

export function agentClient(wire: Wire): AgentClient {
  const pendingReplies = new Map<string, PromiseWithResolvers<AgentReply>>();
  const eventListeners = new Set<AgentEventListener>();
  const replyListeners = new Set<(reply: AgentReply) => void>();
  const waitListeners = new Set<(waiting: AgentWaiting) => void>();
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  const agentGoneError = () =>
    new SondeError('tool_failed', {
      message: 'The agent has gone away',
      remedy: 'Its unfinished work can be resumed.',
    });

  function receive(output: AgentOutput): void {
    switch (output.type) {
      case 'reply': {
        for (const listener of replyListeners) listener(output);
        const pending = output.id === null ? undefined : pendingReplies.get(output.id);
        if (output.id !== null) pendingReplies.delete(output.id);
        pending?.resolve(output);
        return;
      }
      case 'event':
        for (const listener of eventListeners) listener(output.thread_id, output.event, output.request);
        return;
      case 'waiting':
        for (const listener of waitListeners) listener(output);
        return;
      case 'lifecycle':
        if (output.state === 'ready') ready.resolve();
        else ready.reject(new SondeError('tool_failed', { message: output.message }));
    }
  }

  wire.onMessage((value) => {
    // Output that does not fit the contract, such as of another version, is ignored.
    const parsed = agentOutput.safeParse(value);
    if (parsed.success) receive(parsed.data);
  });
  function request(message: AgentRequest, id: string = randomUUID()): Promise<AgentReply> {
    const pending = Promise.withResolvers<AgentReply>();
    pendingReplies.set(id, pending);
    wire.send({ ...message, id });
    return pending.promise;
  }
  return {
    ready: ready.promise,
    request,
    async turn(message, listener = () => {}, id = randomUUID()) {
      const end = Promise.withResolvers<TurnEndedEvent | AgentReply>();
      const listen: AgentEventListener = (_, event, requestId) => {
        if (requestId !== id) return;
        listener(event);
        if (event.kind === 'turn_ended') end.resolve(event);
      };
      const listenForError = (reply: AgentReply): void => {
        if (reply.id === id && reply.status === 'error') end.resolve(reply);
      };
      eventListeners.add(listen);
      replyListeners.add(listenForError);
      try {
        await request(message, id);
        return await Promise.race([end.promise, lost.promise]);
      } finally {
        eventListeners.delete(listen);
        replyListeners.delete(listenForError);
      }
    },
    sendRaw: (value) => wire.send(value),
    onEvent(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    onReply(listener) {
      replyListeners.add(listener);
      return () => replyListeners.delete(listener);
    },
    onWaiting(listener) {
      waitListeners.add(listener);
      return () => waitListeners.delete(listener);
    },
    endAll(error = agentGoneError()) {
      ready.reject(error);
      lost.reject(error);
      for (const pending of pendingReplies.values()) pending.reject(error);
      pendingReplies.clear();
    },
  };
}
