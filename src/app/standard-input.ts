import { buffer } from 'node:stream/consumers';
import { currentProcess } from './current-process.ts';

/**
 * All of standard input. By its stream: read at once by its descriptor, a pipe that another program has set not to wait
 * fails with EAGAIN while the one who writes is not ready.
 */
export const readStandardInput = (): Promise<Buffer> => buffer(currentProcess().stdin);
