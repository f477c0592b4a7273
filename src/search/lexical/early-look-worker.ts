import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type MessagePort, workerData } from 'node:worker_threads';
import type { LiveSegment } from './corpus.ts';
import { KnownFiles } from './known-files.ts';
import { Segment } from './segment.ts';
import { matchesStamp } from './stamp.ts';
import { readTreeState } from './tree-state.ts';

/** The thread of `early-look.ts`: it looks from the last file of an index back to the first folder. */

export interface LookTask {
  readonly root: string;
  readonly directory: string;
  /** Of the manifest. */
  readonly tree: string;
  readonly segments: readonly { readonly name: string; readonly dead: readonly number[] }[];
  /** Where the other thread is, which comes from the front. */
  readonly front: SharedArrayBuffer;
  readonly port: MessagePort;
}

export interface LookStart {
  /** A byte for each folder and then for each file: 1 if it is as the index knows it. */
  readonly same: SharedArrayBuffer;
  /** Milliseconds since the Unix epoch, before the first look. */
  readonly seen: number;
}

/** Reading the other thread's place costs as much as looking at a file. */
const looksBetween = 16;

function look({ root, directory, tree, segments, front, port }: LookTask): void {
  const live: LiveSegment[] = [];
  for (const { name, dead } of segments) {
    const segment = Segment.open(join(directory, name));
    // Numbers would be others without it.
    if (segment === null) return;
    live.push({ segment, dead });
  }
  const state = readTreeState(directory, tree);
  if (state === null) return;
  const known = new KnownFiles(live, state);
  const { folders } = state;
  const same = new Uint8Array(new SharedArrayBuffer(folders.length + known.count));
  port.postMessage({ same: same.buffer, seen: Date.now() } satisfies LookStart);
  const place = new Int32Array(front);
  const before = root.endsWith('/') ? root : `${root}/`;
  for (let number = same.length - 1; number >= 0; number--) {
    if (number % looksBetween === 0 && Atomics.load(place, 0) > number) break;
    const folder = folders[number];
    const file = folder === undefined ? known.at(number - folders.length) : null;
    const path = folder?.path ?? file?.path;
    if (path === undefined) continue;
    const stat = lstatSync(before + path, { throwIfNoEntry: false });
    const isSame =
      folder === undefined
        ? file !== null && stat?.isFile() === true && matchesStamp(stat, file.stamp)
        : stat?.isDirectory() === true && stat.mtimeMs === folder.modified;
    if (isSame) Atomics.store(same, number, 1);
  }
}

look(workerData as LookTask);
