/**
 * Calls `fire` if a command shows no progress for a given time; waiting for the host does not count. One timer serves
 * many commands, since setting one for each would cost more than the command. If it fires before the current deadline,
 * it is set again for the rest.
 */
export class Watchdog {
  readonly #fire: () => void;
  #ms = 0;
  /** When to fire, in milliseconds of `performance.now()`; infinite while nothing is watched. */
  #due = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  /** When the timer fires, in milliseconds of `performance.now()`. */
  #timerDue = 0;

  constructor(fire: () => void) {
    this.#fire = fire;
  }

  start(ms: number): void {
    this.#ms = ms;
    this.resume();
  }

  resume(): void {
    const now = performance.now();
    this.#due = now + this.#ms;
    if (this.#timer === null || this.#timerDue > this.#due) this.#set(now);
  }

  pause(): void {
    this.#due = Number.POSITIVE_INFINITY;
  }

  /** Ends the watch for good. */
  stop(): void {
    this.pause();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #set(now: number): void {
    if (this.#timer) clearTimeout(this.#timer);
    const ms = Math.min(Math.ceil(this.#due - now), 2 ** 31 - 1);
    this.#timerDue = now + ms;
    this.#timer = setTimeout(() => this.#onTimer(), ms);
    // The worker keeps the program alive while a command runs; the timer must not.
    this.#timer.unref();
  }

  #onTimer(): void {
    this.#timer = null;
    const now = performance.now();
    if (now >= this.#due) {
      this.pause();
      this.#fire();
    } else if (this.#due < Number.POSITIVE_INFINITY) this.#set(now);
  }
}
