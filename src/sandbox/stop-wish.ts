/**
 * A request to stop a cell. Operations of the cell get it as an AbortSignal, which is created only when one is called:
 * most cells call none, and creating a signal costs much compared with a small cell.
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

  /** Calls back when the request comes, or at once if it has come. Only the last callback is kept. */
  whileWaiting(called: (() => void) | null): void {
    this.#waiting = called;
    if (this.#wished) this.#waiting?.();
  }
}
