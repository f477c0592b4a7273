/** A process that writes and follows with the index, really killed: afterwards the index is what the pages are. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openDatabase } from '../../store/index.ts';
import { openWorld } from '../open-world.ts';
import type { World } from '../world.ts';
import { words } from './crash-worker.contract.ts';
import { openPageSearch } from './open-page-search.ts';

const script = fileURLToPath(new URL('./crash-worker.contract.ts', import.meta.url));
const kills = Number(process.env['WORLD_KILLS'] ?? 6);

/** What each word finds, with scores. */
async function foundBy(world: World, directory: string): Promise<readonly unknown[]> {
  const search = openPageSearch({ world, directory });
  await search.follow();
  const found: unknown[] = [];
  for (const query of [...words, 'zebra tapir']) {
    const { hits, notes } = await search.search({ query, k: 100 });
    found.push([query, notes, hits.map(({ path, score }) => `${path} ${score.toFixed(4)}`).sort()]);
  }
  await search.close();
  return found;
}

it(`is killed at ${kills} instants, and the index equals the content`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-pages-crash-'));
  const path = join(folder, 'sonde.db');
  const directory = join(folder, 'index');
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const world = openWorld(db);
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, [script, path, directory, String(kill + 1)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    await sleep(20 + Math.random() * 400);
    child.kill('SIGKILL');
    await ended;
    expect(await foundBy(world, directory)).toEqual(await foundBy(world, join(folder, `fresh-${kill}`)));
  }
  expect(world.head()).toBeGreaterThan(kills);
  db.close();
  rmSync(folder, { recursive: true });
});
