import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BlameLine,
  type CommitNote,
  formatCount,
  type GitHistory,
  type HistoryReply,
  type ScopeMatcher,
  SondeError,
  scopeBases,
  scopeMatcher,
} from '../../core/index.ts';
import type { ChildReply } from '../child.ts';
import { pathBelow } from '../paths.ts';
import { findRepository, firstErrorLine, type GitProgram, type Repository, runGit } from './git.ts';
import type { NoRepository } from './git-place.ts';
import { recordFormat, recordReader } from './log-records.ts';
import { parseBlame } from './parse-blame.ts';

export interface PastOptions {
  readonly root: string;
  /** Applies to every query, in addition to the scope of its request. */
  readonly scope?: string | undefined;
  /** Default 20 s; after that, the results so far are returned as `partial`. */
  readonly timeoutMs?: number;
  readonly git?: GitProgram;
}

const defaultLimit = 20;
const maxCommits = 1_000;
const maxBlamed = 1_000;
/** Maximum paths listed for a commit; reading `commit:SHA` as a text lists more. */
const maxPaths = 100;
const defaultTimeoutMs = 20_000;

const plainLog = [
  ...['log', '-z', '--no-color', '--encoding=UTF-8', '--no-show-signature', '--no-ext-diff', '--no-textconv'],
  ...['--no-decorate', '--name-only', recordFormat],
];

/** The git history of a folder, by git's command line. The repository's configuration does not apply. */
export function createGitHistory(options: PastOptions): GitHistory {
  const root = realpathSync(options.root);
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  let found: Promise<Repository | NoRepository> | undefined;
  const repository = () => (found ??= findRepository(root, options.git));
  const confine = (
    scope: string | undefined,
  ): { inside: ScopeMatcher; bases: readonly string[]; all: boolean } => {
    const own = scopeMatcher(scope);
    const outer = scopeMatcher(options.scope);
    const bases = scopeBases(scope) ?? scopeBases(options.scope) ?? [''];
    const all = (scope ?? '') === '' && (options.scope ?? '') === '';
    return { inside: (path) => own(path) && outer(path), bases, all };
  };

  interface HistoryQuery {
    readonly filters: readonly string[];
    readonly scope: string | undefined;
    readonly path?: string;
    readonly limit: number | undefined;
    readonly signal: AbortSignal | undefined;
  }

  async function queryCommits(request: HistoryQuery): Promise<HistoryReply<CommitNote>> {
    const place = await repository();
    if (place.kind === 'none') return unknownReply(place.reason);
    if (place.head === null) return unknownReply('The repository has no commit yet.');
    const { inside, bases, all } = confine(request.scope);
    const limit = Math.min(Math.max(Math.floor(request.limit ?? defaultLimit), 1), maxCommits);
    const items: CommitNote[] = [];
    const reader = recordReader((note) => {
      const commit = keepPathsInside(note, place.prefix, inside);
      if (commit.paths.length > 0 || (all && note.paths.length === 0)) items.push(commit);
    });
    const starts = request.path === undefined ? bases : [request.path];
    const below = starts
      .map((start) => (place.prefix + start).replace(/\/$/, ''))
      .filter((start) => start !== '');
    const child = await runGit(place, {
      args: [...plainLog, ...request.filters, '--end-of-options', place.head, '--', ...below],
      timeoutMs,
      signal: request.signal,
      maxBytes: Number.MAX_SAFE_INTEGER,
      onOutput: (chunk) => {
        reader.take(chunk);
        return items.length > limit ? 'enough' : 'more';
      },
    });
    if (child.ended === 'exit') reader.finish();
    return toCommitReply(items, limit, child, place);
  }

  return {
    async readable() {
      const place = await repository();
      return place.kind !== 'none' && place.head !== null;
    },

    async unreadableReason() {
      const place = await repository();
      return place.kind === 'none' && place.isThere ? place.reason : null;
    },

    async log({ path, scope, message, limit, signal }) {
      const filters =
        message === undefined || message.trim() === ''
          ? []
          : ['--regexp-ignore-case', '--fixed-strings', `--grep=${message.replace(/\s+/g, ' ').trim()}`];
      const below = path === undefined ? undefined : requirePath(root, path);
      const follow = below !== undefined && isFile(join(root, below)) ? ['--follow'] : ['--no-renames'];
      return queryCommits({
        filters: [...filters, ...follow],
        scope,
        limit,
        signal,
        ...(below !== undefined && { path: below }),
      });
    },

    async pickaxe({ text, regex = false, scope, limit, signal }) {
      if (text === '') throw createBadPatternError(text, 'it is empty');
      if (text.includes('\0')) throw createBadPatternError(text, 'it holds a NUL byte');
      return queryCommits({
        filters: ['--no-renames', `-${regex ? 'G' : 'S'}${text}`],
        scope,
        limit,
        signal,
      });
    },

    async blame({ path, start, end, signal }) {
      const below = requirePath(root, path);
      if (!(Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 1 && end >= start))
        throw new SondeError('bad_argument', {
          message: `${start}-${end} is no range of lines.`,
          remedy: 'Give the first and the last line, counted from 1.',
        });
      const place = await repository();
      if (place.kind === 'none') return unknownReply(place.reason);
      if (place.head === null) return unknownReply('The repository has no commit yet.');
      if (!confine(undefined).inside(below)) return unknownReply(`${below} is outside the scope.`);
      const last = Math.min(end, start + maxBlamed - 1);
      const child = await runGit(place, {
        args: [
          'blame',
          '--line-porcelain',
          '-w',
          '--encoding=UTF-8',
          '-L',
          `${start},${last}`,
          '--',
          place.prefix + below,
        ],
        workTree: 'top',
        timeoutMs,
        signal,
      });
      return toBlameReply(below, child, last < end, place);
    },
  };
}

function toBlameReply(
  path: string,
  child: ChildReply,
  cut: boolean,
  place: Repository,
): HistoryReply<BlameLine> {
  if (child.ended !== 'exit') return unknownReply(`git blame of ${path} was ended before it was through.`);
  if (child.code !== 0) {
    const said = firstErrorLine(child.stderr);
    const lines = /has only (\d+) lines?/.exec(said)?.[1];
    if (lines !== undefined)
      throw new SondeError('span_out_of_range', {
        message: `${path} has ${formatCount(Number(lines), 'line')}.`,
        remedy: 'Ask for lines within the file.',
        details: { path, lines: Number(lines) },
      });
    return unknownReply(`Git knows nothing of ${path}: ${said}.`);
  }
  const items = parseBlame(child.stdout.toString('utf8'));
  const notes = shallowNotes(place);
  if (items.some((item) => /^0+$/.test(item.commit)))
    notes.push('Lines of commit 0000000 are not committed yet.');
  if (cut) notes.push(`Only the first ${maxBlamed} lines were looked at.`);
  return freezeReply(items, notes.length > 0 && (cut || place.shallow) ? 'partial' : 'complete', notes);
}

function toCommitReply(
  items: CommitNote[],
  limit: number,
  child: ChildReply,
  place: Repository,
): HistoryReply<CommitNote> {
  const notes = shallowNotes(place);
  const cut = items.length > limit;
  if (cut) notes.push(`There are more than ${limit} such commits; the newest ${limit} are listed.`);
  if (child.ended === 'timeout')
    notes.push('The search was ended before it was through: older commits were not looked at.');
  const failed = child.ended === 'exit' && child.code !== 0;
  if (failed) {
    const said = firstErrorLine(child.stderr);
    if (/regex/i.test(said)) throw createBadPatternError('', said);
    notes.push(`Git stopped early: ${said}.`);
    if (items.length === 0) return freezeReply([], 'unknown', notes);
  }
  if (items.some((item) => item.paths.length > maxPaths))
    notes.push(`Of commits with more than ${maxPaths} files only so many are named.`);
  const partial = cut || failed || child.ended === 'timeout' || place.shallow;
  return freezeReply(
    items.slice(0, limit).map((item) => ({ ...item, paths: item.paths.slice(0, maxPaths) })),
    partial ? 'partial' : 'complete',
    notes,
  );
}

/** Makes the paths of a commit relative to the root, and drops those outside of it or of the scope. */
function keepPathsInside(note: CommitNote, prefix: string, inside: ScopeMatcher): CommitNote {
  const paths = note.paths
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length))
    .filter(inside);
  return { ...note, paths };
}

function shallowNotes(place: Repository): string[] {
  return place.shallow ? ['The clone is shallow: what is older than its first commit is not here.'] : [];
}

function unknownReply<Item>(note: string): HistoryReply<Item> {
  return freezeReply([], 'unknown', [note]);
}

function freezeReply<Item>(
  items: readonly Item[],
  completeness: HistoryReply<Item>['completeness'],
  notes: readonly string[],
): HistoryReply<Item> {
  return Object.freeze({ items: Object.freeze(items), completeness, notes: Object.freeze(notes) });
}

function requirePath(root: string, given: string): string {
  const checked = pathBelow(root, given);
  if (checked.kind === 'path') return checked.path;
  throw new SondeError('outside_root', {
    message: `${given.slice(0, 200)} cannot be asked about: ${checked.reason}.`,
    remedy: 'Give a path relative to the root.',
  });
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // The name is too long for any file, or links form a circle: git decides whether it knows the path.
    return false;
  }
}

function createBadPatternError(pattern: string, reason: string): SondeError {
  return new SondeError('bad_pattern', {
    message: `${pattern === '' ? 'The text' : JSON.stringify(pattern.slice(0, 100))} cannot be searched for: ${reason}.`,
    remedy: 'Give a text, or an extended regular expression where `regex` is set.',
  });
}
