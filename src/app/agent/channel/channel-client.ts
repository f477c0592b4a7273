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
   * Sends a request and resolves with the agent's reply, even if it is a refusal. Rejects if the agent ends first. A
   * request without an id gets one.
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
  /** Rejects all open requests and turns, because no agent is left to answer them. */
  endAll(error?: SondeError): void;
}

export function agentClient(wire: Wire): AgentClient {
  const pendingReplies = new Map<string, PromiseWithResolvers<AgentReply>>();
  const eventListeners = new Set<AgentEventListener>();
  const replyListeners = new Set<(reply: AgentReply) => void>();
  const waitListeners = new Set<(waiting: AgentWaiting) => void>();
  const agentLost = Promise.withResolvers<never>();
  agentLost.promise.catch(() => {});
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
        const waitingReply = output.id === null ? undefined : pendingReplies.get(output.id);
        if (output.id !== null) pendingReplies.delete(output.id);
        waitingReply?.resolve(output);
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
    // Output that the schema refuses, such as that of another version, is ignored.
    const parsedOutput = agentOutput.safeParse(value);
    if (parsedOutput.success) receive(parsedOutput.data);
  });
  function request(message: AgentRequest, id: string = randomUUID()): Promise<AgentReply> {
    const replyPromise = Promise.withResolvers<AgentReply>();
    pendingReplies.set(id, replyPromise);
    wire.send({ ...message, id });
    return replyPromise.promise;
  }
  return {
    ready: ready.promise,
    request,
    async turn(message, listener = () => {}, id = randomUUID()) {
      const turnEnd = Promise.withResolvers<TurnEndedEvent | AgentReply>();
      const onOwnEvent: AgentEventListener = (_, event, requestId) => {
        if (requestId !== id) return;
        listener(event);
        if (event.kind === 'turn_ended') turnEnd.resolve(event);
      };
      const listenForError = (reply: AgentReply): void => {
        if (reply.id === id && reply.status === 'error') turnEnd.resolve(reply);
      };
      eventListeners.add(onOwnEvent);
      replyListeners.add(listenForError);
      try {
        await request(message, id);
        return await Promise.race([turnEnd.promise, agentLost.promise]);
      } finally {
        eventListeners.delete(onOwnEvent);
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
      agentLost.reject(error);
      for (const pending of pendingReplies.values()) pending.reject(error);
      pendingReplies.clear();
    },
  };
}
