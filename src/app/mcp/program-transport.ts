/** Starts an MCP server that is a program, with the given environment variables and no keys of this process. */
import { maskSecrets, shortLine } from '../../core/index.ts';

export interface McpProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Maximum characters of standard error that are kept; the newest are kept. */
const maxStderr = 4_000;
const maxShownLines = 3;

/** Returns the transport, and a function that returns the last lines of standard error, to explain a failure. */
export async function openProgramTransport({ command, args, env, cwd }: McpProgram) {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    ...{ command, args: [...args], env: { ...env }, cwd, stderr: 'pipe' },
  });
  let stderrText = '';
  transport.stderr?.on('data', (piece: Buffer) => {
    stderrText = `${stderrText}${piece.toString('utf8')}`.slice(-maxStderr);
  });
  /** The last lines in brackets after a space, to append to a message; empty if the program wrote nothing. */
  const lastErrors = (): string => {
    const lines = maskSecrets(maskValues(stderrText, env)).split('\n');
    const meaningfulLines = lines
      .map((line) => line.trim())
      .filter((line) => /\p{L}/u.test(line) && !/^(at |Node\.js v)/.test(line));
    // The last line that begins with the name of an error is the most informative one.
    const error = meaningfulLines.findLast((line) => /^[\w.]*(error|exception)\b/i.test(line));
    const shownLines = error === undefined ? meaningfulLines.slice(-maxShownLines) : [error];
    return shownLines.length === 0 ? '' : ` (it wrote: ${shortLine(shownLines.join(' | '), 400)})`;
  };
  return { transport, lastErrors };
}

/** Replaces the values of variables with their names, since a server may print a key that it was given. */
const maskValues = (text: string, env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .filter(([name, value]) => value.length >= 8 && name !== 'PATH' && name !== 'HOME')
    .reduce((clean, [name, value]) => clean.replaceAll(value, `[${name}]`), text);
