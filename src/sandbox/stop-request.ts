/**
 * A request to stop a cell. The cell's operations see it as an AbortSignal, which is created with the first operation:
 * most cells call none, and creating a signal takes long compared with a small cell.
 */
export class StopRequest {
  #requested = false;
  #controller: AbortController | null = null;
  #callback: (() => void) | null = null;

  get requested(): boolean {
    return this.#requested;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#requested) this.#controller.abort();
    return this.#controller.signal;
  }

  request(): void {
    this.#requested = true;
    this.#controller?.abort();
    this.#callback?.();
    this.#callback = null;
  }

  /** Sets the callback for the request, or calls it at once if the request has come. Null removes it. */
  onRequest(called: (() => void) | null): void {
    this.#callback = called;
    if (this.#requested) this.#callback?.();
  }
}
