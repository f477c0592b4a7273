/**
 * Reports whether something may have changed in a folder. Each sync pass reads everything, so a watcher need not say
 * which file changed. One watcher per folder suffices: it needs no package, and systems allow only few watchers.
 */
import { type FSWatcher, statfsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';

export interface FolderWatch {
  isTouched(): boolean;
  /** Called before a pass, which will see everything that has changed until now. */
  startPass(): void;
  /** The folders to watch from now on. */
  readonly setFolders: (folders: readonly string[]) => void;
  /** Whether no events can be received: a network file system, or more folders than can be watched. */
  isPolling(): boolean;
  close(): void;
}

/** File systems that don't report changes made by other machines: NFS, SMB, CIFS, FUSE, 9P. */
const remoteFileSystems = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x65735546, 0x01021997]);
/** Systems that watch a whole tree by themselves. */
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
        // Names that begin with a dot are ignored; the temporary parts of files begin so.
        if (name === null || !basename(name).startsWith('.')) touched = true;
      });
      watcher.on('error', () => {
        touched = true;
        drop(folder);
      });
      watchers.set(folder, watcher);
    } catch (error) {
      // A folder that is gone by now is in no later listing.
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
