/** An MCP server that is a program: started with the variables that it is given, and no keys of this process. */
import { maskSecrets, shortLine } from '../../core/index.ts';

export interface McpProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Bytes of standard error that are kept, the newest. */
const maxKept = 4_000;
const maxShownLines = 3;

/** The transport to it, and what it last wrote to standard error: that says why it ended. */
export async function programTransport({ command, args, env, cwd }: McpProgram) {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    ...{ command, args: [...args], env: { ...env }, cwd, stderr: 'pipe' },
  });
  let kept = '';
  transport.stderr?.on('data', (piece: Buffer) => {
    kept = `${kept}${piece.toString('utf8')}`.slice(-maxKept);
  });
  /** With a space and a bracket in front, or empty if it wrote nothing. */
  const lastErrors = (): string => {
    const lines = maskSecrets(withoutValues(kept, env)).split('\n');
    const written = lines
      .map((line) => line.trim())
      .filter((line) => /\p{L}/u.test(line) && !/^(at |Node\.js v)/.test(line));
    // A line that begins with an error says more than what stands around it.
    const error = written.findLast((line) => /^[\w.]*(error|exception)\b/i.test(line));
    const shown = error === undefined ? written.slice(-maxShownLines) : [error];
    return shown.length === 0 ? '' : ` (it wrote: ${shortLine(shown.join(' | '), 400)})`;
  };
  return { transport, lastErrors };
}

/** A server may print the key that it was given. */
const withoutValues = (text: string, env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .filter(([name, value]) => value.length >= 8 && name !== 'PATH' && name !== 'HOME')
    .reduce((clean, [name, value]) => clean.replaceAll(value, `[${name}]`), text);
