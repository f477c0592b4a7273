/** Writes files atomically, and only into one folder. */
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

export type WriteOutcome = 'written' | 'replaced' | 'unchanged';

export interface TargetFolder {
  readonly root: string;
  /**
   * Writes a file. `path`: relative to the folder, with `/`. Throws if a link is in the way, and errors of the file
   * system. `mayReplace` gets the present bytes of the file right before it is replaced, and throws if they must stay.
   */
  write(path: string, content: Buffer, mayReplace: (there: Buffer) => void): WriteOutcome;
  copy(path: string, from: string): WriteOutcome;
}

/** Opens or creates a folder. Throws `bad_argument` if it has files and `replace` is false. */
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
  const checkedFolders = new Set([root]);

  /** Creates the folders of a path, and checks that none is a link, which could lead out. */
  function makeFolder(place: string): void {
    if (checkedFolders.has(place)) return;
    makeFolder(dirname(place));
    const folder = lstatSync(place, { throwIfNoEntry: false });
    if (folder === undefined) mkdirSync(place);
    else if (!folder.isDirectory()) throw new Error(`${place} is in the way: it is not a folder`);
    checkedFolders.add(place);
  }

  function putFile(
    path: string,
    isSame: (place: string) => boolean,
    createFile: (place: string) => void,
    mayReplace: (place: string) => void = () => {},
  ): WriteOutcome {
    const place = join(root, path);
    if (!place.startsWith(`${root}/`)) throw new Error(`${path} leads out of ${root}`);
    makeFolder(dirname(place));
    const present = lstatSync(place, { throwIfNoEntry: false });
    if (present?.isDirectory()) throw new Error(`${place} is in the way: it is a folder`);
    if (present?.isFile() && isSame(place)) return 'unchanged';
    if (present !== undefined && !replace) throw new Error(`${place} was written already, in other letters`);
    const temporaryPath = join(dirname(place), `.sonde-${randomBytes(6).toString('hex')}`);
    try {
      createFile(temporaryPath);
      // Checked last, so that another program has little time to save the file in between.
      if (present?.isFile()) mayReplace(place);
      renameSync(temporaryPath, place);
    } catch (error) {
      rmSync(temporaryPath, { force: true });
      throw error;
    }
    return present === undefined ? 'written' : 'replaced';
  }

  return {
    root,
    write: (path, content, mayReplace) =>
      putFile(
        path,
        (place) => readFileSync(place).equals(content),
        (place) => writeFileSync(place, content, { flag: 'wx' }),
        (place) => mayReplace(readFileSync(place)),
      ),
    copy: (path, from) =>
      putFile(
        path,
        (place) => readFileSync(place).equals(readFileSync(from)),
        (place) => copyFileSync(from, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
      ),
  };
}
