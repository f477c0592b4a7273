import { isSondeError, messageOf, SondeError } from '../../../core/index.ts';

/** An error of a port is reported to the code; it does not end the run. */
export async function fromPort<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (isSondeError(thrown)) throw thrown;
    throw new SondeError('tool_failed', { message: `${what} failed: ${messageOf(thrown)}`, cause: thrown });
  }
}
