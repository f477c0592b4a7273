/** The two streams of a command: standard output holds the result alone, standard error all else. */
import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { plain, plainLine } from '../../core/index.ts';
import { currentProcess, type OutputStream } from '../current-process.ts';
import { safeJson } from '../safe-json.ts';

/** Resolves when the text has been handed over; a reader that has gone away ends the wait. */
const write = (stream: OutputStream, text: string): Promise<void> =>
  new Promise((done) => {
    stream.write(text, () => done());
  });

export const print = (text: string): Promise<void> => write(currentProcess().stdout, `${plain(text)}\n`);
export const printJson = (value: unknown, indent = 0): Promise<void> =>
  write(currentProcess().stdout, `${safeJson(value, indent)}\n`);
/** A note, on one line whatever it names, to standard error. */
export const tellNote = (text: string): Promise<void> => tell(`note: ${plainLine(text)}`);
/** To standard error. */
export const tell = (text: string): Promise<void> => write(currentProcess().stderr, `${plain(text)}\n`);

/** Whether somebody can see what is printed: not on the null device, and not without a stream. */
export function isRead({ stdout }: { readonly stdout: unknown } = currentProcess()): boolean {
  const { fd } = stdout as { readonly fd?: number };
  if (fd === undefined) return true;
  try {
    const { rdev } = fstatSync(fd);
    return rdev === 0 || rdev !== statSync(devNull).rdev;
  } catch {
    return false;
  }
}

/** Whether `print` leaves nothing of a text out: control sequences and invisible characters are not printed. */
export const isPrintable = (text: string): boolean => plain(text) === text.replace(/\r\n?/g, '\n');

/** `sonde search … | head` closes the pipe early: that is the reader's right, not an error. A full disk is one. */
export function acceptClosedPipes(): void {
  const here = currentProcess();
  for (const stream of [here.stdout, here.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') here.exit(here.exitCode ?? 0);
      if (stream === here.stdout)
        here.stderr.write(`sonde: What was found cannot be written: ${plainLine(error.message)}\n`);
      here.exit(1);
    });
}
