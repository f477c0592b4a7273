/** Results that were cut, kept for a while so that their rest can be read. */
import { randomBytes } from 'node:crypto';
import type { Caller, Capability, Clock } from '../core/index.ts';

export const resultParts = ['text', 'data', 'evidence'] as const;
export type ResultPart = (typeof resultParts)[number];

interface StoredResult {
  readonly parts: Readonly<Record<ResultPart, string>>;
  readonly owner: string;
  readonly capability: Capability | null;
  readonly bytes: number;
  readonly expires: number;
}

export interface KeptLimits {
  readonly results: number;
  readonly bytes: number;
  /** Milliseconds. */
  readonly age: number;
}

export const keptLimits: KeptLimits = { results: 64, bytes: 32 * 1024 * 1024, age: 15 * 60_000 };

/** A caller can only read its own results. */
const ownerKey = ({ kind, name, thread }: Caller): string => JSON.stringify([kind, name, thread]);

/** Lives as long as the tool host that owns it. When it is full, the oldest result is dropped. */
export class KeptResults {
  readonly #kept = new Map<string, StoredResult>();
  readonly #clock: Clock;
  readonly #limits: KeptLimits;

  constructor(clock: Clock, limits: KeptLimits = keptLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Null if the result alone exceeds the limit: its rest is then lost, and the caller is told. */
  keep(parts: StoredResult['parts'], caller: Caller, capability: Capability | null): string | null {
    const bytes = resultParts.reduce((sum, part) => sum + Buffer.byteLength(parts[part]), 0);
    if (bytes > this.#limits.bytes) return null;
    const id = `res-${randomBytes(10).toString('hex')}`;
    const expires = this.#clock.now() + this.#limits.age;
    this.#kept.set(id, { parts, owner: ownerKey(caller), capability, bytes, expires });
    this.#prune();
    return id;
  }

  /** Null if this caller has no such result, or if it has expired. */
  read(id: string, part: ResultPart, caller: Caller, capabilities: ReadonlySet<Capability>): string | null {
    this.#prune();
    const storedResult = this.#kept.get(id);
    if (storedResult === undefined || storedResult.owner !== ownerKey(caller)) return null;
    if (storedResult.capability !== null && !capabilities.has(storedResult.capability)) return null;
    return storedResult.parts[part];
  }

  #prune(): void {
    const now = this.#clock.now();
    let [results, bytes] = [this.#kept.size, 0];
    for (const storedResult of this.#kept.values()) bytes += storedResult.bytes;
    for (const [id, kept] of this.#kept) {
      const isOverLimit = results > this.#limits.results || bytes > this.#limits.bytes;
      if (!isOverLimit && kept.expires > now) return;
      this.#kept.delete(id);
      results -= 1;
      bytes -= kept.bytes;
    }
  }
}
