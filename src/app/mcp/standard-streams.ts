/** A server on standard input and output: they carry the protocol and nothing else. */
import { plain } from '../../core/index.ts';

export type Tell = (text: string) => void;

/** Says things on standard error, and sends there what libraries would print. */
export function tellBeside(redact: (text: string) => string): Tell {
  const tell: Tell = (text) => void process.stderr.write(`${plain(redact(text))}\n`);
  for (const method of ['log', 'info', 'debug'] as const)
    console[method] = (...values: unknown[]) => tell(values.map(String).join(' '));
  return tell;
}

/** Resolves when the client has closed its end, or the process is told to end. */
export function clientGone(): Promise<void> {
  return new Promise((done) => {
    for (const name of ['end', 'close'] as const) process.stdin.once(name, () => done());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
}
