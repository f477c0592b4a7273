/** The differences between the working tree and a revision: paths, and the changed lines of each. */
import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { SondeError } from '../../core/index.ts';
import { findRepository, type GitProgram, resolveCommit, runGit } from './git.ts';

/** 1-based and inclusive. */
export interface ChangedSpan {
  readonly start: number;
  readonly end: number;
  /** An insertion or a removal: no line of this text changed. The span is the two lines around that place. */
  readonly isGap?: true;
}

export interface ChangedFile {
  readonly path: string;
  /** Spans in the new text. */
  readonly spans: readonly ChangedSpan[];
  /** Spans in the old text. */
  readonly before: readonly ChangedSpan[];
  /** The file is new. */
  readonly created: boolean;
  /** The file was deleted. */
  readonly deleted: boolean;
  /** Git can't compare its lines (it is binary or too large), so all of it may have changed. */
  readonly whole?: true;
}

export interface ChangedLines {
  readonly commit: string;
  readonly files: readonly ChangedFile[];
}

/** Throws `bad_argument` if there is no repository or no such revision. */
export async function findChangedLines(
  given: string,
  revision: string,
  git: GitProgram,
  signal?: AbortSignal,
): Promise<ChangedLines> {
  const root = realpathSync(given);
  const place = await findRepository(root, git);
  if (place.kind === 'none')
    throw new SondeError('bad_argument', {
      message: `there is nothing to compare with: ${place.reason.replace(/\.$/, '')}`,
      remedy: place.isThere
        ? 'Without its history, sonde impact SYMBOL tells what hangs on one definition.'
        : 'Run it in a folder of a git repository.',
    });
  const commit = await resolveCommit(place, revision);
  if (commit === null) throw createNoRevisionError(revision);
  const index = join(place.place.gitDir, 'index');
  const hasIndex = lstatSync(index, { throwIfNoEntry: false })?.isFile() === true;
  const reply = await runGit(place, {
    args: [
      'diff',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      '--unified=0',
      '--relative',
      '--src-prefix=a/',
      '--dst-prefix=b/',
      commit,
      '--',
      '.',
    ],
    workTree: 'root',
    ...(hasIndex && { index }),
    signal,
  });
  if (reply.code !== 0 || reply.ended !== 'exit')
    throw new SondeError('tool_failed', {
      message: `git could not compare with ${revision}: ${reply.stderr.split('\n')[0] ?? ''}`,
      remedy: 'Run git diff in the folder to see why.',
    });
  return { commit, files: parseDiff(reply.stdout.toString('utf8')) };
}

const createNoRevisionError = (revision: string): SondeError =>
  new SondeError('bad_argument', {
    message: `${JSON.stringify(revision.slice(0, 100))} is no revision that can be compared with: there is no such commit`,
    remedy: 'Name a commit, a branch or a tag, such as HEAD~1 or main.',
  });

export function parseDiff(text: string): readonly ChangedFile[] {
  const files: {
    path: string;
    spans: ChangedSpan[];
    before: ChangedSpan[];
    created: boolean;
    deleted: boolean;
    whole?: true;
  }[] = [];
  let from = '';
  let named = '';
  /** Remaining lines of the hunk: they are content, even if they look like headers. */
  let inHunk = 0;
  for (const line of text.split('\n')) {
    if (inHunk > 0 && /^[+-]/.test(line)) inHunk -= 1;
    else if (line.startsWith('diff --git ')) named = parseHeaderPath(line.slice('diff --git '.length));
    else if (line.startsWith('Binary files ')) {
      const all = [{ start: 1, end: Number.MAX_SAFE_INTEGER }];
      const created = line.startsWith('Binary files /dev/null and ');
      const deleted = line.endsWith(' and /dev/null differ');
      files.push({ path: named, spans: all, before: all, created, deleted, whole: true });
    } else if (line.startsWith('--- ')) from = unquotePath(line.slice(4)).replace(/^a\//, '');
    else if (line.startsWith('+++ ')) {
      const to = unquotePath(line.slice(4));
      const deleted = to === '/dev/null';
      files.push({
        path: deleted ? from : to.replace(/^b\//, ''),
        spans: [],
        before: [],
        created: from === '/dev/null',
        deleted,
      });
    } else {
      const [, oldStart, oldCount = '1', start, count = '1'] =
        /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      const file = files.at(-1);
      if (start === undefined || file === undefined) continue;
      inHunk = Number(oldCount) + Number(count);
      file.spans.push(toSpan(Number(start), Number(count)));
      file.before.push(toSpan(Number(oldStart), Number(oldCount)));
    }
  }
  return files;
}

/** `a/x b/x`: both paths are equal, since git is told not to detect renames. */
function parseHeaderPath(text: string): string {
  const half = text.slice(0, (text.length - 1) / 2);
  return unquotePath(half).replace(/^a\//, '');
}

const toSpan = (start: number, count: number): ChangedSpan =>
  count === 0 ? { start, end: start + 1, isGap: true } : { start, end: start + count - 1 };

/** Git quotes a path with unusual bytes. */
function unquotePath(given: string): string {
  const text = given.replace(/\t$/, '');
  if (!text.startsWith('"')) return text;
  const bytes = text
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      /^\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : ({ n: '\n', t: '\t' }[code] ?? code),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
