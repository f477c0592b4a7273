/** A pool and a journal in memory, which record what was done to them. For tests. */
import type { Amounts, Journal, Reserved } from '../core/index.ts';
import type { CallSetting } from './call.ts';
import type { Meter, Spent } from './meter.ts';
import type { Model } from './model.ts';

export interface MemoryMeter extends Meter {
  readonly log: string[];
  spent(resource: 'tokens' | 'usd' | 'calls'): number;
  readonly open: ReadonlyMap<string, Amounts>;
}

export function memoryMeter(limits: Amounts = {}): MemoryMeter {
  const log: string[] = [];
  const open = new Map<string, Amounts>();
  const settled: Amounts[] = [];
  const total = (list: Iterable<Amounts>, resource: keyof Amounts) =>
    [...list].reduce((sum, amounts) => sum + (amounts[resource] ?? 0), 0);
  const close = ({ id }: Reserved) => {
    if (!open.delete(id)) throw new Error(`${id} is not open`);
  };
  return {
    log,
    open,
    spent: (resource) => total(settled, resource),
    reserve(attempt, amounts) {
      for (const resource of ['tokens', 'usd', 'calls'] as const) {
        const limit = limits[resource];
        const spent = total(settled, resource);
        const held = total(open.values(), resource);
        const requested = amounts[resource] ?? 0;
        if (limit !== undefined && spent + held + requested > limit) {
          log.push(`exhausted ${resource}`);
          return { kind: 'exhausted', resource, account: 'test', limit, spent, held, requested };
        }
      }
      open.set(attempt, amounts);
      log.push(`reserve ${attempt}`);
      return { kind: 'reserved', id: attempt, amounts };
    },
    settle(reservation: Reserved, spent: Spent) {
      close(reservation);
      settled.push(spent.amounts);
      log.push(
        `settle ${reservation.id}${spent.unknown.length > 0 ? ` unknown ${spent.unknown.join('+')}` : ''}`,
      );
    },
    release(reservation) {
      close(reservation);
      log.push(`release ${reservation.id}`);
    },
  };
}

export function memoryJournal(log: string[] = []): Journal & { readonly kept: Map<string, unknown> } {
  const kept = new Map<string, unknown>();
  return {
    kept,
    recall: (key) => kept.get(key),
    record(key, value) {
      log.push(`record ${key}`);
      if (!kept.has(key)) kept.set(key, value);
      return kept.get(key);
    },
  };
}

/** Everything a call needs, with time that passes only by sleeping. */
export function memorySetting(
  model: Model,
  over: Partial<Omit<CallSetting, 'meter'>> & { readonly meter?: MemoryMeter } = {},
) {
  const meter = over.meter ?? memoryMeter();
  let now = 0;
  const slept: number[] = [];
  return {
    model,
    journal: memoryJournal(meter.log),
    atomic: <Value>(work: () => Value) => work(),
    commit: async () => {},
    clock: { now: () => now },
    random: () => 1,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
    slept,
    ...over,
    meter,
  };
}
