import type { Excess } from './protocol.ts';

/**
 * The fuel after which the clock and a cancel by the host are checked: 10 to 20 ms of work. The amount used does not
 * depend on it.
 */
const sliceFuel = 4_000_000;

/** The minimum of the counter: however much is charged before the next check, it must not wrap around. */
const minCounter = -0x4000_0000;

export interface FuelBudget {
  readonly fuel: number;
  readonly graceFuel: number;
}

export type Verdict = 'continue' | 'interrupt' | { readonly over: Excess };

/**
 * Gives fuel to the metered module, in slices, through its counter: a 32-bit number that the module lowers and the host
 * reads. Budgets may be larger than that.
 */
export class FuelGauge {
  readonly #counter: WebAssembly.Global | undefined;
  #budget: FuelBudget = { fuel: Number.POSITIVE_INFINITY, graceFuel: 0 };
  /** Fuel not yet given to the module. */
  #left = Number.POSITIVE_INFINITY;
  #sliceGiven = 0;
  #used = 0;
  #interrupted = false;

  /** Without a counter nothing is measured: such a module is built only to measure what metering costs. */
  constructor(counter: WebAssembly.Global | undefined) {
    this.#counter = counter;
  }

  get used(): number {
    this.#readCounter();
    return this.#used;
  }

  get interrupted(): boolean {
    return this.#interrupted;
  }

  start(budget: FuelBudget): void {
    this.#budget = budget;
    this.#left = budget.fuel;
    this.#sliceGiven = 0;
    this.#used = 0;
    this.#interrupted = false;
    this.#giveSlice();
  }

  /** Charges work that the host did for the guest. The module notices it at its own next charge. */
  charge(units: number): void {
    if (!this.#counter) return;
    const target = this.#counter.value - units;
    this.#counter.value = Math.max(target, minCounter);
    const rest = Math.max(0, minCounter - target);
    this.#left -= rest;
    this.#used += rest;
  }

  /** Called when the counter is below zero: gives more fuel, or says that the guest must be interrupted or killed. */
  refill(): Verdict {
    this.#readCounter();
    if (this.#left > 0) {
      this.#giveSlice();
      return 'continue';
    }
    const { fuel, graceFuel } = this.#budget;
    if (this.#interrupted) return { over: { limit: 'fuel', allowed: fuel, used: this.#used } };
    this.interruptWithin(graceFuel);
    return 'interrupt';
  }

  /** Leaves `graceFuel` to a guest that is about to be interrupted, to finish. */
  interruptWithin(graceFuel: number): void {
    this.#readCounter();
    this.#interrupted = true;
    this.#left = this.#left > 0 ? Math.min(this.#left, graceFuel) : graceFuel;
    this.#giveSlice();
  }

  #readCounter(): void {
    if (!this.#counter) return;
    const spent = this.#sliceGiven - this.#counter.value;
    this.#used += spent;
    this.#left += this.#counter.value;
    this.#sliceGiven = 0;
    this.#counter.value = 0;
  }

  #giveSlice(): void {
    if (!this.#counter) return;
    this.#sliceGiven = Math.max(0, Math.min(sliceFuel, this.#left));
    this.#left -= this.#sliceGiven;
    this.#counter.value = this.#sliceGiven;
  }
}
