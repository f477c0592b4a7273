/** A contract of promises over an engine that answers at once. */

/** The same contract without its promises: what an engine in one file of this machine keeps to. */
export type Synchronous<Contract> = {
  readonly [Verb in keyof Contract]: Contract[Verb] extends (...asked: infer Asked) => Promise<infer Answer>
    ? (...asked: Asked) => Answer
    : never;
};

/** Works when it is called, not later; what it throws is a rejection. */
export function toAsync<Contract extends object>(engine: Synchronous<Contract>): Contract {
  const verbs = Object.entries<(...asked: readonly unknown[]) => unknown>(engine as never);
  return Object.freeze(
    Object.fromEntries(verbs.map(([name, work]) => [name, async (...asked: unknown[]) => work(...asked)])),
  ) as Contract;
}
