/**
 * One changed file until it is found, with the index open: with a look at all of the tree each time, and with what the
 * system tells of changes.
 *
 * `node bench/changed-file.ts TREE FILE [--work DIR] [--rounds N]`
 * FILE, relative to TREE, gets a line with a new word in each round, and is restored at the end.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openTreeIndex } from '../src/bench.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { work: { type: 'string' }, rounds: { type: 'string', default: '15' } },
});
const [tree, path] = positionals;
if (tree === undefined || path === undefined) {
  console.log('skipped: give the folder of a large tree and a file in it');
  process.exit(0);
}
const root = resolve(tree);
const directory = join(values.work ?? mkdtempSync(join(tmpdir(), 'sonde-changed-')), 'index');
mkdirSync(directory, { recursive: true });
const file = join(root, path);
const before = readFileSync(file, 'utf8');

const middle = (times: readonly number[]): string =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!.toFixed(1);

for (const watch of [false, true]) {
  const index = openTreeIndex({ root, directory, watch });
  const wall: number[] = [];
  const processor: number[] = [];
  const idle: number[] = [];
  try {
    const { files } = await index.refresh();
    await index.refresh();
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const word = `zz${watch ? 'watched' : 'walked'}${round}q`;
      writeFileSync(file, `${before}\n${word}\n`);
      const used = process.cpuUsage();
      const from = performance.now();
      await index.refresh();
      const { hits } = await index.search({ query: word, k: 3 });
      wall.push(performance.now() - from);
      const { user, system } = process.cpuUsage(used);
      processor.push((user + system) / 1_000);
      if (hits[0]?.path !== path) throw new Error(`${path} was not found by ${word}`);
      const asked = performance.now();
      await index.refresh();
      idle.push(performance.now() - asked);
    }
    console.log(
      `${watch ? 'watched' : 'walked '} ${files} files: found after ${middle(wall)} ms (highest ${Math.max(...wall).toFixed(0)}), ` +
        `${middle(processor)} ms of the processor; nothing changed ${middle(idle)} ms; medians of ${wall.length}`,
    );
  } finally {
    writeFileSync(file, before);
    await index.refresh();
    index.close();
  }
}
