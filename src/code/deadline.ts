/** Milliseconds by which a deadline moves at most while the machine is busy with other work. */
const maxExtraMs = 4_000;
/** Milliseconds between two looks at the processor time. */
const lookMs = 50;

/**
 * The time limit of one listing. It is reached when so much time has passed and this process has also used so much of
 * the processor: otherwise a busy machine would cut listings before a file was read. The extra time is limited, since
 * somebody waits for the answer.
 */
export class Deadline {
  readonly #limitMs: number;
  readonly #used: () => number;
  readonly #now: () => number;
  #ends: number;

  /** With a clock of its own, only this clock counts. */
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

  /** Milliseconds in which it is certainly not reached. */
  get left(): number {
    const ahead = this.#ends - this.#now();
    if (ahead >= 0) return Math.max(ahead, 1);
    const still = Math.min(this.#limitMs - this.#used(), maxExtraMs + ahead);
    return still > 0 ? Math.min(still, lookMs) : 0;
  }

  /** Moves it by the time that something took which has a limit of its own. */
  extend(ms: number): void {
    this.#ends += ms;
  }
}
