/** A contract of promises over an engine that answers at once. */

/** The same contract without promises, for an engine whose data is in a file of this machine. */
export type Synchronous<Contract> = {
  readonly [Verb in keyof Contract]: Contract[Verb] extends (...asked: infer Asked) => Promise<infer Answer>
    ? (...asked: Asked) => Answer
    : never;
};

/** Calls the engine at once, not later; an exception becomes a rejection. */
export function toAsync<Contract extends object>(engine: Synchronous<Contract>): Contract {
  const verbs = Object.entries<(...asked: readonly unknown[]) => unknown>(engine as never);
  return Object.freeze(
    Object.fromEntries(verbs.map(([name, work]) => [name, async (...asked: unknown[]) => work(...asked)])),
  ) as Contract;
}
