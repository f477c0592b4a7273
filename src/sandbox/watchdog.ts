/** Fires once, unless stopped; waiting for the host does not count. */
export class Watchdog {
  readonly #ms: number;
  readonly #fire: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(ms: number, fire: () => void) {
    this.#ms = ms;
    this.#fire = fire;
    this.resume();
  }

  resume(): void {
    this.#timer = setTimeout(this.#fire, Math.min(this.#ms, 2 ** 31 - 1));
  }

  pause(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  stop(): void {
    this.pause();
  }
}
