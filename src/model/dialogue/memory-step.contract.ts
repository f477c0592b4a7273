/** Steps in memory that keep the contract of core, and die on demand. For tests. */
import type { Amounts, BudgetEnd, RunEvent, Step, StepDone } from '../../core/index.ts';

export class Death extends Error {}

export interface MemoryRun {
  /** As JSON: what another process would find. */
  readonly journal: Map<string, string>;
  readonly log: Map<string, RunEvent>;
  readonly spent: { tokens: number; usd: number; calls: number; steps: number };
  readonly reserved: Amounts[];
}

export const memoryRun = (): MemoryRun => ({
  journal: new Map(),
  log: new Map(),
  spent: { tokens: 0, usd: 0, calls: 0, steps: 0 },
  reserved: [],
});

export interface MemoryStepOptions {
  readonly limits?: Amounts;
  /** The number of records after which the process dies. */
  readonly diesAfter?: number;
  readonly signal?: AbortSignal;
}

const names = ['tokens', 'usd', 'calls', 'steps'] as const;

export function memoryStep(run: MemoryRun, options: MemoryStepOptions = {}): Step {
  const { limits = {}, diesAfter = Infinity, signal = new AbortController().signal } = options;
  let dead = false;
  const findRefusal = (amounts: Amounts): BudgetEnd | null => {
    for (const resource of names) {
      const limit = limits[resource];
      const [spent, requested] = [run.spent[resource], amounts[resource] ?? 0];
      if (limit !== undefined && spent + requested > limit)
        return { kind: 'exhausted', resource, account: 'test', limit, spent, held: 0, requested };
    }
    return null;
  };
  const settle = (actual: StepDone<unknown>['spent'], reserved: Amounts) => {
    const amounts = actual === 'unknown' ? reserved : (actual ?? {});
    for (const name of names) run.spent[name] += amounts[name] ?? 0;
  };
  return async (key, work) => {
    if (dead) throw new Death();
    const known = run.journal.get(key);
    if (known !== undefined) return { kind: 'done', value: JSON.parse(known), recalled: true };
    if (signal.aborted) return { kind: 'cancelled' };
    let reserved = typeof work.cost === 'function' ? work.cost() : (work.cost ?? {});
    for (let refused = findRefusal(reserved); refused !== null; refused = findRefusal(reserved)) {
      const smaller = (await work.smallerRequest?.(refused)) ?? null;
      if (smaller === null) return refused;
      reserved = smaller;
    }
    run.reserved.push(reserved);
    if (work.startEvent !== undefined)
      run.log.set(
        `${key}/begun`,
        typeof work.startEvent === 'function' ? work.startEvent(reserved) : work.startEvent,
      );
    const done = await work.run(signal, key);
    if (dead) throw new Death();
    settle(done.spent, reserved);
    if (signal.aborted && done.keepIfCancelled !== true) return { kind: 'cancelled' };
    for (const [at, event] of done.events ?? []) run.log.set(at, event);
    const json = JSON.stringify(done.value ?? null);
    if (done.record === false) return { kind: 'done', value: JSON.parse(json), recalled: false };
    if (!run.journal.has(key)) run.journal.set(key, json);
    // Dies after the transaction: the record is stored, but nobody has seen it.
    if (run.journal.size >= diesAfter) {
      dead = true;
      throw new Death();
    }
    return { kind: 'done', value: JSON.parse(run.journal.get(key) ?? json), recalled: false };
  };
}
