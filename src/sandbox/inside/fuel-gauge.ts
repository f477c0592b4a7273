import type { Excess } from './protocol.ts';

/**
 * Fuel between two looks at the clock and at the host's wish to cancel: 10 to 20 ms of work. The count itself
 * does not depend on it.
 */
const slice = 4_000_000;

/** The counter must not wrap around, however much is charged before the next look at it. */
const lowest = -0x4000_0000;

export interface FuelBudget {
  readonly fuel: number;
  readonly graceFuel: number;
}

export type Verdict = 'continue' | 'interrupt' | { readonly over: Excess };

/**
 * Deals out fuel to the metered module, in slices, through its counter. The counter is a 32-bit number that the
 * module lowers and the host reads back; budgets may be larger.
 */
export class FuelGauge {
  readonly #counter: WebAssembly.Global | undefined;
  #budget: FuelBudget = { fuel: Number.POSITIVE_INFINITY, graceFuel: 0 };
  /** Not yet dealt out. */
  #left = Number.POSITIVE_INFINITY;
  #dealt = 0;
  #used = 0;
  #interrupted = false;

  /** Without a counter nothing is measured: a module built so only to compare. */
  constructor(counter: WebAssembly.Global | undefined) {
    this.#counter = counter;
  }

  get used(): number {
    this.#settle();
    return this.#used;
  }

  get interrupted(): boolean {
    return this.#interrupted;
  }

  start(budget: FuelBudget): void {
    this.#budget = budget;
    this.#left = budget.fuel;
    this.#dealt = 0;
    this.#used = 0;
    this.#interrupted = false;
    this.#deal();
  }

  /** Work that the host did for the guest. It is noticed at the guest's next charge. */
  charge(units: number): void {
    if (!this.#counter) return;
    const target = this.#counter.value - units;
    this.#counter.value = Math.max(target, lowest);
    const rest = Math.max(0, lowest - target);
    this.#left -= rest;
    this.#used += rest;
  }

  /** The counter is below zero: deals out more, or says that the guest must be interrupted or killed. */
  refill(): Verdict {
    this.#settle();
    if (this.#left > 0) {
      this.#deal();
      return 'continue';
    }
    const { fuel, graceFuel } = this.#budget;
    if (this.#interrupted) return { over: { limit: 'fuel', allowed: fuel, used: this.#used } };
    this.interruptWithin(graceFuel);
    return 'interrupt';
  }

  /** The guest is about to be interrupted, and gets this much to finish. */
  interruptWithin(graceFuel: number): void {
    this.#settle();
    this.#interrupted = true;
    this.#left = this.#left > 0 ? Math.min(this.#left, graceFuel) : graceFuel;
    this.#deal();
  }

  #settle(): void {
    if (!this.#counter) return;
    const spent = this.#dealt - this.#counter.value;
    this.#used += spent;
    this.#left += this.#counter.value;
    this.#dealt = 0;
    this.#counter.value = 0;
  }

  #deal(): void {
    if (!this.#counter) return;
    this.#dealt = Math.max(0, Math.min(slice, this.#left));
    this.#left -= this.#dealt;
    this.#counter.value = this.#dealt;
  }
}
