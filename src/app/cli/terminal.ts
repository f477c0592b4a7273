/** The two output streams of a command: standard output holds only the result, standard error everything else. */
import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { plainLine, toPlainText } from '../../core/index.ts';
import { currentProcess, type OutputStream } from '../current-process.ts';
import { safeJson } from '../safe-json.ts';

/** Resolves when the text is written, or the pipe is closed. */
const write = (stream: OutputStream, text: string): Promise<void> =>
  new Promise((done) => {
    stream.write(text, () => done());
  });

/** Prints a text to standard output, without control sequences. */
export const print = (text: string): Promise<void> =>
  write(currentProcess().stdout, `${toPlainText(text)}\n`);
export const printJson = (value: unknown, indent = 0): Promise<void> =>
  write(currentProcess().stdout, `${safeJson(value, indent)}\n`);
/** Prints a note to standard error, always on one line. */
export const tellNote = (text: string): Promise<void> => tell(`note: ${plainLine(text)}`);
/** Prints a text to standard error. */
export const tell = (text: string): Promise<void> => write(currentProcess().stderr, `${toPlainText(text)}\n`);

/** False if nobody can read standard output: it is closed, or it is the null device. */
export function hasOutputReader({ stdout }: { readonly stdout: unknown } = currentProcess()): boolean {
  const { fd } = stdout as { readonly fd?: number };
  if (fd === undefined) return true;
  try {
    const { rdev } = fstatSync(fd);
    return rdev === 0 || rdev !== statSync(devNull).rdev;
  } catch {
    return false;
  }
}

/** Whether `print` prints a text in full: it leaves out control sequences and invisible characters. */
export const isPrintable = (text: string): boolean => toPlainText(text) === text.replace(/\r\n?/g, '\n');

/**
 * Exits without an error if the reader of the output closes the pipe early, as in `sonde search … | head`. Exits with 1
 * after any other write error, such as a full disk.
 */
export function acceptClosedPipes(): void {
  const thisProcess = currentProcess();
  for (const stream of [thisProcess.stdout, thisProcess.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') thisProcess.exit(thisProcess.exitCode ?? 0);
      if (stream === thisProcess.stdout)
        thisProcess.stderr.write(`sonde: The output cannot be written: ${plainLine(error.message)}\n`);
      thisProcess.exit(1);
    });
}
