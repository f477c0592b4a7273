import { isSondeError, messageOf, SondeError } from '../../../core/index.ts';

/** Calls a port. Its error becomes `tool_failed`, which the code receives, so that it does not end the run. */
export async function fromPort<Value>(subject: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (isSondeError(thrown)) throw thrown;
    throw new SondeError('tool_failed', {
      message: `${subject} failed: ${messageOf(thrown)}`,
      cause: thrown,
    });
  }
}
