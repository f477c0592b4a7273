/**
 * The wish to stop a cell. A cell's operations are given it as an AbortSignal, which is made when the first of them is
 * called: most cells call none, and making one costs a good part of what a small cell does.
 */
export class StopWish {
  #wished = false;
  #controller: AbortController | null = null;
  #waiting: (() => void) | null = null;

  get wished(): boolean {
    return this.#wished;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#wished) this.#controller.abort();
    return this.#controller.signal;
  }

  wish(): void {
    this.#wished = true;
    this.#controller?.abort();
    this.#waiting?.();
    this.#waiting = null;
  }

  /** Called once the wish comes, at once where it has come; only the last one who said so is. */
  whileWaiting(called: (() => void) | null): void {
    this.#waiting = called;
    if (this.#wished) this.#waiting?.();
  }
}
