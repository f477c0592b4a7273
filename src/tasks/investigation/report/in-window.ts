/** Runs at most a given number of work items in parallel: when one ends, the next begins. */

/** Results are in the order of the work. If one throws, no other begins, and the running ones are awaited. */
export async function runParallel<Value>(
  work: readonly (() => Promise<Value>)[],
  maxParallel: number,
): Promise<readonly Value[]> {
  const values: Value[] = [];
  const thrown: unknown[] = [];
  const remainingWork = work.entries();
  const runNext = async () => {
    for (const [index, runItem] of remainingWork) {
      if (thrown.length > 0) return;
      try {
        values[index] = await runItem();
      } catch (error) {
        thrown.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, work.length) }, runNext));
  if (thrown.length > 0) throw thrown[0];
  return values;
}
