/**
 * Which paths of a tree have changed, told by the system: one watcher for each folder. It says so where it cannot know,
 * and then all of the tree must be looked at.
 */
import { type FSWatcher, lstatSync, readFileSync, statfsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isCacheMark, isVersionControl } from './walk.ts';
import { ruleFileName } from './walk-ignore.ts';

/**
 * File systems of this machine alone, which report each change: ext2 to ext4, btrfs, xfs, tmpfs, overlayfs, zfs, f2fs,
 * bcachefs. Others may be changed by another machine without a word.
 */
const localFileSystems = new Set([
  0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);
/** Beyond so many paths a look at all of the tree is about as quick. */
const maxPaths = 200;
/**
 * Events that come in at once. The system drops events when its queue is full, and Node does not pass that on; but then
 * a full queue has come in at once.
 */
const maxBurst = Math.min(4_096, readQueueLength() / 2);

export class TreeWatch {
  readonly #root: string;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #paths = new Set<string>();
  /** Changes cannot be told here at all. */
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
   * Paths relative to the root that may have changed since the last call, or since `startPass`; null if that is not
   * known. What happened before the call is included.
   */
  async takeChanges(): Promise<readonly string[] | null> {
    // Events that wait are read between two turns of the loop.
    await nextTurn();
    await nextTurn();
    if (this.#isLost || this.#isBlind || !this.#isSameRoot()) return null;
    const paths = [...this.#paths];
    this.#paths.clear();
    return paths;
  }

  /** Called before a look at all of the tree, which sees everything that has changed until now. */
  startPass(): void {
    this.#isLost = false;
    this.#paths.clear();
  }

  /** The paths that were taken, or the pass, came to nothing. */
  invalidate(): void {
    this.#isLost = true;
    this.#paths.clear();
  }

  /** The folders to watch from now on, relative to the root: those that a look at all of the tree met. */
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
    // It may have changed before it was watched.
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
      // More folders than the system lets watch. A folder that is gone by now is in no later listing.
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
      // A folder came, went, or is another one now; its watcher may look elsewhere.
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

/** Names that decide which other files are looked at, and names that are not what is on the disk. */
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
