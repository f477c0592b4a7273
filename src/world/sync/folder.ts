/** Changes files so that a crash at any time leaves each of them complete, and loses no text of a person. */
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

/** done: the file was changed as requested. changed: another program has changed the file, so nothing was done. */
export type FileOutcome = 'done' | 'changed';

export interface Folder {
  readonly root: string;
  stats(file: string): BigIntStats | null;
  /** Null if there is no such regular file. */
  read(file: string): Buffer | null;
  /**
   * Replaces a file whose bytes have the hash `seen`, or creates it (`seen` null). If the file system has hard links,
   * the replaced file keeps the name `toOldName(part)`, so that an edit at this moment can be found; a created file
   * gets the second name `toDoneName(part)`, which proves that it was written.
   */
  write(file: string, content: Buffer, part: string, seen: string | null): FileOutcome;
  /** Moves a file. Never overwrites another file. */
  move(from: string, to: string): FileOutcome;
  remove(file: string): void;
}

/** Names of temporary files beside the file, on the same file system. `done`: second name of a created file. */
export const toNewName = (part: string): string => `${part}.new`;
export const toOldName = (part: string): string => `${part}.old`;
export const toDoneName = (part: string): string => `${part}.done`;

export function openFolder(root: string, onEffect: (what: string) => void = () => {}): Folder {
  const toPlace = (file: string): string => join(root, file);

  const stats = (file: string): BigIntStats | null =>
    // ENOTDIR: a file has replaced a folder of the path.
    ignoreErrors(['ENOTDIR'], () => lstatSync(toPlace(file), { bigint: true, throwIfNoEntry: false })) ??
    null;

  function read(file: string): Buffer | null {
    const current = stats(file);
    if (current?.isFile() !== true) return null;
    return ignoreErrors(['ENOENT'], () => readFileSync(toPlace(file))) ?? null;
  }

  /** Creates the folders, and checks that none is a link, which could lead out of the vault. */
  function makeFolders(folder: string): void {
    if (folder === '.' || folder === '') return;
    const current = stats(folder);
    if (current !== null && !current.isDirectory()) throw obstacleError(folder, 'it is not a folder');
    makeFolders(dirname(folder));
    if (current !== null) return;
    onEffect(`make ${folder}`);
    mkdirSync(toPlace(folder));
    flushFolder(dirname(folder));
  }

  /** Syncs the folder, so that a rename survives a power failure. */
  function flushFolder(folder: string): void {
    ignoreErrors(['EISDIR', 'EPERM', 'EINVAL', 'EACCES', 'ENOTSUP'], () => {
      const descriptor = openSync(toPlace(folder), 'r');
      try {
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    });
  }

  /** Creates a file and syncs it. `mode`: the mode of the file that it will replace. */
  function writeNew(file: string, content: Buffer, mode: number | null): void {
    onEffect(`write ${file}`);
    const descriptor = openSync(toPlace(file), 'wx', mode ?? 0o666);
    try {
      if (mode !== null) fchmodSync(descriptor, mode);
      writeFileSync(descriptor, content);
      onEffect(`fsync ${file}`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** False if the file system has no hard links. Throws if the target exists. */
  const link = (from: string, to: string): boolean =>
    ignoreErrors(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EXDEV'], () => {
      linkSync(toPlace(from), toPlace(to));
      return true;
    }) ?? false;

  function move(from: string, to: string): FileOutcome {
    makeFolders(dirname(to));
    if (stats(to) !== null) return 'changed';
    onEffect(`link ${to}`);
    try {
      if (link(from, to)) {
        onEffect(`unlink ${from}`);
        rmSync(toPlace(from));
      } else renameSync(toPlace(from), toPlace(to));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return 'changed';
      throw error;
    }
    flushFolder(dirname(to));
    return 'done';
  }

  /** Gives a temporary file its final name. With hard links, it keeps `doneName` as a second name. */
  function createFile(newName: string, file: string, doneName: string): FileOutcome {
    if (stats(file) !== null) return 'changed';
    onEffect(`link ${file}`);
    try {
      if (link(newName, file)) {
        onEffect(`rename ${newName}`);
        renameSync(toPlace(newName), toPlace(doneName));
      } else renameSync(toPlace(newName), toPlace(file));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return 'changed';
      throw error;
    }
    flushFolder(dirname(file));
    return 'done';
  }

  function replaceFile(file: string, newName: string, oldName: string, seen: string): FileOutcome {
    const current = stats(file);
    onEffect(`link ${oldName}`);
    const hasOldName = link(file, oldName);
    const bytes = read(hasOldName ? oldName : file);
    const afterRead = stats(file);
    if (bytes === null || hashOf(bytes) !== seen || afterRead === null || afterRead.ino !== current?.ino) {
      if (hasOldName) rmSync(toPlace(oldName), { force: true });
      return 'changed';
    }
    onEffect(`rename ${file}`);
    renameSync(toPlace(newName), toPlace(file));
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
      rmSync(toPlace(file), { force: true });
    },
    write(file, content, part, seen) {
      makeFolders(dirname(file));
      const current = stats(file);
      if (current !== null && !current.isFile()) throw obstacleError(file, 'it is no ordinary file');
      if (current !== null && (current.mode & 0o200n) === 0n)
        throw new Error(`${file} is read-only, and was left as it is`);
      if ((current === null) !== (seen === null)) return 'changed';
      const [newName, oldName] = [toNewName(part), toOldName(part)];
      try {
        writeNew(newName, content, current === null ? null : Number(current.mode & 0o777n));
        const outcome =
          seen === null
            ? createFile(newName, file, toDoneName(part))
            : replaceFile(file, newName, oldName, seen);
        if (outcome === 'changed') rmSync(toPlace(newName), { force: true });
        return outcome;
      } catch (error) {
        // The old part is removed first: an old part without a new one would mean that the file was replaced.
        if (stats(oldName)?.ino === stats(file)?.ino) rmSync(toPlace(oldName), { force: true });
        // The new part stays if it is the same inode as the file, which proves that the file was written.
        if (stats(newName)?.ino !== stats(file)?.ino) rmSync(toPlace(newName), { force: true });
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

/** Runs `work`; undefined if it fails with one of these codes. */
function ignoreErrors<Value>(codes: readonly string[], work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined;
    throw error;
  }
}
