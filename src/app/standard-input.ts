import { buffer } from 'node:stream/consumers';
import { currentProcess } from './current-process.ts';

/**
 * Reads all of standard input as a stream. `readFileSync(0)` would fail with EAGAIN if another program has made the pipe
 * non-blocking and has not written yet.
 */
export const readStandardInput = (): Promise<Buffer> => buffer(currentProcess().stdin);
