/** A run that has to wait for its index. */

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../store/index.ts';
import { openFileLock } from '../store/lock.ts';
import { newHome } from './testbed/run-sonde.ts';
import { createSmallTree } from './testbed/small-tree.ts';
import { sonde } from './testbed/sonde-here.ts';

/** The file of a home that ends so. */
const fileIn = (home: string, end: string): string =>
  join(home, readdirSync(home, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(end))!);

it.each(['ask', 'investigate'])(
  'the time for which %s waits for another process is its own time',
  async (command) => {
    const [home, tree] = [newHome(), createSmallTree()];
    await sonde(['index', tree], { home });
    const lock = openFileLock(join(dirname(fileIn(home, 'manifest.json')), 'lock.db'));
    expect(lock.tryTake()).toBe(true);
    try {
      // Nobody who gives no sign is waited for beyond 3 s; half of the time is less.
      const flags = ['--max-time', '2s', '--json'];
      const { stdout } = await sonde([command, 'How is a failed delivery retried?', tree, ...flags], {
        home,
      });
      const { run_id } = JSON.parse(stdout) as { run_id: string };
      const store = openStore(fileIn(home, 'sonde.db'));
      try {
        const { limits } = (await store.runs.get(run_id)).params as { limits: { wall_ms: number } };
        expect(limits.wall_ms).toBeLessThanOrEqual(1_000);
        expect(limits.wall_ms).toBeGreaterThan(0);
      } finally {
        await store.close();
      }
    } finally {
      lock.release();
    }
  },
);
