/**
 * Reports whether something may have changed in a tree of folders. It does not record which files changed, since a pass
 * checks every file. Uses `fs.watch`, with one watcher for each folder.
 */
import { type FSWatcher, statfsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

export interface FolderWatch {
  isTouched(): boolean;
  /** Called before a pass, which sees all earlier changes: `isTouched` is false until the next change. */
  startPass(): void;
  /** Sets the folders to watch. */
  readonly setFolders: (folders: readonly string[]) => void;
  /** Whether changes must be polled: on a network file system, or if too many folders would be watched. */
  isPolling(): boolean;
  close(): void;
}

/** Types of file systems that don't report changes by other machines: NFS, SMB, CIFS, FUSE, 9P. */
const remoteFileSystems = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x65735546, 0x01021997]);
/** Operating systems on which one watcher covers a whole tree. */
const recursivePlatforms = ['darwin', 'win32'];

export function openFolderWatch(root: string): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let hasChanged = false;
  let mustPoll = isRemote(root);
  const stopWatching = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  function startWatching(folder: string, recursive: boolean): void {
    try {
      const watcher = watch(join(root, folder), { recursive }, (_kind, name) => {
        // Hidden names, such as those of temporary parts, are ignored.
        if (name === null || !basename(name).startsWith('.')) hasChanged = true;
      });
      watcher.on('error', () => {
        hasChanged = true;
        stopWatching(folder);
      });
      watchers.set(folder, watcher);
    } catch (error) {
      // ENOENT: the folder is gone. Other errors: it can't be watched.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') mustPoll = true;
    }
  }
  return {
    isTouched: () => hasChanged,
    startPass: () => {
      hasChanged = false;
    },
    setFolders(folders) {
      if (mustPoll) return;
      const isRecursive = recursivePlatforms.includes(process.platform);
      const foldersToWatch = new Set(isRecursive ? [''] : folders);
      for (const folder of watchers.keys()) if (!foldersToWatch.has(folder)) stopWatching(folder);
      for (const folder of foldersToWatch) {
        if (watchers.has(folder)) continue;
        startWatching(folder, isRecursive);
        // Files may have been added before the folder was watched.
        hasChanged = true;
      }
    },
    isPolling: () => mustPoll,
    close: () => {
      for (const folder of [...watchers.keys()]) stopWatching(folder);
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
