/**
 * Watches a tree for changed paths, with one file system watcher per folder. If it cannot know what changed, it says so,
 * and the whole tree must be checked.
 */
import { type FSWatcher, lstatSync, readFileSync, statfsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isCacheMark, isVersionControl } from './walk.ts';
import { ruleFileName } from './walk-ignore.ts';

/**
 * Local file systems, which report every change: ext2 to ext4, btrfs, xfs, tmpfs, overlayfs, zfs, f2fs, bcachefs. Others
 * may be changed by another machine without a report.
 */
const localFileSystems = new Set([
  0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);
/** For more paths, checking the whole tree is about as quick. */
const maxPaths = 200;
/**
 * Maximum number of events in one turn of the event loop. If more come, the system's queue may have been full and dropped
 * events, which Node does not report.
 */
const maxBurst = Math.min(4_096, readQueueLength() / 2);

export class TreeWatch {
  readonly #root: string;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #paths = new Set<string>();
  /** Whether changes cannot be watched here at all. */
  #isBlind: boolean;
  #isLost = true;
  #burst = 0;
  /** Identifies the folder at the root. */
  #device = 0;
  #inode = 0;

  constructor(root: string) {
    this.#root = root;
    this.#isBlind = process.platform !== 'linux' || !isLocal(root);
  }

  /**
   * The paths, relative to the root, that may have changed since the last call or since `startPass`; null if that is not
   * known. Includes all changes before the call.
   */
  async takeChanges(): Promise<readonly string[] | null> {
    // Pending events are delivered between turns of the event loop.
    await nextTurn();
    await nextTurn();
    if (this.#isLost || this.#isBlind || !this.#isSameRoot()) return null;
    const paths = [...this.#paths];
    this.#paths.clear();
    return paths;
  }

  /** Must be called before the whole tree is checked. */
  startPass(): void {
    this.#isLost = false;
    this.#paths.clear();
  }

  /** Forgets what is known, since the changes that were taken could not be used. The next call returns null. */
  invalidate(): void {
    this.#isLost = true;
    this.#paths.clear();
  }

  /** Sets the folders to watch, relative to the root. */
  watchFolders(folders: Iterable<string>): void {
    if (this.#isBlind) return;
    if (!this.#isSameRoot()) for (const folder of [...this.#watchers.keys()]) this.#drop(folder);
    const wanted = new Set(folders);
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#drop(folder);
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder);
    if (this.#isBlind) this.close();
  }

  close(): void {
    for (const folder of [...this.#watchers.keys()]) this.#drop(folder);
  }

  #add(folder: string): void {
    // The folder may have changed before it was watched.
    this.#isLost = true;
    const place = join(this.#root, folder);
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true) return;
    if (folder === '') [this.#device, this.#inode] = [stat.dev, stat.ino];
    try {
      // Another file system within the tree may be remote.
      if (stat.dev !== this.#device) this.#isBlind = true;
      const watcher = watch(place, { persistent: false }, (_kind, name) => this.#recordEvent(folder, name));
      watcher.on('error', () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
    } catch (thrown) {
      // The system's limit of watchers is reached. A folder that is gone (ENOENT) needs no watcher.
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') this.#isBlind = true;
    }
  }

  #drop(folder: string): void {
    this.#isLost = true;
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #recordEvent(folder: string, name: string | null): void {
    if (this.#burst === 0)
      setImmediate(() => {
        this.#burst = 0;
      });
    this.#burst += 1;
    if (this.#isLost) return;
    if (name === null || this.#burst > maxBurst || this.#paths.size >= maxPaths) {
      this.invalidate();
      return;
    }
    const path = folder === '' ? name : `${folder}/${name}`;
    if (this.#watchers.has(path)) {
      // The folder was created, removed or replaced, so its watchers may be wrong.
      for (const watched of [...this.#watchers.keys()])
        if (watched === path || watched.startsWith(`${path}/`)) this.#drop(watched);
      return;
    }
    if (affectsOtherFiles(name) || this.#isFolder(path)) this.invalidate();
    else this.#paths.add(path);
  }

  #isFolder(path: string): boolean {
    return lstatSync(join(this.#root, path), { throwIfNoEntry: false })?.isDirectory() === true;
  }

  #isSameRoot(): boolean {
    const stat = lstatSync(this.#root, { throwIfNoEntry: false });
    return stat?.ino === this.#inode && stat.dev === this.#device;
  }
}

/** Whether a file of this name decides which others are indexed, or the name could not be decoded. */
const affectsOtherFiles = (name: string): boolean =>
  name === ruleFileName || isCacheMark(name) || isVersionControl(name) || name.includes('\uFFFD');

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function isLocal(root: string): boolean {
  try {
    return localFileSystems.has(statfsSync(root).type >>> 0);
  } catch {
    return false;
  }
}

function readQueueLength(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || 0;
  } catch {
    return 0;
  }
}
