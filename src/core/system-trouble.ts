/**
 * Failures of the machine and their remedies, whatever raised them: a system call, a database, a program that can't
 * start. None is a bug in this program.
 */
import { SondeError } from './errors.ts';

interface Trouble {
  readonly what: string;
  readonly remedy: string;
}

const ownFolder = 'or set SONDE_HOME to a folder that can be written';
const full: Trouble = { what: 'the disk is full', remedy: `Make room on it, ${ownFolder}.` };
const files: Trouble = {
  what: 'too many files are open for this process',
  remedy: 'Raise the limit, such as with ulimit -n 1024, and run it again.',
};
const busy: Trouble = {
  what: 'the machine has no room for one more process, or for what it needs',
  remedy: 'End other programs, or raise their limits, and run it again.',
};
const readOnly: Trouble = {
  what: 'the file system is read-only',
  remedy: `Name a place that can be written, ${ownFolder}.`,
};
const denied: Trouble = {
  what: 'permission denied',
  remedy: 'Give yourself permission, or name another place.',
};
const inWay: Trouble = {
  what: 'a file is where a folder is needed',
  remedy: `Move that file away, ${ownFolder}.`,
};

/** The troubles by the system's own code of the failure. */
const troubles: Readonly<Record<string, Trouble>> = {
  ENOSPC: full,
  EDQUOT: { ...full, what: 'the quota of the disk is used up' },
  EFBIG: full,
  EMFILE: files,
  ENFILE: files,
  EAGAIN: busy,
  ENOMEM: busy,
  EROFS: readOnly,
  EACCES: denied,
  EPERM: denied,
  ENOTDIR: inWay,
  EEXIST: inWay,
  EISDIR: { what: 'a folder is where a file is needed', remedy: `Move that folder away, ${ownFolder}.` },
  ENOENT: {
    what: 'there is no such file or folder',
    remedy: 'See that it is there, and was not removed meanwhile.',
  },
  ELOOP: { what: 'its links go round in a circle', remedy: 'Mend the links, or name another place.' },
  ENAMETOOLONG: { what: 'its name is too long', remedy: 'Name a place with a shorter path.' },
  damaged: { what: 'its database is damaged', remedy: 'Move that file away, or restore it from a backup.' },
  closed: {
    what: 'its database cannot be opened',
    remedy:
      'See that its folder is there and can be written, and that not too many files are open (ulimit -n).',
  },
  EIO: { what: 'the disk could not be read or written', remedy: 'See whether the disk is sound.' },
};

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const databaseTroubles: Readonly<Record<number, string>> = {
  3: 'EACCES',
  8: 'EROFS',
  10: 'EIO',
  13: 'ENOSPC',
};

const goneFolder: Trouble = {
  what: 'The folder that this was started in is gone',
  remedy: 'Change to a folder that is there, and run it again.',
};

/**
 * The error for a failure that the machine caused; null for any other. `doing`: the work that failed, for an error that
 * names no path.
 */
export function systemTrouble(thrown: unknown, doing?: string): SondeError | null {
  if (!(thrown instanceof Error) || thrown instanceof SondeError) return null;
  const { path, syscall, errcode } = thrown as NodeJS.ErrnoException & { readonly errcode?: number };
  const code = codeOf(thrown);
  if (syscall === 'uv_cwd' || (code === 'ENOENT' && /\buv_cwd\b/.test(thrown.message)))
    return toTroubleError('bad_argument', goneFolder.what, goneFolder.remedy, thrown);
  const trouble = troubles[code] ?? troubles[databaseTroubles[(errcode ?? 0) & 0xff] ?? ''];
  if (trouble === undefined) return null;
  const place = doing ?? path ?? syscall ?? 'A file';
  return toTroubleError(
    trouble === denied ? 'bad_argument' : 'tool_failed',
    `${place}: ${trouble.what}`,
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

function toTroubleError(
  code: 'bad_argument' | 'tool_failed',
  message: string,
  remedy: string,
  cause: Error,
): SondeError {
  return new SondeError(code, { message, remedy, cause });
}
