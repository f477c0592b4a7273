/** A server on standard input and output. The streams carry nothing but the protocol. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { toPlainText } from '../../core/index.ts';
import { currentProcess } from '../current-process.ts';

export type Tell = (text: string) => void;

/** Prints to standard error, and redirects there what libraries print. */
export function redirectConsole(redact: (text: string) => string): Tell {
  const { stderr } = currentProcess();
  const tell: Tell = (text) => void stderr.write(`${toPlainText(redact(text))}\n`);
  for (const method of ['log', 'info', 'debug'] as const)
    console[method] = (...values: unknown[]) => tell(values.map(String).join(' '));
  return tell;
}

/** Messages over the standard input and output of this process. */
export function standardStreams(): StdioServerTransport {
  const { stdin, stdout } = currentProcess();
  return new StdioServerTransport(stdin as Readable, stdout as Writable);
}

/** Resolves when the client has gone, or the process is told to end. */
export function waitForClientExit(): Promise<void> {
  const thisProcess = currentProcess();
  return new Promise((done) => {
    for (const name of ['end', 'close'] as const) thisProcess.stdin.once(name, () => done());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) thisProcess.once(signal, () => done());
  });
}
