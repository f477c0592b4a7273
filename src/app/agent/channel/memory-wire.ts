/**
 * The channel to an agent in the same process. Messages are serialized as JSON all the same, so that no object is
 * shared by accident.
 */
import type { Wire } from './channel.ts';

interface WireEnd extends Wire {
  deliver(text: string): void;
}

function createEnd(other: () => WireEnd): WireEnd {
  const waiting: string[] = [];
  let listener: ((value: unknown) => void) | undefined;
  return {
    send(value) {
      const text = JSON.stringify(value) ?? 'null';
      queueMicrotask(() => other().deliver(text));
    },
    onMessage(newListener) {
      listener = newListener;
      for (const text of waiting.splice(0)) newListener(JSON.parse(text));
    },
    deliver(text) {
      if (listener === undefined) waiting.push(text);
      else listener(JSON.parse(text));
    },
  };
}

export function memoryWires(): readonly [host: Wire, agent: Wire] {
  const host: WireEnd = createEnd(() => agent);
  const agent: WireEnd = createEnd(() => host);
  return [host, agent];
}
