/** Real processes, two at a time on one database, really killed: nothing torn, lost or done twice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../store/index.ts';
import { author } from './contract/workbench.contract.ts';
import { type AcknowledgedStep, batchSize, sourcePath } from './crash-worker.contract.ts';
import { openWorld } from './open-world.ts';
import type { World } from './world.ts';
import { worldWrite } from './write/make-write.ts';

const script = fileURLToPath(new URL('./crash-worker.contract.ts', import.meta.url));
/** Even. 200 take two minutes. */
const kills = Number(process.env['WORLD_KILLS'] ?? 20);
const names = ['left', 'right'];

let folder: string;
let path: string;
let db: Database;
let world: World;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-world-crash-'));
  path = join(folder, 'sonde.db');
  db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  world = openWorld(db);
  const operation = { op: 'create_page', path: sourcePath, text: 'x\n' } as const;
  world.submit(worldWrite({ operation, caller: author, source: 'test', idempotencyKey: 'source' }));
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const count = (sql: string) => Number(Object.values(db.get(sql)!)[0]);

function start(name: string, from: number) {
  const child = spawn(process.execPath, [script, path, name, String(from)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: AcknowledgedStep[] = [];
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line)));
  const ended = once(child, 'close');
  return { child, said, ended, errors: () => errors };
}

/** All that belongs to a write is there, and nothing of one that is not. */
function checkWhole(): void {
  const events = count('SELECT count(*) FROM world_events');
  expect(count('SELECT max(seq) FROM world_events')).toBe(events);
  expect(count('SELECT count(*) FROM world_outbox')).toBe(events);
  expect(count('SELECT count(*) FROM world_keys')).toBe(events);
  const pages = count('SELECT count(*) FROM world_pages');
  expect(count("SELECT count(*) FROM world_events WHERE op = 'create_page'")).toBe(pages);
  const added = count("SELECT count(*) FROM world_events WHERE op = 'add_block'");
  expect(count('SELECT count(*) FROM world_blocks')).toBe(1 + 3 * (pages - 1) + added);
  expect(count('SELECT count(*) FROM world_links')).toBe(pages - 1);
  expect(count('SELECT count(*) FROM world_derivations')).toBe(pages - 1 + added);
  const held = "SELECT count(*) FROM world_events WHERE op = 'set_properties' AND after IS NULL";
  expect(count('SELECT count(*) FROM world_deviations')).toBe(count(held));
  const batches = db.all(`SELECT count(*) AS n FROM world_pages WHERE path LIKE '%/%/%'
    GROUP BY substr(path, 1, length(path) - 2)`);
  expect(batches.every(({ n }) => n === batchSize)).toBe(true);
}

it(`is killed at ${kills} instants, two processes writing at once, and is whole every time`, async () => {
  const acknowledged = new Map<string, string>();
  const next = new Map(names.map((name) => [name, 0]));
  for (let round = 0; round < kills / names.length; round += 1) {
    // Each begins a few steps back: what was done already must not be done again.
    const workers = names.map((name) => ({ name, ...start(name, Math.max(0, next.get(name)! - 4)) }));
    await Promise.all(
      workers.map(async ({ child, said, ended, errors }) => {
        while (said.length < 1 + (round % 9)) {
          if (child.exitCode !== null) throw new Error(errors());
          await sleep(1);
        }
        // At some instant between two words, or within a write.
        await sleep(Math.random() * 12);
        child.kill('SIGKILL');
        await ended;
      }),
    );
    for (const { name, said, errors } of workers) {
      expect(errors()).toBe('');
      for (const { step, keys, write_ids, repeated } of said) {
        keys.forEach((key, at) => {
          const known = acknowledged.get(key);
          if (known !== undefined) expect([key, write_ids[at], repeated]).toEqual([key, known, true]);
          acknowledged.set(key, write_ids[at]!);
        });
        next.set(name, Math.max(next.get(name)!, step + 1));
      }
    }
    checkWhole();
  }
  const events = new Set(world.events(0, 1_000_000).map(({ write_id }) => write_id));
  expect([...acknowledged.values()].filter((id) => !events.has(id))).toEqual([]);
  // At most the last step of each killed process was done and not told; the next one told it.
  expect(events.size - 1 - acknowledged.size).toBeLessThanOrEqual(names.length * batchSize);
  expect(acknowledged.size).toBeGreaterThan(kills);
  expect(db.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
});
