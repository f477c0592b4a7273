/**
 * Reports whether something may have changed in a tree of folders. A pass checks every file, so it is not recorded
 * which one changed. Uses `fs.watch`, with one watcher for each folder.
 */
import { type FSWatcher, statfsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

export interface FolderWatch {
  isTouched(): boolean;
  /** Called before a pass, which sees all changes until then. */
  startPass(): void;
  /** Sets the folders to watch. */
  readonly setFolders: (folders: readonly string[]) => void;
  /** Whether changes must be polled: on a network file system, or if too many folders would be watched. */
  isPolling(): boolean;
  close(): void;
}

/** Types of file systems that don't report changes by other machines: NFS, SMB, CIFS, FUSE, 9P. */
const remoteFileSystems = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x65735546, 0x01021997]);
/** Systems on which one watcher covers a whole tree. */
const recursivePlatforms = ['darwin', 'win32'];

export function openFolderWatch(root: string): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let touched = false;
  let polling = isRemote(root);
  const drop = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  function add(folder: string, recursive: boolean): void {
    try {
      const watcher = watch(join(root, folder), { recursive }, (_kind, name) => {
        // Hidden names, such as those of temporary parts, are ignored.
        if (name === null || !basename(name).startsWith('.')) touched = true;
      });
      watcher.on('error', () => {
        touched = true;
        drop(folder);
      });
      watchers.set(folder, watcher);
    } catch (error) {
      // ENOENT: the folder is gone. Other errors: it can't be watched.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') polling = true;
    }
  }
  return {
    isTouched: () => touched,
    startPass: () => {
      touched = false;
    },
    setFolders(folders) {
      if (polling) return;
      const whole = recursivePlatforms.includes(process.platform);
      const wanted = new Set(whole ? [''] : folders);
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) {
        if (watchers.has(folder)) continue;
        add(folder, whole);
        // Files may have been added before the folder was watched.
        touched = true;
      }
    },
    isPolling: () => polling,
    close: () => {
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}

function isRemote(root: string): boolean {
  try {
    return remoteFileSystems.has(statfsSync(root).type >>> 0);
  } catch {
    return false;
  }
}
