/** Who judges a tree: a compiler, a checker of types or a suite of tests. Each says what is wrong, line by line. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface Complaint {
  readonly path: string;
  /** 0: of no line. */
  readonly line: number;
  readonly text: string;
}

export interface Compiler {
  /** Endings of the files whose definitions it judges. */
  readonly files: RegExp;
  check(root: string): readonly Complaint[];
}

const here = join(import.meta.dirname, '..', '..', 'node_modules');

function output(root: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 600_000,
    env: { ...process.env, ...env },
  });
  if (error !== undefined) throw error;
  return `${stdout}\n${stderr}`;
}

function complaints(root: string, text: string, form: RegExp): readonly Complaint[] {
  return [...text.matchAll(form)].map(([, path = '', line = '0', said = '']) => ({
    path: path.replace(`${root}/`, '').replace(/^\.\//, ''),
    line: Number(line),
    text: said,
  }));
}

/** `given` replaces the usual arguments, or names the tests. */
export function compilerOf(kind: string, given: readonly string[]): Compiler {
  switch (kind) {
    case 'typescript':
      return {
        files: /\.[mc]?tsx?$/,
        check: (root) =>
          complaints(
            root,
            output(root, join(here, '.bin', 'tsgo'), [
              ...(given.length > 0 ? given : ['-p', 'tsconfig.json']),
              ...['--noEmit', '--pretty', 'false', '--incremental', 'false'],
            ]),
            /^(\S+?)\((\d+),\d+\): error (.*)$/gm,
          ),
      };
    case 'rust':
      return {
        files: /\.rs$/,
        check: (root) =>
          complaints(
            root,
            output(root, 'cargo', [
              ...['check', '--offline', '--quiet', '--message-format', 'short'],
              ...(given.length > 0 ? given : ['--lib']),
            ]),
            /^(\S+?\.rs):(\d+):\d+: error(.*)$/gm,
          ),
      };
    case 'go':
      return {
        files: /\.go$/,
        // It compiles the tests as well, and links nothing; `vet` ends at the first error of a package.
        check: (root) =>
          complaints(
            root,
            output(
              root,
              'go',
              ['list', '-export', '-test', '-gcflags=-e', ...(given.length > 0 ? given : ['./...'])],
              { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' },
            ),
            /^(\S+?\.go):(\d+):\d+: (.*)$/gm,
          ),
      };
    case 'c':
      return {
        files: /\.[ch]$/,
        check: (root) =>
          complaints(
            root,
            output(root, 'gcc', [
              '-fsyntax-only',
              '-fmax-errors=0',
              // `-w` would hide this one as well.
              '-Werror=implicit-function-declaration',
              ...given,
            ]),
            /^(\S+?\.[ch]):(\d+):\d+: (?:fatal )?error: (.*)$/gm,
          ),
      };
    case 'python':
      return { files: /\.py$/, check: (root) => pyright(root, given) };
    case 'python-tests':
      return { files: /\.py$/, check: (root) => pytest(root, given) };
    default:
      throw new Error(`unknown kind ${kind}`);
  }
}

interface Diagnostics {
  readonly generalDiagnostics: readonly {
    readonly file: string;
    readonly severity: string;
    readonly message: string;
    readonly range: { readonly start: { readonly line: number } };
  }[];
}

function pyright(root: string, given: readonly string[]): readonly Complaint[] {
  const text = output(root, process.execPath, [join(here, 'pyright', 'index.js'), '--outputjson', ...given]);
  const { generalDiagnostics }: Diagnostics = JSON.parse(text.slice(text.indexOf('{')));
  return generalDiagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ file, message, range }) => ({
      path: file.replace(`${root}/`, ''),
      line: range.start.line + 1,
      text: message,
    }));
}

function pytest(root: string, given: readonly string[]): readonly Complaint[] {
  const args = ['-m', 'pytest', '-q', '--no-header', '-p', 'no:cacheprovider', ...given];
  // Its lines end where a terminal would, and what is wrong stands at their ends.
  const text = output(root, 'python3', args, { COLUMNS: '400' });
  const failed = [...text.matchAll(/^(?:FAILED|ERROR) (\S+?)(?:::\S+)?(?: - (.*))?$/gm)].map(
    ([whole, path = '', said = '']) => ({ path, line: 0, text: `${whole} ${said}` }),
  );
  if (failed.length > 0 || /\d+ passed/.test(text)) return failed;
  return [{ path: '', line: 0, text: text.trim().slice(-400) }];
}
