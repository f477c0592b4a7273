/** Runs work in parallel up to a maximum: when one item ends, the next begins. */

/** Results are in the order of the work. If one throws, no other begins, and the running ones are awaited. */
export async function runParallel<Value>(
  work: readonly (() => Promise<Value>)[],
  width: number,
): Promise<readonly Value[]> {
  const values: Value[] = [];
  const thrown: unknown[] = [];
  const next = work.entries();
  const lane = async () => {
    for (const [at, each] of next) {
      if (thrown.length > 0) return;
      try {
        values[at] = await each();
      } catch (error) {
        thrown.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, work.length) }, lane));
  if (thrown.length > 0) throw thrown[0];
  return values;
}
