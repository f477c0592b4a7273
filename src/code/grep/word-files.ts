import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isWithheld, SondeError } from '../../core/index.ts';
import { detectEncoding, type UnusualFiles } from '../../search/index.ts';
import { runChild } from '../child.ts';
import { firstErrorLine } from '../git/git.ts';
import { planUnusualSearches, ripgrepPath } from './grep.ts';
import { isInRepository } from './search-places.ts';

export interface WordFiles {
  readonly paths: readonly string[];
  /** True if the search did not cover all files. */
  readonly cut: boolean;
}

export interface WordFilesOptions {
  readonly root: string;
  readonly timeoutMs?: number;
  /** Files that git tracks although its ignore rules name them. */
  readonly unusual?: (() => Promise<UnusualFiles>) | undefined;
}

/** Finds the files that contain a word, or all files, by the rules of grep. */
export interface WordFinder {
  filesContaining(words: readonly string[], signal?: AbortSignal): Promise<WordFiles>;
  /** Files with a line that matches an expression; each such line must contain one of the words. */
  linesMatching(
    pattern: string,
    extensions: readonly string[],
    signal?: AbortSignal,
    words?: readonly string[],
  ): Promise<readonly WordLine[]>;
  /** All files. While the tree is known to be unchanged, the same object is returned. */
  listFiles(signal?: AbortSignal): Promise<WordFiles>;
  /** To be called when a question begins, so that changes on disk since the last question are noticed. */
  recheck?(): void;
  /** A text that changes with the options of a listing, such as the ignore rules. */
  settingsKey?(): Promise<string>;
  /** A text that changes when the file does. Null, or absent, if changes can't be noticed. */
  stampOf?(path: string): string | null;
}

export interface WordLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

const versionControl = ['.git', '.hg', '.svn', '.jj', '.bzr', 'CVS'];
const maxBytes = 256 * 1024 * 1024;

export function wordFiles({ root: given, timeoutMs = 20_000, unusual }: WordFilesOptions): WordFinder {
  const root = realpathSync(given);
  let inRepository: Promise<boolean> | undefined;

  async function runRipgrep(
    args: readonly string[],
    places: readonly string[],
    rules: readonly string[],
    signal?: AbortSignal,
  ) {
    const child = await runChild({
      command: await ripgrepPath(),
      args: [
        '--no-config',
        '--hidden',
        '--path-separator=/',
        ...rules,
        ...versionControl.map((name) => `--glob=!${name}`),
        ...args,
        '--',
        ...places,
      ],
      cwd: root,
      env: { LC_ALL: 'C' },
      timeoutMs,
      maxBytes,
      signal,
    });
    const isCut = child.ended !== 'exit' || child.code === 2;
    const output = child.stdout.toString('utf8');
    if (
      child.code === 2 &&
      output === '' &&
      !/\b(?:No such file|Permission denied|IO error)/i.test(child.stderr)
    )
      throw new SondeError('tool_failed', {
        message: `ripgrep failed: ${firstErrorLine(child.stderr)}`,
        remedy: 'Run sonde doctor.',
      });
    return { output, isCut };
  }

  async function searchFiles(args: readonly string[], signal?: AbortSignal): Promise<WordFiles> {
    inRepository ??= isInRepository(root);
    const rules = [
      '--no-require-git',
      '--no-ignore-dot',
      '--no-ignore-global',
      ...((await inRepository) ? [] : ['--no-ignore-parent']),
    ];
    const { tracked, encoded } = (await unusual?.()) ?? { tracked: [], encoded: [] };
    const found = [await runRipgrep(args, ['./'], rules, signal)];
    const encodings = args.includes('--files') ? [] : encoded;
    for (const { extraArguments, paths } of planUnusualSearches(tracked, new Map(encodings), () => true))
      found.push(await runRipgrep(args, paths, extraArguments, signal));
    const paths = found.flatMap(({ output }) => output.split('\0').map((path) => path.replace(/^\.\//, '')));
    return {
      paths: [...new Set(paths)].filter((path) => path !== '' && !isWithheld(path)).sort(),
      cut: found.some(({ isCut }) => isCut),
    };
  }

  return {
    async filesContaining(words, signal) {
      const found = await searchFiles(
        [
          // A text file may contain a NUL, for which ripgrep would treat it as binary.
          '--text',
          '--files-with-matches',
          '--null',
          '--word-regexp',
          '--fixed-strings',
          ...words.map((word) => `--regexp=${word}`),
        ],
        signal,
      );
      return { ...found, paths: found.paths.filter((path) => isText(join(root, path))) };
    },
    listFiles: (signal) => searchFiles(['--files', '--null'], signal),
    settingsKey: async () => ((await unusual?.())?.tracked ?? []).join('\0'),
    async linesMatching(pattern, extensions, signal) {
      inRepository ??= isInRepository(root);
      const rules = [
        '--no-require-git',
        '--no-ignore-dot',
        '--no-ignore-global',
        ...((await inRepository) ? [] : ['--no-ignore-parent']),
      ];
      const globs = extensions.map((extension) => `--glob=*.${extension}`);
      const { output } = await runRipgrep(
        [
          '--text',
          '--line-number',
          '--null',
          '--no-heading',
          '--with-filename',
          '--max-columns=300',
          ...globs,
          `--regexp=${pattern}`,
        ],
        ['./'],
        rules,
        signal,
      );
      return output.split('\n').flatMap((row) => {
        const [, path, line, text] = /^(?:\.\/)?([^\0]*)\0(\d+):(.*)$/.exec(row) ?? [];
        return path === undefined ? [] : [{ path, line: Number(line), text: text ?? '' }];
      });
    },
  };
}

/** Bytes of a file's beginning that tell whether it is text. */
const headBytes = 256 * 1024;

/** Whether a file is text, by the rule of all readers. A file that can't be read counts as text. */
function isText(place: string): boolean {
  try {
    const file = openSync(place, 'r');
    try {
      const head = Buffer.alloc(headBytes);
      return detectEncoding(head.subarray(0, readSync(file, head, 0, headBytes, 0))) !== null;
    } finally {
      closeSync(file);
    }
  } catch {
    return true;
  }
}
