/** Matches live reports of tool calls with the calls in the messages: the two have different ids. */
import type { Message } from '../../api/types.ts';
import type { LiveCall } from './use-thread.ts';

export interface Pairs {
  readonly of: ReadonlyMap<string, LiveCall>;
  /** Heard of, and in no message yet. */
  readonly alone: readonly LiveCall[];
}

/** Calls of one name are matched in order; if a summary replaced older messages, from the last one backwards. */
export function pairsOf(messages: readonly Message[], heard: readonly LiveCall[]): Pairs {
  const calls = messages.flatMap((message) => message.calls);
  const ids = new Set(calls.map(({ id }) => id));
  const of = new Map(heard.filter(({ call }) => ids.has(call)).map((one) => [one.call, one]));
  const rest = Map.groupBy(
    heard.filter(({ call }) => !ids.has(call)),
    ({ name }) => name,
  );
  const open = Map.groupBy(
    calls.filter(({ id }) => !of.has(id)),
    ({ name }) => name,
  );
  const isCut = messages.some(({ kind }) => kind === 'compact');
  const alone: LiveCall[] = [];
  for (const [name, all] of rest) {
    const places = open.get(name) ?? [];
    const shift = isCut ? Math.max(0, all.length - places.length) : 0;
    for (const [n, one] of all.entries()) {
      const place = places[n - shift];
      if (place !== undefined) of.set(place.id, one);
      else if (n >= shift) alone.push(one);
    }
  }
  return { of, alone };
}
