import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withImportLock } from './import-lock.ts';
import type { Workspace } from './vault.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-import-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Of a workspace only the place counts. */
const workspaceAt = (path: string) => ({ database: { path } }) as Workspace;
const ours = () => workspaceAt(join(folder, 'main.db'));

/** Holds the lock from when it resolves until it is let go. */
async function held(workspace: Workspace) {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = withImportLock(workspace, () => {
    begun.resolve();
    return end.promise;
  });
  await begun.promise;
  return {
    letGo: () => {
      end.resolve();
      return work;
    },
  };
}

it('lets one in at a time, and the next as soon as it is over', async () => {
  const first = await held(ours());
  const order: string[] = [];
  const second = withImportLock(ours(), async () => order.push('second'));
  await expect(withImportLock(ours(), async () => order.push('no'), 0)).rejects.toMatchObject({
    code: 'store_locked',
  });
  expect(order).toEqual([]);
  await first.letGo();
  await second;
  expect(order).toEqual(['second']);
});

it('is free again where the work failed', async () => {
  await expect(withImportLock(ours(), () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  expect(await withImportLock(ours(), async () => 'in', 0)).toBe('in');
});

it('is of one workspace, and of none in memory, which nobody else sees', async () => {
  const first = await held(ours());
  expect(await withImportLock(workspaceAt(join(folder, 'other.db')), async () => 'in', 0)).toBe('in');
  await first.letGo();
  const inMemory = await held(workspaceAt(':memory:'));
  expect(await withImportLock(workspaceAt(':memory:'), async () => 'in', 0)).toBe('in');
  await inMemory.letGo();
});
