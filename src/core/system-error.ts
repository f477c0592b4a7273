/**
 * Failures of the machine and their remedies, whatever raised them: a system call, a database, a program that can't
 * start. None is a bug in this program.
 */
import { SondeError } from './errors.ts';

interface Trouble {
  readonly problem: string;
  readonly remedy: string;
}

const ownFolder = 'or set SONDE_HOME to a folder that can be written';
const full: Trouble = { problem: 'the disk is full', remedy: `Make room on it, ${ownFolder}.` };
const files: Trouble = {
  problem: 'too many files are open for this process',
  remedy: 'Raise the limit, such as with ulimit -n 1024, and run it again.',
};
const busy: Trouble = {
  problem: 'the machine has no room for one more process, or for what it needs',
  remedy: 'End other programs, or raise their limits, and run it again.',
};
const readOnly: Trouble = {
  problem: 'the file system is read-only',
  remedy: `Name a place that can be written, ${ownFolder}.`,
};
const denied: Trouble = {
  problem: 'permission denied',
  remedy: 'Give yourself permission, or name another place.',
};
const fileInTheWay: Trouble = {
  problem: 'a file is where a folder is needed',
  remedy: `Move that file away, ${ownFolder}.`,
};

/** The troubles by the system's own code of the failure. */
const troubles: Readonly<Record<string, Trouble>> = {
  ENOSPC: full,
  EDQUOT: { ...full, problem: 'the quota of the disk is used up' },
  EFBIG: full,
  EMFILE: files,
  ENFILE: files,
  EAGAIN: busy,
  ENOMEM: busy,
  EROFS: readOnly,
  EACCES: denied,
  EPERM: denied,
  ENOTDIR: fileInTheWay,
  EEXIST: fileInTheWay,
  EISDIR: { problem: 'a folder is where a file is needed', remedy: `Move that folder away, ${ownFolder}.` },
  ENOENT: {
    problem: 'there is no such file or folder',
    remedy: 'Check that it exists, and was not removed meanwhile.',
  },
  ELOOP: { problem: 'its links form a cycle', remedy: 'Correct the links, or name another place.' },
  ENAMETOOLONG: { problem: 'its name is too long', remedy: 'Name a place with a shorter path.' },
  damaged: {
    problem: 'its database is damaged',
    remedy: 'Move that file away, or restore it from a backup.',
  },
  closed: {
    problem: 'its database cannot be opened',
    remedy:
      'Check that its folder exists and can be written, and that not too many files are open (ulimit -n).',
  },
  EIO: { problem: 'the disk could not be read or written', remedy: 'Check the disk for errors.' },
};

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const databaseTroubles: Readonly<Record<number, string>> = {
  3: 'EACCES',
  8: 'EROFS',
  10: 'EIO',
  13: 'ENOSPC',
};

const goneFolder: Trouble = {
  problem: 'The current folder no longer exists',
  remedy: 'Change to a folder that exists, and run it again.',
};

/**
 * The error for a failure that the machine caused; null for any other. `doing`: the work that failed, for an error that
 * names no path.
 */
export function toSystemError(thrown: unknown, work?: string): SondeError | null {
  if (!(thrown instanceof Error) || thrown instanceof SondeError) return null;
  const { path, syscall, errcode } = thrown as NodeJS.ErrnoException & { readonly errcode?: number };
  const code = codeOf(thrown);
  if (syscall === 'uv_cwd' || (code === 'ENOENT' && /\buv_cwd\b/.test(thrown.message)))
    return createError('bad_argument', goneFolder.problem, goneFolder.remedy, thrown);
  const trouble = troubles[code] ?? troubles[databaseTroubles[(errcode ?? 0) & 0xff] ?? ''];
  if (trouble === undefined) return null;
  const place = work ?? path ?? syscall ?? 'A file';
  return createError(
    trouble === denied ? 'bad_argument' : 'tool_failed',
    `${place}: ${trouble.problem}`,
    trouble.remedy,
    thrown,
  );
}

/** The code of an error. An error that crossed a thread keeps its text, but may lose its code. */
function codeOf(thrown: Error): string {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code !== undefined && code in troubles) return code;
  return /\b(E[A-Z]{2,12})\b/.exec(thrown.message)?.[1] ?? '';
}

function createError(
  code: 'bad_argument' | 'tool_failed',
  message: string,
  remedy: string,
  cause: Error,
): SondeError {
  return new SondeError(code, { message, remedy, cause });
}
