import type { Spent } from './meter.ts';
import type { Usage } from './model.ts';
import { addUsage, noUsage } from './usage.ts';

/** What one or several calls came to, failed attempts included. */
export interface Bill {
  /** As the provider reported it, or estimated here and marked so. */
  readonly usage: Usage;
  readonly usd: number;
  /** Attempts that were settled. */
  readonly calls: number;
  /** Some of `usage` or `usd` is not what a provider reported: it is what the pool was charged. */
  readonly unknown: boolean;
}

export const freeBill: Bill = Object.freeze({ usage: noUsage, usd: 0, calls: 0, unknown: false });

/** `usage` undefined: none came back, and the pool was charged the whole reservation. */
export function billOf(usage: Usage | undefined, spent: Spent): Bill {
  const charged = { ...noUsage, input: spent.amounts.tokens ?? 0, estimated: true };
  return Object.freeze({
    usage: usage ?? charged,
    usd: spent.amounts.usd ?? 0,
    calls: spent.amounts.calls ?? 0,
    unknown: spent.unknown.length > 0,
  });
}

export function plus(a: Bill, b: Bill): Bill {
  return Object.freeze({
    usage: addUsage(a.usage, b.usage),
    usd: a.usd + b.usd,
    calls: a.calls + b.calls,
    unknown: a.unknown || b.unknown,
  });
}
