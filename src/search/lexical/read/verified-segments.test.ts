import { closeSync, openSync, readdirSync, readSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type TreeFixture, treeFixture } from '../../tree-fixture.ts';
import { openTreeIndex } from '../../tree-index.ts';
import { Segment } from './segment.ts';

let tree: TreeFixture;
beforeEach(() => {
  tree = treeFixture({ 'a.ts': 'alpha' });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  tree.dispose();
});

/** As each new process does it, so long after the index was written that its times can be trusted. */
async function refreshed() {
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] });
  const index = openTreeIndex(tree);
  try {
    return await index.refresh();
  } finally {
    index.close();
    vi.useRealTimers();
  }
}

it('a segment that was found sound is not read whole again by the next process', async () => {
  const verify = vi.spyOn(Segment.prototype, 'verify');
  await refreshed();
  await refreshed();
  expect(verify).toHaveBeenCalledTimes(1);
  await refreshed();
  expect(verify).toHaveBeenCalledTimes(1);
});

it('one that was touched since is, and a damage is found', async () => {
  await refreshed();
  await refreshed();
  const name = readdirSync(tree.directory).find((file) => file.endsWith('.seg'))!;
  const path = join(tree.directory, name);
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, 140);
  byte[0]! ^= 1;
  writeSync(file, byte, 0, 1, 140);
  closeSync(file);
  // A clock may be set back; the time of the change of status may not.
  utimesSync(path, new Date(1_000), new Date(1_000));
  const { notes, added } = await refreshed();
  expect(notes.join()).toContain('damaged');
  expect(added).toBe(1);
});

it('what a look at some paths wrote is not taken to have reached the disk', async () => {
  const index = openTreeIndex(tree);
  try {
    await index.refresh();
    const before = new Set(readdirSync(tree.directory));
    tree.write('a.ts', 'beta');
    await index.refresh({ paths: ['a.ts'] });
    expect((await index.search({ query: 'beta' })).hits).toHaveLength(1);
    const written = readdirSync(tree.directory).find((name) => name.endsWith('.seg') && !before.has(name))!;
    // As a loss of power may leave it.
    const path = join(tree.directory, written);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(40), 0, 40, 140);
    closeSync(file);
    const { notes } = await index.refresh();
    expect(notes.join()).toContain('damaged');
    expect((await index.search({ query: 'beta' })).hits).toHaveLength(1);
  } finally {
    index.close();
  }
});
