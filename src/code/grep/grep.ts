import { realpathSync } from 'node:fs';
import {
  type Completeness,
  formatCount,
  type GrepReply,
  isSondeError,
  type LineMatch,
  messageOf,
  SondeError,
  scopeMatcher,
  type TextGrep,
} from '../../core/index.ts';
import type { UnusualFiles } from '../../search/index.ts';
import { type ChildReply, runChild } from '../child.ts';
import { firstErrorLine } from '../git/git.ts';
import { type GrepResult, matchCollector } from './grep-matches.ts';
import { findSearchPlaces, isInRepository } from './search-places.ts';

export interface GrepOptions {
  readonly root: string;
  /** Applies to every grep, in addition to the scope of its request. */
  readonly scope?: string | undefined;
  /** Default 20 s; after that, the matches so far are returned as `partial`. */
  readonly timeoutMs?: number;
  /** Files that ripgrep would skip or misread. */
  readonly unusual?: () => Promise<UnusualFiles>;
}

const defaultLimit = 100;
const maxMatches = 10_000;
const defaultTimeoutMs = 20_000;
/** Maximum bytes of ripgrep's output. The output is not stored. */
const maxOutput = 1024 * 1024 * 1024;
const maxPatternLength = 4_096;
/** Folders of version control, which are never searched. */
const versionControl = ['.git', '.hg', '.svn', '.jj', '.bzr', 'CVS'];

/**
 * Ripgrep over a folder, line by line: all its text files except those that git's ignore rules name. Matches are
 * ordered by path, whatever the order in which they were found, and the total is counted even if the limit cuts the
 * list. Long lines are cut around the match: for evidence, read the file.
 */
export function ripgrep(options: GrepOptions): TextGrep {
  const root = realpathSync(options.root);
  const inRoot = scopeMatcher(options.scope);
  return {
    async grep({ pattern, ignoreCase = false, fixed = false, scope, limit = defaultLimit, signal }) {
      checkPattern(pattern);
      const inScope = scopeMatcher(scope);
      const places = await findSearchPlaces(root, scope ?? options.scope);
      if (places.length === 0)
        return freezeReply([], 'complete', ['Nothing in the material matches the scope.']);
      const kept = Math.min(Math.max(Math.floor(limit), 1), maxMatches);
      const { tracked, encoded } = (await options.unusual?.()) ?? { tracked: [], encoded: [] };
      const others = new Map(encoded);
      const isWanted = (path: string) => inRoot(path) && inScope(path);
      const collector = matchCollector(kept, (path) => isWanted(path) && !others.has(path));
      const search = async (
        extraArguments: readonly string[],
        where: readonly string[],
      ): Promise<ChildReply> => {
        const child = await runChild({
          command: await ripgrepPath(),
          args: [
            ...['--json', '--no-config', '--hidden', ...extraArguments],
            ...['--engine=auto', '--crlf', '--path-separator=/'],
            ...versionControl.map((name) => `--glob=!${name}`),
            ...(ignoreCase ? ['--ignore-case'] : ['--case-sensitive']),
            ...(fixed ? ['--fixed-strings'] : []),
            `--regexp=${pattern}`,
            '--',
            ...where,
          ],
          cwd: root,
          env: { LC_ALL: 'C' },
          timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
          maxBytes: maxOutput,
          signal,
          onOutput: (chunk) => {
            collector.take(chunk);
            return 'more';
          },
        });
        return child;
      };
      const rules = [
        ...['--no-require-git', '--no-ignore-dot', '--no-ignore-global'],
        // Outside of a repository, the ignore rules of the folder apply, and those of the folders above it don't.
        ...((await isInRepository(root)) ? [] : ['--no-ignore-parent']),
      ];
      const children = [await search(rules, places)];
      for (const { extraArguments, paths } of planUnusualSearches(tracked, others, isWanted)) {
        collector.startSearch(isWanted);
        children.push(await search(extraArguments, paths));
      }
      const found = collector.finish();
      for (const child of children) checkOutcome(pattern, child, found);
      const worst = children.find(({ ended, code }) => ended !== 'exit' || code === 2) ?? children[0]!;
      return toReply(found, worst, kept);
    },
  };
}

interface Pattern {
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  readonly fixed?: boolean;
}

const matchArguments = ({ pattern, ignoreCase = false, fixed = false }: Pattern): string[] => [
  ...['--engine=auto', '--crlf', ignoreCase ? '--ignore-case' : '--case-sensitive'],
  ...(fixed ? ['--fixed-strings'] : []),
  `--regexp=${pattern}`,
];

/** The indexes of those lines that match. Empty if ripgrep fails. */
export async function findMatchingLines(
  pattern: Pattern,
  lines: readonly string[],
): Promise<ReadonlySet<number>> {
  const child = await runChild({
    command: await ripgrepPath(),
    args: ['--no-config', '--line-number', '--only-matching', '--replace=', ...matchArguments(pattern), '-'],
    cwd: '/',
    env: { LC_ALL: 'C' },
    input: `${lines.join('\n')}\n`,
    timeoutMs: defaultTimeoutMs,
    maxBytes: maxOutput,
  });
  const numbers = child.stdout.toString('latin1').matchAll(/^(\d+):$/gm);
  return new Set(Array.from(numbers, ([, number]) => Number(number) - 1));
}

export interface UnusualSearch {
  /** Arguments for ripgrep. */
  readonly extraArguments: readonly string[];
  readonly paths: readonly string[];
}

/** Maximum paths on one command line. */
const maxPaths = 500;

/** Searches of named files, one for each encoding. Ignore rules don't apply to named files. */
export function planUnusualSearches(
  tracked: readonly string[],
  encoded: ReadonlyMap<string, string>,
  isWanted: (path: string) => boolean,
): readonly UnusualSearch[] {
  const groups = new Map<string, string[]>();
  const add = (encoding: string, path: string) => {
    if (isWanted(path)) groups.set(encoding, [...(groups.get(encoding) ?? []), `./${path}`]);
  };
  for (const path of tracked) if (!encoded.has(path)) add('', path);
  for (const [path, encoding] of encoded) add(encoding, path);
  return [...groups].flatMap(([encoding, paths]) => {
    // If ripgrep doesn't see the file as plain text, `--text` keeps a NUL from ending the search.
    const extraArguments =
      encoding === '' ? ['--no-ignore'] : ['--no-ignore', '--text', `--encoding=${encoding}`];
    const parts = Array.from({ length: Math.ceil(paths.length / maxPaths) }, (_, n) =>
      paths.slice(n * maxPaths, (n + 1) * maxPaths),
    );
    return parts.map((part) => ({ extraArguments, paths: part }));
  });
}

function toReply(found: GrepResult, child: ChildReply, limit: number): GrepReply {
  const notes: string[] = [];
  const cut = found.total > found.matches.length;
  if (child.ended !== 'exit')
    notes.push(
      `The search was ended before it was through: it found ${formatCount(found.total, 'match', 'matches')} by then.`,
    );
  if (cut)
    notes.push(
      `${formatCount(found.total, 'match', 'matches')} in ${formatCount(found.files, 'file')}; the first ${Math.min(limit, found.matches.length)} by path are listed. ` +
        `Most are in ${found.fullest.map(([path, count]) => `${path} (${count})`).join(', ')}.`,
    );
  if (found.unshown > 0)
    notes.push(`${found.unshown} matches in lines too long to show, or files with unreadable names.`);
  if (found.binary > 0) notes.push(`${found.binary} binary files with matches were skipped.`);
  if (child.code === 2) notes.push(`Not everything could be read: ${firstErrorLine(child.stderr)}.`);
  const partial = cut || child.ended !== 'exit' || found.unshown > 0 || child.code === 2;
  return freezeReply(found.matches, partial ? 'partial' : 'complete', notes);
}

function freezeReply(
  matches: readonly LineMatch[],
  completeness: Completeness,
  notes: readonly string[],
): GrepReply {
  return Object.freeze({ matches, completeness, notes });
}

function checkPattern(pattern: string): void {
  if (pattern === '') throw createBadPatternError(pattern, 'it is empty');
  if (pattern.length > maxPatternLength)
    throw createBadPatternError(pattern, `it is longer than ${maxPatternLength} characters`);
  if (/[\n\r\0]/.test(pattern))
    throw createBadPatternError(pattern, 'it spans lines, and lines are searched one at a time');
}

/** Exit code 2 with a summary: a file could not be read. Without a summary: the pattern or the program failed. */
function checkOutcome(pattern: string, child: ChildReply, found: GrepResult): void {
  if (child.code !== 2 || found.summarised) return;
  const said = child.stderr.replace(/^rg: /, '');
  const reason = /^(?:error|PCRE2): .*$/m.exec(said)?.[0] ?? firstErrorLine(said);
  if (/regex|PCRE2|unicode/i.test(said)) throw createBadPatternError(pattern, reason.replace(/^error: /, ''));
  throw new SondeError('tool_failed', {
    message: `ripgrep failed: ${firstErrorLine(said)}.`,
    remedy: 'See that the folder can be read.',
  });
}

function createBadPatternError(pattern: string, reason: string): SondeError {
  return new SondeError('bad_pattern', {
    message: `The pattern ${JSON.stringify(pattern.slice(0, 100))} cannot be searched for: ${reason}.`,
    remedy:
      'Give a regular expression for one line in the syntax of ripgrep, or search for it as fixed text.',
    details: { pattern: pattern.slice(0, 1_000) },
  });
}

export async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (thrown) {
    if (isSondeError(thrown)) throw thrown;
    throw new SondeError('tool_missing', {
      message: `ripgrep is not installed for this system: ${messageOf(thrown)}`,
      remedy: 'Install again without leaving optional dependencies out: npm install --include=optional.',
      cause: thrown,
    });
  }
}
