/** An MCP server that is a program: started with the variables that it is given, and no keys of this process. */
import { maskSecrets, shortLine } from '../../core/index.ts';

export interface McpProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Bytes of standard error that are kept, the newest. */
const maxStderr = 4_000;
const maxShownLines = 3;

/** The transport to it, and what it last wrote to standard error: that says why it ended. */
export async function openProgramTransport({ command, args, env, cwd }: McpProgram) {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    ...{ command, args: [...args], env: { ...env }, cwd, stderr: 'pipe' },
  });
  let stderrText = '';
  transport.stderr?.on('data', (piece: Buffer) => {
    stderrText = `${stderrText}${piece.toString('utf8')}`.slice(-maxStderr);
  });
  /** With a space and a bracket in front, or empty if it wrote nothing. */
  const lastErrors = (): string => {
    const lines = maskSecrets(maskValues(stderrText, env)).split('\n');
    const meaningful = lines
      .map((line) => line.trim())
      .filter((line) => /\p{L}/u.test(line) && !/^(at |Node\.js v)/.test(line));
    // A line that begins with an error says more than what stands around it.
    const error = meaningful.findLast((line) => /^[\w.]*(error|exception)\b/i.test(line));
    const shownLines = error === undefined ? meaningful.slice(-maxShownLines) : [error];
    return shownLines.length === 0 ? '' : ` (it wrote: ${shortLine(shownLines.join(' | '), 400)})`;
  };
  return { transport, lastErrors };
}

/** A server may print the key that it was given. */
const maskValues = (text: string, env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .filter(([name, value]) => value.length >= 8 && name !== 'PATH' && name !== 'HOME')
    .reduce((clean, [name, value]) => clean.replaceAll(value, `[${name}]`), text);
