import type { FileText, ScopeMatcher, Unreadable } from '../../core/index.ts';
import { refuse, refuseTooLarge, toTextReply } from '../read-reply.ts';
import { firstErrorLine, type Repository, runGit } from './git.ts';

/** More changed files than these are counted, not listed. */
const maxPaths = 500;

/** The text of a file at a commit. A link is not followed: where it leads may be outside the root. */
export async function readBlob(
  repository: Repository,
  commit: string,
  path: string,
  maxBytes: number,
): Promise<FileText | Unreadable> {
  const listed = await runGit(repository, {
    args: ['ls-tree', '-l', '-z', '--full-tree', commit, '--', repository.prefix + path],
  });
  const entry = /^(\d{6}) (\w+) ([0-9a-f]{40,64}) +(\d+|-)\t/.exec(listed.stdout.toString('utf8'));
  if (entry === null) {
    const why = listed.code === 0 ? 'there is no such file in it' : firstErrorLine(listed.stderr);
    return refuse('missing', `${path} cannot be read at ${commit}: ${why}.`);
  }
  const [, mode = '', type, object = '', size] = entry;
  if (type !== 'blob') return refuse('not_text', `${path} at ${commit} is a folder, not a file.`);
  if (mode.startsWith('12')) return refuse('not_text', `${path} at ${commit} is a link, not a file.`);
  if (Number(size) > maxBytes) return refuseTooLarge(path, Number(size), maxBytes);
  const blob = await runGit(repository, { args: ['cat-file', 'blob', object], maxBytes: maxBytes + 1 });
  if (blob.code !== 0)
    return refuse('missing', `${path} cannot be read at ${commit}: ${firstErrorLine(blob.stderr)}.`);
  return toTextReply(path, blob.stdout);
}

/**
 * A commit as a text that can be cited: its author and date, its message, and the files it changed compared with its first
 * parent. Files outside the root or the scope are not listed. A commit without changes in the scope counts as outside
 * of it.
 */
export async function readCommit(
  repository: Repository,
  commit: string,
  inScope: ScopeMatcher | null,
): Promise<FileText | Unreadable> {
  const reply = await runGit(repository, {
    args: [
      ...['log', '-1', '-z', '--no-color', '--encoding=UTF-8', '--no-show-signature', '--no-ext-diff'],
      ...['--no-textconv', '--no-renames', '--first-parent', '-m', '--root', '--name-only'],
      ...['--format=tformat:%an%x00%at%x00%B%x00', '--end-of-options', commit, '--'],
    ],
    maxBytes: 16 * 1024 * 1024,
  });
  if (reply.code !== 0)
    return refuse('missing', `commit:${commit} cannot be read: ${firstErrorLine(reply.stderr)}.`);
  const [author = '', seconds = '0', message = '', ...names] = reply.stdout.toString('utf8').split('\0');
  const inside = names
    .map((name) => name.replace(/^\n/, ''))
    .filter((name) => name !== '' && name.startsWith(repository.prefix))
    .map((name) => name.slice(repository.prefix.length));
  const paths = inScope === null ? inside : inside.filter(inScope);
  if (inScope !== null && paths.length === 0)
    return refuse('out_of_scope', `commit:${commit} changed no file in the scope.`);
  const more = paths.length - maxPaths;
  return Object.freeze({
    kind: 'text',
    lines: Object.freeze([
      // They come first because a citation may hold only the first lines of a long message.
      `Author: ${author}`,
      `Date: ${new Date(Number(seconds) * 1000).toISOString()}`,
      '',
      ...message.trimEnd().split(/\r?\n/),
      '',
      'Files:',
      ...paths.slice(0, maxPaths),
      ...(more > 0 ? [`… and ${more} more`] : []),
    ]),
  });
}

const maxDiffLength = 8 * 1024 * 1024;

/** The diff of one file in a commit, compared with its first parent. */
export async function readDiff(
  repository: Repository,
  commit: string,
  path: string,
): Promise<FileText | Unreadable> {
  const name = `diff:${commit}:${path}`;
  const reply = await runGit(repository, {
    args: [
      ...['log', '-1', '-p', '--no-color', '--encoding=UTF-8', '--no-show-signature', '--no-ext-diff'],
      ...[
        '--no-textconv',
        '--no-renames',
        '--first-parent',
        '-m',
        '--root',
        '--src-prefix=a/',
        '--dst-prefix=b/',
      ],
      ...['--format=tformat:', '--end-of-options', commit, '--', repository.prefix + path],
    ],
    maxBytes: maxDiffLength,
  });
  if (reply.ended === 'too_much') return refuseTooLarge(name, maxDiffLength + 1, maxDiffLength);
  if (reply.code !== 0) return refuse('missing', `${name} cannot be read: ${firstErrorLine(reply.stderr)}.`);
  const text = reply.stdout.toString('utf8').trim();
  return text === ''
    ? refuse('missing', `${name} cannot be read: the commit did not change that file.`)
    : toTextReply(name, Buffer.from(text));
}
