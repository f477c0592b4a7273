/**
 * The channel to an agent in the same process. Messages are still serialized as JSON, so that the two ends share no
 * object by accident.
 */
import type { Wire } from './channel.ts';

interface WireEnd extends Wire {
  deliver(text: string): void;
}

function createEnd(otherEnd: () => WireEnd): WireEnd {
  const waitingMessages: string[] = [];
  let listener: ((value: unknown) => void) | undefined;
  return {
    send(value) {
      const text = JSON.stringify(value) ?? 'null';
      queueMicrotask(() => otherEnd().deliver(text));
    },
    onMessage(newListener) {
      listener = newListener;
      for (const text of waitingMessages.splice(0)) newListener(JSON.parse(text));
    },
    deliver(text) {
      if (listener === undefined) waitingMessages.push(text);
      else listener(JSON.parse(text));
    },
  };
}

export function memoryWires(): readonly [host: Wire, agent: Wire] {
  const host: WireEnd = createEnd(() => agent);
  const agent: WireEnd = createEnd(() => host);
  return [host, agent];
}
