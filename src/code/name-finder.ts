import { realpathSync } from 'node:fs';
import {
  type FoundNames,
  type GitHistory,
  isSondeError,
  isWithheld,
  type NameFinder,
  scopeMatcher,
  type TextGrep,
} from '../core/index.ts';
import { runChild } from './child.ts';
import { ripgrepPath } from './grep/grep.ts';

export interface NameFinderOptions {
  readonly root: string;
  readonly grep: TextGrep;
  readonly past?: GitHistory;
  /** Milliseconds for all names of a call. The git history is searched last, so it may not be searched to its end. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 20_000;
const versionControl = ['.git', '.hg', '.svn', '.jj', '.bzr'];

interface NameQuery {
  readonly paths: readonly string[];
  readonly within: (path: string) => boolean;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
  readonly notes: Set<string>;
}

/**
 * Looks names up loosely, since people ask from memory: case and separators between words don't count; a call or a
 * dotted name is found if all its parts are in one file; a path is found even if one or two letters differ.
 */
export function nameFinder({
  root: givenRoot,
  grep,
  past,
  timeoutMs = defaultTimeoutMs,
}: NameFinderOptions): NameFinder {
  const root = realpathSync(givenRoot);

  async function occurs(token: string, query: NameQuery): Promise<boolean> {
    const pattern = loosePattern(token);
    const pathPattern = new RegExp(pattern, 'iu');
    if (query.paths.some((path) => pathPattern.test(path))) return true;
    const { scope, signal } = query;
    const request = { pattern, ignoreCase: true, limit: 1, signal, ...(scope !== undefined && { scope }) };
    const found = await grep.grep(request);
    if (found.matches.length > 0) return true;
    const place = await findInSkippedFiles(root, pattern, query);
    if (place !== null) {
      query.notes.add(`${token} stands only in what searches leave out: ${place}`);
      return true;
    }
    return past === undefined ? false : isInHistory(past, token, query);
  }

  async function isFound(name: string, query: NameQuery): Promise<boolean> {
    const { whole, parts, all } = parseForms(name);
    if (await occurs(whole, query)) return true;
    if (isFileName(whole)) {
      const similarPath = findNearest(whole, query.paths);
      if (similarPath !== null) {
        query.notes.add(`there is no ${whole}; ${similarPath} has nearly that name`);
        return true;
      }
    }
    if (parts.length < 2) return false;
    for (const part of parts) if ((await occurs(part, query)) !== all) return !all;
    return all;
  }

  return {
    async find({ names, scope, signal }): Promise<FoundNames> {
      const within = scopeMatcher(scope);
      const timeoutSignal = AbortSignal.timeout(timeoutMs);
      const combinedSignal = signal === undefined ? timeoutSignal : AbortSignal.any([signal, timeoutSignal]);
      const notes = new Set<string>();
      const missing: string[] = [];
      try {
        const query: NameQuery = {
          paths: await allPaths(root, within, combinedSignal),
          within,
          scope,
          signal: combinedSignal,
          notes,
        };
        for (const name of names) if (!(await isFound(name, query))) missing.push(name);
      } catch (error) {
        if (signal?.aborted || !timeoutSignal.aborted || !isSondeError(error, 'cancelled')) throw error;
        notes.add(`names of the question were not all looked up: ${timeoutMs / 1000} s did not suffice`);
      }
      return { missing, notes: [...notes] };
    },
  };
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A pattern for the words of a name, with any separators. The last word may be a plural. */
function loosePattern(token: string): string {
  const words = token
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '');
  const lastWord = words.at(-1) ?? '';
  const singular = lastWord.length > 4 ? lastWord.replace(/(?<![sS])[sS]$/, '') : lastWord;
  return [...words.slice(0, -1), singular].map(escapePattern).join('[-_. ]?');
}

interface NameForms {
  readonly whole: string;
  readonly parts: readonly string[];
  /** Whether all parts must occur, or one is enough: in a snippet of code, the other names may be made up. */
  readonly all: boolean;
}

function parseForms(name: string): NameForms {
  const callee = /^([^\s(]+)\(.*\)$/s.exec(name.trim())?.[1] ?? name.trim();
  const whole = callee
    .replace(/['’]s$/, '')
    .replace(/(\.\p{L}\w*):\d+(?:[-:]\d+)*$/u, '$1')
    .replace(/^(?:\.?\/)+/, '');
  const parts = [...new Set(whole.match(/[\p{L}_$][\p{L}\p{N}_$-]+/gu) ?? [])];
  return { whole, parts, all: !/[\s=;{}]/.test(whole) };
}

const isFileName = (name: string): boolean => /^[^\s]*\.\p{L}[\p{L}\p{N}]{0,9}$/u.test(name);

/** All files, including those that no search reads. */
async function allPaths(
  root: string,
  within: (path: string) => boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const paths = await ripgrep(root, ['--files', '--no-ignore'], signal);
  return paths.filter(within);
}

/** Searches files that are ignored, binary, or in an unknown encoding, but never files that hold secrets. */
async function findInSkippedFiles(
  root: string,
  pattern: string,
  { within, signal }: NameQuery,
): Promise<string | null> {
  const options = ['--no-ignore', '--text', '--ignore-case', '--files-with-matches', `--regexp=${pattern}`];
  const paths = await ripgrep(root, [...options, './'], signal);
  return paths.find((path) => within(path) && !isWithheld(path)) ?? null;
}

async function ripgrep(
  root: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const child = await runChild({
    command: await ripgrepPath(),
    args: ['--no-config', '--hidden', '--null', ...versionControl.map((name) => `--glob=!${name}`), ...args],
    cwd: root,
    env: { LC_ALL: 'C' },
    timeoutMs: defaultTimeoutMs,
    maxBytes: 256 * 1024 * 1024,
    signal,
  });
  return child.stdout
    .toString('utf8')
    .split('\0')
    .map((path) => path.replace(/^\.\//, ''))
    .filter((path) => path !== '');
}

async function isInHistory(
  past: GitHistory,
  token: string,
  { scope, signal, notes }: NameQuery,
): Promise<boolean> {
  const bounds = { limit: 1, signal, ...(scope !== undefined && { scope }) };
  try {
    if ((await past.log({ message: token, ...bounds })).items.length > 0) return true;
    return (await past.pickaxe({ text: token, ...bounds })).items.length > 0;
  } catch (error) {
    if (!signal.aborted && !isSondeError(error)) throw error;
    notes.add(`whether ${token} stands in an older commit was not looked up to the end`);
    return false;
  }
}

/** A path whose last segment differs by one or two letters, or only in its extension. */
function findNearest(name: string, paths: readonly string[]): string | null {
  const askedName = lastSegment(name.toLowerCase());
  const stem = askedName.replace(/\.[^.]*$/, '');
  const maxDistance = askedName.length > 8 ? 2 : 1;
  for (const path of paths) {
    const fileName = lastSegment(path.toLowerCase());
    if (stem.length > 3 && fileName.replace(/\.[^.]*$/, '') === stem) return path;
    if (
      Math.abs(fileName.length - askedName.length) <= maxDistance &&
      editDistance(fileName, askedName) <= maxDistance
    )
      return path;
  }
  return null;
}

const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The number of letters added, left out, changed, or swapped with a neighbour. */
function editDistance(one: string, other: string): number {
  let [beforeLastRow, lastRow] = [[] as number[], Array.from({ length: other.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      row[j] = Math.min(row[j - 1]! + 1, lastRow[j]! + 1, lastRow[j - 1]! + cost);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        row[j] = Math.min(row[j]!, beforeLastRow[j - 2]! + 1);
    }
    [beforeLastRow, lastRow] = [lastRow, row];
  }
  return lastRow[other.length]!;
}
