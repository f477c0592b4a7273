/**
 * Connects a run with the client that it asks questions. In the protocol of 2026 a server cannot send requests: a tool
 * returns "input required", and the client calls the tool again with the answer. The run continues between the calls.
 */
import type { Sample, SamplingRequest } from '../../model/index.ts';

export interface Question {
  readonly id: string;
  readonly request: SamplingRequest;
}

export type Outcome<Result> =
  | { readonly kind: 'finished'; readonly result: Result }
  | { readonly kind: 'question'; readonly question: Question };

interface Pending {
  readonly question: Question;
  readonly answer: (value: unknown) => void;
}

/** How long a run waits for a client that does not return with an answer. Milliseconds. */
const clientTimeoutMs = 10 * 60_000;

/** The link between one run and its client. It exists from the first call of the tool to the end of the run. */
export class Exchange<Result> {
  readonly #pending = new Map<string, Pending>();
  readonly #controller = new AbortController();
  readonly #finished: Promise<Result>;
  readonly #gifts: unknown[];
  #asked = 0;
  #wake: () => void = () => {};
  #watchdog: NodeJS.Timeout | undefined;

  /**
   * `run` gets a function that asks the client, and a signal that ends the run. `earlyAnswers`: answers to the first
   * questions, for a resumed run, which asks again the questions of an earlier process.
   */
  constructor(
    run: (sample: Sample, signal: AbortSignal) => Promise<Result>,
    earlyAnswers: readonly unknown[] = [],
  ) {
    this.#gifts = [...earlyAnswers];
    this.#finished = run((request, signal) => this.#ask(request, signal), this.#controller.signal);
    // `next` passes the rejection to its caller. Between two calls it must not count as unhandled.
    this.#finished.catch(() => {});
  }

  /**
   * Passes the client's answers to the run. An open question without an answer gets `undefined`. Answers to unknown
   * questions are ignored.
   */
  passAnswers(answers: Readonly<Record<string, unknown>>): void {
    for (const [id, { answer }] of [...this.#pending])
      answer(Object.hasOwn(answers, id) ? answers[id] : undefined);
  }

  /** Ends the run, and resolves when it has ended. */
  async end(): Promise<void> {
    clearTimeout(this.#watchdog);
    this.#controller.abort();
    await this.#finished.catch(() => {});
  }

  /** Resolves when the run asks the client a question, or ends. Aborting the signal ends the run. */
  async next(signal: AbortSignal): Promise<Outcome<Result>> {
    clearTimeout(this.#watchdog);
    const stop = (): void => this.#controller.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const runEnd = this.#finished.then((result) => ({ kind: 'finished' as const, result }));
      for (;;) {
        const [first] = this.#pending.values();
        if (first !== undefined) {
          this.#watchdog = setTimeout(stop, clientTimeoutMs);
          this.#watchdog.unref();
          return { kind: 'question', question: first.question };
        }
        const wakeUp = new Promise<null>((done) => {
          this.#wake = () => done(null);
        });
        const outcome = await Promise.race([runEnd, wakeUp]);
        if (outcome !== null) return outcome;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #ask(request: SamplingRequest, signal: AbortSignal): Promise<unknown> {
    if (this.#gifts.length > 0) return Promise.resolve(this.#gifts.shift());
    this.#asked += 1;
    const id = `sample-${this.#asked}`;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#pending.delete(id);
        reject(new Error('the request was cancelled'));
      };
      if (signal.aborted) return cancel();
      signal.addEventListener('abort', cancel, { once: true });
      this.#pending.set(id, {
        question: { id, request },
        answer: (value) => {
          signal.removeEventListener('abort', cancel);
          this.#pending.delete(id);
          resolve(value);
        },
      });
      this.#wake();
    });
  }
}
