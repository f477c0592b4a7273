import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caller } from '../../core/index.ts';
import { openStore } from '../../store/index.ts';
import { worldWrite } from '../../world/index.ts';
import { databaseFile, loadConfiguration } from '../config/index.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { prune } from './prune.ts';
import { pruneWhenDue } from './retention.ts';

const day = 24 * 60 * 60_000;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sonde-prune-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const configuration = (more: Readonly<Record<string, string>> = {}) =>
  loadConfiguration({ environment: { SONDE_HOME: home, ...more } });
const all = { terms: { olderThan: null, keep: 0 }, now: Date.now() };

async function makeRun(
  path: string,
  id: string,
  params: Readonly<Record<string, unknown>> = {},
  finish = true,
): Promise<void> {
  const store = openStore(path);
  await store.runs.create({ id, shape: 'research', question: `about ${id}`, root: '/', params });
  const lease = await store.runs.acquire(id);
  store.log(lease).append('a', { kind: 'note', text: 'x'.repeat(500) } as never);
  store.journal(lease).record('k', 'x'.repeat(500));
  if (finish) store.runs.finish(id, lease);
  await lease.release();
  await store.close();
}

const agent: Caller = {
  kind: 'agent',
  name: 'investigation',
  device: 'here',
  thread: 'th-wrote',
  channel: null,
};

/** A workspace with a page that rests on a run, and the turns of two conversations, one of which wrote it. */
async function makeWorkspace(): Promise<string> {
  const path = join(home, 'data', 'workspaces', 'notes.db');
  const open = await openWorkspace(path);
  const written = open.world.submit(
    worldWrite({
      operation: { op: 'create_page', path: 'Found', text: 'It is so.\n' },
      caller: agent,
      source: 'investigation:run-source',
      idempotencyKey: 'once',
    }),
  );
  expect(written.kind).toBe('accepted');
  open.close();
  await makeRun(path, 'run-wrote', { thread: 'th-wrote' });
  await makeRun(path, 'run-talked', { thread: 'th-talked' });
  return path;
}

async function idsIn(path: string): Promise<readonly string[]> {
  const store = openStore(path);
  try {
    return (await store.runs.list()).map(({ id }) => id).toSorted();
  } finally {
    await store.close();
  }
}

it('shows what would go and leaves it; removes it when asked, never what waits or what a page rests on', async () => {
  const runs = databaseFile(configuration().directories);
  for (const id of ['run-one', 'run-two', 'run-source']) await makeRun(runs, id);
  await makeRun(runs, 'run-waits', {}, false);
  const workspace = await makeWorkspace();

  const shown = await prune(configuration(), { ...all, remove: false });
  expect(shown.removed).toBe(false);
  expect(shown.runs.map(({ run_id }) => run_id).toSorted()).toEqual(['run-one', 'run-talked', 'run-two']);
  expect(shown.bytes).toBeGreaterThan(3000);
  expect(await idsIn(runs)).toHaveLength(4);

  const done = await prune(configuration(), { ...all, remove: true });
  expect(done.runs.toSorted((a, b) => a.run_id.localeCompare(b.run_id))).toEqual(
    shown.runs.toSorted((a, b) => a.run_id.localeCompare(b.run_id)),
  );
  expect(done.kept).toEqual({ unfinished: 1, behind_pages: 2, recent: 0 });
  expect([await idsIn(runs), await idsIn(workspace)]).toEqual([['run-source', 'run-waits'], ['run-wrote']]);
});

it('what a run kept goes with it where it was written out, and the report of the user stays', async () => {
  await makeRun(databaseFile(configuration().directories), 'run-one');
  const folder = join(home, 'data', 'incidents', 'run-one');
  mkdirSync(join(folder, 'evidence'), { recursive: true });
  writeFileSync(join(folder, 'evidence', '1.txt'), 'a line of a log');
  writeFileSync(join(folder, 'report.md'), '# Report');
  await prune(configuration(), { ...all, remove: false });
  expect(readdirSync(folder).toSorted()).toEqual(['evidence', 'report.md']);
  await prune(configuration(), { ...all, remove: true });
  expect(readdirSync(folder)).toEqual(['report.md']);
});

it('removes no run while a workspace that may rest on it cannot be read', async () => {
  const runs = databaseFile(configuration().directories);
  await makeRun(runs, 'run-one');
  mkdirSync(join(home, 'data', 'workspaces'), { recursive: true });
  writeFileSync(join(home, 'data', 'workspaces', 'broken.db'), 'no database'.repeat(100));
  const report = await prune(configuration(), { ...all, remove: true });
  expect(report.runs).toEqual([]);
  expect(report.notes.join()).toContain('broken.db');
  expect(await idsIn(runs)).toEqual(['run-one']);
});

it('removes unused indexes, and not one that is being written', async () => {
  const used = new Date(Date.now() - 40 * day);
  const folders = ['old', 'new'].map((name) => join(home, 'cache', 'index', name));
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'x.seg'), 'x');
  }
  utimesSync(join(folders[0]!, 'x.seg'), used, used);
  utimesSync(folders[0]!, used, used);
  const { openFileLock } = await import('../../store/lock.ts');
  const options = { terms: { olderThan: 30 * day, keep: 0 }, now: Date.now(), remove: true };
  const lock = openFileLock(join(folders[0]!, 'lock.db'));
  lock.tryTake();
  utimesSync(join(folders[0]!, 'lock.db'), used, used);
  utimesSync(folders[0]!, used, used);
  expect((await prune(configuration(), options)).indexes).toEqual([]);
  lock.release();
  utimesSync(folders[0]!, used, used);
  expect((await prune(configuration(), options)).indexes.map(({ folder }) => folder)).toEqual([folders[0]]);
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true]);
});

it('prunes by itself only where the setting asks for it, and once a day', async () => {
  const runs = databaseFile(configuration().directories);
  await makeRun(runs, 'run-old');
  const later = Date.now() + 31 * day;
  expect(await pruneWhenDue(configuration(), later)).toBeNull();
  expect(await idsIn(runs)).toEqual(['run-old']);
  const asked = configuration({ SONDE_RETENTION: '30d' });
  expect(await pruneWhenDue(asked, later)).toBe(
    'retention 30d: removed 1 finished run(s) and 0 unused index(es)',
  );
  expect(await idsIn(runs)).toEqual([]);
  await makeRun(runs, 'run-next');
  expect(await pruneWhenDue(asked, Date.now())).toBeNull();
  expect(await pruneWhenDue(asked, later + 2 * day)).toContain('1 finished run');
});
