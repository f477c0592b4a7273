/** The host's end of the channel. */
import { randomUUID } from 'node:crypto';
import { SondeError } from '../../core/index.ts';
import {
  type AgentEvent,
  type AgentMessage,
  type AgentOutput,
  type AgentReply,
  agentOutput,
  type Wire,
} from './channel.ts';

type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id'> : never;
export type AgentRequest = WithoutId<AgentMessage>;
export type Ended = Extract<AgentEvent, { kind: 'turn_ended' }>;
export type Heard = (thread: string, event: AgentEvent) => void;

export interface AgentClient {
  /** Resolves when the agent takes messages. Throws `tool_failed` where it cannot. */
  readonly ready: Promise<void>;
  /** The agent's reply, whatever it says. Rejects where the agent went away before. */
  request(request: AgentRequest): Promise<AgentReply>;
  /** Sent as it is: what comes of it is a reply without an id. */
  sendRaw(value: unknown): void;
  onEvent(heard: Heard): () => void;
  onReply(heard: (reply: AgentReply) => void): () => void;
  /** Whoever waits for a reply hears that nobody is left to give it. */
  gone(): void;
}

export function agentClient(wire: Wire): AgentClient {
  const waiting = new Map<string, PromiseWithResolvers<AgentReply>>();
  const events = new Set<Heard>();
  const replies = new Set<(reply: AgentReply) => void>();
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  const endReplies = () =>
    new SondeError('tool_failed', {
      message: 'The agent has gone away',
      remedy: 'What it was at can be resumed.',
    });

  function take(output: AgentOutput): void {
    switch (output.type) {
      case 'reply': {
        for (const heard of replies) heard(output);
        const asked = output.id === null ? undefined : waiting.get(output.id);
        if (output.id !== null) waiting.delete(output.id);
        asked?.resolve(output);
        return;
      }
      case 'event':
        for (const heard of events) heard(output.thread_id, output.event);
        return;
      case 'lifecycle':
        if (output.state === 'ready') ready.resolve();
        else ready.reject(new SondeError('tool_failed', { message: output.message }));
    }
  }

  wire.onMessage((value) => {
    // What an agent of another version says is nothing that could be acted on.
    const read = agentOutput.safeParse(value);
    if (read.success) take(read.data);
  });
  return {
    ready: ready.promise,
    request(request) {
      const id = randomUUID();
      const asked = Promise.withResolvers<AgentReply>();
      waiting.set(id, asked);
      wire.send({ ...request, id });
      return asked.promise;
    },
    sendRaw: (value) => wire.send(value),
    onEvent(heard) {
      events.add(heard);
      return () => events.delete(heard);
    },
    onReply(heard) {
      replies.add(heard);
      return () => replies.delete(heard);
    },
    gone() {
      ready.reject(endReplies());
      for (const asked of waiting.values()) asked.reject(endReplies());
      waiting.clear();
    },
  };
}
