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
  readonly #processorMs: () => number;
  readonly #now: () => number;
  #endsAt: number;

  /** `now` replaces the clock, and then the processor time does not count. */
  constructor(limitMs: number, now?: () => number) {
    this.#limitMs = limitMs;
    this.#now = now ?? (() => performance.now());
    const cpuAtStart = process.cpuUsage();
    this.#processorMs =
      now === undefined
        ? () => {
            const { user, system } = process.cpuUsage(cpuAtStart);
            return (user + system) / 1000;
          }
        : () => Number.POSITIVE_INFINITY;
    this.#endsAt = this.#now() + limitMs;
  }

  get isOver(): boolean {
    return this.left === 0;
  }

  /** The least number of milliseconds until the deadline is over; 0 if it is over. */
  get left(): number {
    const remainingMs = this.#endsAt - this.#now();
    if (remainingMs >= 0) return Math.max(remainingMs, 1);
    const extraMs = Math.min(this.#limitMs - this.#processorMs(), maxExtraMs + remainingMs);
    return extraMs > 0 ? Math.min(extraMs, checkMs) : 0;
  }

  /** Moves the deadline by the duration of work that has its own limit. */
  extend(ms: number): void {
    this.#endsAt += ms;
  }
}
