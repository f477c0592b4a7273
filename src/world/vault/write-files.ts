/** Writes files into a folder and nowhere else, each whole or not at all. */
import { randomBytes } from 'node:crypto';
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SondeError } from '../../core/index.ts';

export type Written = 'written' | 'replaced' | 'unchanged';

export interface TargetFolder {
  readonly root: string;
  /**
   * Writes a file. `path` is relative to the folder, with `/`. Throws errors of the file system, and an error if a link
   * is in the way. `mayReplace` is called last, with the present bytes of the file, and throws if these must stay.
   */
  write(path: string, content: Buffer, mayReplace: (there: Buffer) => void): Written;
  copy(path: string, from: string): Written;
}

/** Opens a folder, and creates it if it is missing. Throws `bad_argument` if it has files and `replace` is false. */
export function openTarget(path: string, replace: boolean): TargetFolder {
  const refuse = (why: string, remedy: string): never => {
    throw new SondeError('bad_argument', { message: `${path} ${why}`, remedy });
  };
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return refuse('is a file', 'Name a folder.');
  mkdirSync(path, { recursive: true });
  if (!replace && readdirSync(path).length > 0)
    return refuse(
      'is not empty',
      'Name an empty folder, or give --replace: older files of the same name are then replaced, none is deleted.',
    );
  const root = realpathSync(path);
  const known = new Set([root]);

  /** Checks that every folder on the way is a real one, so that no link leads out. */
  function folder(place: string): void {
    if (known.has(place)) return;
    folder(dirname(place));
    const there = lstatSync(place, { throwIfNoEntry: false });
    if (there === undefined) mkdirSync(place);
    else if (!there.isDirectory()) throw new Error(`${place} is in the way: it is not a folder`);
    known.add(place);
  }

  function put(
    path: string,
    isSame: (place: string) => boolean,
    make: (place: string) => void,
    mayReplace: (place: string) => void = () => {},
  ): Written {
    const place = join(root, path);
    if (!place.startsWith(`${root}/`)) throw new Error(`${path} leads out of ${root}`);
    folder(dirname(place));
    const there = lstatSync(place, { throwIfNoEntry: false });
    if (there?.isDirectory()) throw new Error(`${place} is in the way: it is a folder`);
    if (there?.isFile() && isSame(place)) return 'unchanged';
    if (there !== undefined && !replace) throw new Error(`${place} was written already, in other letters`);
    const part = join(dirname(place), `.sonde-${randomBytes(6).toString('hex')}`);
    try {
      make(part);
      // This check comes last, so that little time is left in which somebody may save the file.
      if (there?.isFile()) mayReplace(place);
      renameSync(part, place);
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    }
    return there === undefined ? 'written' : 'replaced';
  }

  return {
    root,
    write: (path, content, mayReplace) =>
      put(
        path,
        (place) => readFileSync(place).equals(content),
        (place) => writeFileSync(place, content, { flag: 'wx' }),
        (place) => mayReplace(readFileSync(place)),
      ),
    copy: (path, from) =>
      put(
        path,
        (place) => readFileSync(place).equals(readFileSync(from)),
        (place) => copyFileSync(from, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
      ),
  };
}
