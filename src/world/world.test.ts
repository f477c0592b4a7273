import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../core/index.ts';
import { type Database, openDatabase } from '../store/index.ts';
import { author } from './contract/workbench.contract.ts';
import { openWorld } from './open-world.ts';
import { joinPageText } from './read/page-lines.ts';
import { memoryWorld } from './scripted.ts';
import { worldContract } from './world.contract.ts';
import type { World } from './world.ts';
import type { WorldOperation } from './world-write.ts';
import { worldWrite } from './write/make-write.ts';

/** Every row of every table. */
function dump(db: Database): string {
  const tables = db
    .all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .map(({ name }) => String(name));
  return JSON.stringify(tables.map((table) => [table, db.all(`SELECT * FROM ${table}`)]));
}

worldContract('a world in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-world-'));
  const db = openDatabase({ path: join(folder, 'sonde.db'), schemas: [], busyMs: 1000 });
  const clock = manualClock(1_700_000_000_000);
  return {
    world: openWorld(db, { clock }),
    clock,
    dump: () => dump(db),
    close() {
      db.close();
      rmSync(folder, { recursive: true });
    },
  };
});

worldContract('a world in memory', () => {
  const world = memoryWorld();
  return { world, clock: world.clock, dump: () => readable(world), close: () => world.close() };
});

/** As much as the contract shows. */
function readable(world: World): string {
  return JSON.stringify([
    world.events(0),
    world.deviations(),
    world.flags(),
    world.pages({ view: 'all' }).map(({ id }) => world.read(id, 'all')),
  ]);
}

describe('a database with a world in it', () => {
  it('keeps its name and id, and what was written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sonde-world-'));
    const path = join(folder, 'sonde.db');
    const open = () => openDatabase({ path, schemas: [], busyMs: 1000 });
    const first = open();
    const { workspace } = openWorld(first, { name: 'notes' });
    expect(workspace.name).toBe('notes');
    first.close();
    const second = open();
    expect(openWorld(second, { name: 'other' }).workspace).toEqual(workspace);
    second.close();
    rmSync(folder, { recursive: true });
  });

  it('deletes no page over what another writer is just writing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sonde-world-'));
    const path = join(folder, 'sonde.db');
    const db = openDatabase({ path, schemas: [], busyMs: 5000 });
    const world = openWorld(db);
    const submit = (operation: WorldOperation) =>
      world.submit(worldWrite({ operation, caller: author, source: 'test', idempotencyKey: null }));
    submit({ op: 'create_page', path: 'P', text: 'By the first.\n' });
    const { id: page, revision } = world.page('P')!;
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const second = new Worker(new URL('./second-writer.contract.ts', import.meta.url), {
      workerData: { path, page, signal },
    });
    const ended = once(second, 'exit');
    await Atomics.waitAsync(signal, 0, 0).value;
    expect(submit({ op: 'delete_page', page, revision })).toMatchObject({
      kind: 'refused',
      code: 'stale',
      details: { id: page, shown: revision, now: revision + 1 },
    });
    expect(await ended).toEqual([0]);
    expect(joinPageText(world.read(page)!)).toBe('By the second.\n');
    expect(submit({ op: 'delete_page', page, revision: revision + 1 })).toMatchObject({ applied: true });
    db.close();
    rmSync(folder, { recursive: true });
  });

  it('has a row in the outbox for each event, made with it (world.md: Submit boundary 13)', () => {
    const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
    const world = openWorld(db);
    const submit = (path: string) =>
      world.submit(
        worldWrite({
          operation: { op: 'create_page', path, text: '' },
          caller: author,
          source: 't',
          idempotencyKey: null,
        }),
      );
    for (const path of ['A', 'B', 'A', '']) submit(path);
    expect(db.all('SELECT seq FROM world_outbox').map(({ seq }) => seq)).toEqual([1, 2]);
    // Those who carry it elsewhere take it away; the log stays.
    db.run('DELETE FROM world_outbox');
    expect(world.events(0)).toHaveLength(2);
    db.close();
  });

  // world.md: Provenance 1.
  it('lets nobody change an event or an origin, by whatever SQL', () => {
    const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
    openWorld(db);
    db.run("INSERT INTO world_sources VALUES (1, 's'), (2, 't')");
    db.run(
      `INSERT INTO world_pages VALUES (1, 'pg-1', 'P', '', '{}', 'Imported', 'Draft', 1, 'w', 1, 1, 1, 0)`,
    );
    db.run(
      `INSERT INTO world_events VALUES (1, 1, 'wr-1', 'x', '[]', NULL, NULL, 'c', 'user', NULL, 'd', 's')`,
    );
    expect(() => db.run("UPDATE world_pages SET origin = 'Authored'")).toThrow('never changes');
    expect(() => db.run('UPDATE world_pages SET source = 2')).toThrow('never changes');
    expect(() => db.run("UPDATE world_events SET caller = 'x'")).toThrow('never changed');
    expect(() => db.run('DELETE FROM world_events')).toThrow('never deleted');
    expect(() => db.run('UPDATE world_pages SET lifecycle = NULL')).toThrow('NOT NULL');
    db.close();
  });

  it('stores no weight, no standing and no zone (world.md: Provenance 3, 8)', () => {
    const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
    openWorld(db);
    const columns = db
      .all("SELECT c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'")
      .map(({ name }) => String(name));
    expect(columns.length).toBeGreaterThan(60);
    expect(columns.filter((name) => /weight|standing|zone/.test(name))).toEqual([]);
    db.close();
  });

  it('undoes a refused write within a transaction that goes on', () => {
    const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 0 });
    const world = openWorld(db);
    const submit = (operation: WorldOperation, derivedFrom: readonly string[] = []) =>
      world.submit(
        worldWrite({ operation, caller: author, source: 'test', idempotencyKey: null, derivedFrom }),
      );
    const ids = db.atomic(() => {
      const first = submit({ op: 'create_page', path: 'A', text: 'One.\n' });
      const a = first.kind === 'accepted' ? first.content_ids[0]! : '';
      const second = submit({ op: 'create_page', path: 'B', text: 'Two.\n' }, [a]);
      const b = second.kind === 'accepted' ? second.content_ids[0]! : '';
      // Its text is written before the circle is found.
      expect(submit({ op: 'update_page', page: a, text: 'Lost.\n' }, [b])).toMatchObject({ kind: 'refused' });
      return [a, b];
    });
    expect(ids.map((id) => world.read(id)!.blocks[0]!.text)).toEqual(['One.\n', 'Two.\n']);
    expect(world.head()).toBe(2);
    db.close();
  });
});
