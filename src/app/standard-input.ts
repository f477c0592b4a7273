import { buffer } from 'node:stream/consumers';
import { currentProcess } from './current-process.ts';

/**
 * All of standard input, read as a stream. Reading its descriptor at once would fail with EAGAIN if another program has
 * made the pipe non-blocking and has not written yet.
 */
export const readStandardInput = (): Promise<Buffer> => buffer(currentProcess().stdin);
