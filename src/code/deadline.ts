/** Milliseconds by which a deadline moves at most while the machine is busy with other work. */
const maxExtraMs = 4_000;
/** Milliseconds between two checks of the processor time. */
const checkMs = 50;

/**
 * The time limit of one listing. It is over when both the elapsed time and the processor time of this process exceed
 * the limit, so that a busy machine does not cut listings before a file is read. The extension is limited, since
 * somebody waits for the answer.
 */
export class Deadline {
  readonly #limitMs: number;
  readonly #used: () => number;
  readonly #now: () => number;
  #ends: number;

  /** `now` replaces the clock, and then the processor time does not count. */
  constructor(limitMs: number, now?: () => number) {
    this.#limitMs = limitMs;
    this.#now = now ?? (() => performance.now());
    const began = process.cpuUsage();
    this.#used =
      now === undefined
        ? () => {
            const { user, system } = process.cpuUsage(began);
            return (user + system) / 1000;
          }
        : () => Number.POSITIVE_INFINITY;
    this.#ends = this.#now() + limitMs;
  }

  get isOver(): boolean {
    return this.left === 0;
  }

  /** Milliseconds until the deadline can be over; 0 if it is. */
  get left(): number {
    const ahead = this.#ends - this.#now();
    if (ahead >= 0) return Math.max(ahead, 1);
    const still = Math.min(this.#limitMs - this.#used(), maxExtraMs + ahead);
    return still > 0 ? Math.min(still, checkMs) : 0;
  }

  /** Moves the deadline by the duration of work that has its own limit. */
  extend(ms: number): void {
    this.#ends += ms;
  }
}
