/** Adapts a synchronous engine to a contract with promises. */

/** The same contract without promises, for an engine on a local file. */
export type Synchronous<Contract> = {
  readonly [Verb in keyof Contract]: Contract[Verb] extends (...asked: infer Asked) => Promise<infer Answer>
    ? (...asked: Asked) => Answer
    : never;
};

/** Calls the engine at once. An exception becomes a rejection. */
export function toAsync<Contract extends object>(engine: Synchronous<Contract>): Contract {
  const verbs = Object.entries<(...asked: readonly unknown[]) => unknown>(engine as never);
  return Object.freeze(
    Object.fromEntries(verbs.map(([name, work]) => [name, async (...asked: unknown[]) => work(...asked)])),
  ) as Contract;
}
