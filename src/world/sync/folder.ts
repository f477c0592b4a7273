/** Changes files so that a crash at any instant leaves each of them complete, and no text of a person is lost. */
import { hash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SondeError } from '../../core/index.ts';

export const hashOf = (content: string | Buffer): string => hash('sha256', content);

/** changed: another program changed the file in between, and nothing was done. */
export type FileOutcome = 'done' | 'changed';

export interface Folder {
  readonly root: string;
  stats(file: string): BigIntStats | null;
  /** Null if there is no such file, or if it is not a regular file. */
  read(file: string): Buffer | null;
  /**
   * Replaces a file whose bytes have the hash `seen` (null for no file). If the file system supports links, the old
   * file is kept as `oldOf(part)`, so that an edit made at this very moment is found. For a new file, `doneOf(part)` is
   * kept, which proves that it was written, whatever happened to it afterwards.
   */
  write(file: string, content: Buffer, part: string, seen: string | null): FileOutcome;
  /** Moves a file, and never over another file. */
  move(from: string, to: string): FileOutcome;
  remove(file: string): void;
}

/** Parts lie beside the file, on the same file system. `done` marks the new file once it is in place. */
export const newOf = (part: string): string => `${part}.new`;
export const oldOf = (part: string): string => `${part}.old`;
export const doneMarker = (part: string): string => `${part}.done`;

export function openFolder(root: string, onEffect: (what: string) => void = () => {}): Folder {
  const place = (file: string): string => join(root, file);

  const stats = (file: string): BigIntStats | null =>
    // A path below a file that was a folder before counts as missing.
    ignoringErrors(['ENOTDIR'], () => lstatSync(place(file), { bigint: true, throwIfNoEntry: false })) ??
    null;

  function read(file: string): Buffer | null {
    const current = stats(file);
    if (current?.isFile() !== true) return null;
    return ignoringErrors(['ENOENT'], () => readFileSync(place(file))) ?? null;
  }

  /** Creates the folders, and checks that each is a real one, so that no link leads out of the vault. */
  function makeFolders(folder: string): void {
    if (folder === '.' || folder === '') return;
    const current = stats(folder);
    if (current !== null && !current.isDirectory()) throw obstacleError(folder, 'it is not a folder');
    makeFolders(dirname(folder));
    if (current !== null) return;
    onEffect(`make ${folder}`);
    mkdirSync(place(folder));
    flushFolder(dirname(folder));
  }

  /** Flushes the folder, so that a rename survives a power failure. */
  function flushFolder(folder: string): void {
    ignoringErrors(['EISDIR', 'EPERM', 'EINVAL', 'EACCES', 'ENOTSUP'], () => {
      const open = openSync(place(folder), 'r');
      try {
        fsyncSync(open);
      } finally {
        closeSync(open);
      }
    });
  }

  /** Creates a file and writes it to the disk. `mode`: the mode of the file that it replaces. */
  function writeNew(file: string, content: Buffer, mode: number | null): void {
    onEffect(`write ${file}`);
    const open = openSync(place(file), 'wx', mode ?? 0o666);
    try {
      if (mode !== null) fchmodSync(open, mode);
      writeFileSync(open, content);
      onEffect(`fsync ${file}`);
      fsyncSync(open);
    } finally {
      closeSync(open);
    }
  }

  /** False if the file system has no hard links. Throws if the target exists. */
  const link = (from: string, to: string): boolean =>
    ignoringErrors(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EXDEV'], () => {
      linkSync(place(from), place(to));
      return true;
    }) ?? false;

  function move(from: string, to: string): FileOutcome {
    makeFolders(dirname(to));
    if (stats(to) !== null) return 'changed';
    onEffect(`link ${to}`);
    try {
      if (link(from, to)) {
        onEffect(`unlink ${from}`);
        rmSync(place(from));
      } else renameSync(place(from), place(to));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return 'changed';
      throw error;
    }
    flushFolder(dirname(to));
    return 'done';
  }

  /** Creates the file. Unlike after `move`, the part is still there under another name. */
  function make(fresh: string, file: string, done: string): FileOutcome {
    if (stats(file) !== null) return 'changed';
    onEffect(`link ${file}`);
    try {
      if (link(fresh, file)) {
        onEffect(`rename ${fresh}`);
        renameSync(place(fresh), place(done));
      } else renameSync(place(fresh), place(file));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return 'changed';
      throw error;
    }
    flushFolder(dirname(file));
    return 'done';
  }

  function replace(file: string, fresh: string, old: string, seen: string): FileOutcome {
    const current = stats(file);
    onEffect(`link ${old}`);
    const kept = link(file, old);
    const bytes = read(kept ? old : file);
    const now = stats(file);
    if (bytes === null || hashOf(bytes) !== seen || now === null || now.ino !== current?.ino) {
      if (kept) rmSync(place(old), { force: true });
      return 'changed';
    }
    onEffect(`rename ${file}`);
    renameSync(place(fresh), place(file));
    flushFolder(dirname(file));
    return 'done';
  }

  return {
    root,
    stats,
    read,
    move,
    remove: (file) => {
      onEffect(`remove ${file}`);
      rmSync(place(file), { force: true });
    },
    write(file, content, part, seen) {
      makeFolders(dirname(file));
      const current = stats(file);
      if (current !== null && !current.isFile()) throw obstacleError(file, 'it is no ordinary file');
      if (current !== null && (current.mode & 0o200n) === 0n)
        throw new Error(`${file} is read-only, and was left as it is`);
      if ((current === null) !== (seen === null)) return 'changed';
      const [fresh, old] = [newOf(part), oldOf(part)];
      try {
        writeNew(fresh, content, current === null ? null : Number(current.mode & 0o777n));
        const fileOutcome =
          seen === null ? make(fresh, file, doneMarker(part)) : replace(file, fresh, old, seen);
        if (fileOutcome === 'changed') rmSync(place(fresh), { force: true });
        return fileOutcome;
      } catch (error) {
        // The old file goes first: an old file without a new one would mean that the file was replaced.
        if (stats(old)?.ino === stats(file)?.ino) rmSync(place(old), { force: true });
        // The new file stays if the file is the same one under another name: this proves that it was written.
        if (stats(fresh)?.ino !== stats(file)?.ino) rmSync(place(fresh), { force: true });
        throw error;
      }
    },
  };
}

function obstacleError(file: string, why: string): SondeError {
  return new SondeError('bad_argument', {
    message: `${file} is in the way: ${why}`,
    remedy: 'Move it elsewhere, or rename the page.',
  });
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown } | null)?.code ?? '');

/** The result of `work`; undefined if it fails with one of these codes. */
function ignoringErrors<Value>(codes: readonly string[], work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined;
    throw error;
  }
}
