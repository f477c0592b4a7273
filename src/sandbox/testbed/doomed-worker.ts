/**
 * A program for a test: opens a session, saves it to FILE, prints `saved`, and computes until it is killed.
 * `node doomed-worker.ts FILE`
 */
import { writeFileSync } from 'node:fs';
import { createSandbox } from '../wasm-sandbox.ts';

const [, , file = ''] = process.argv;
const session = await createSandbox().open({ seed: 'writer' });
await session.execute('import collections\nseen = collections.Counter()');
await session.execute('for word in "to be or not to be".split(): seen[word] += 1');
writeFileSync(file, await session.checkpoint());
console.log('saved');
await session.execute('seen.clear()\nwhile True: pass', { limits: { fuel: 1e12, wall_ms: 1e7 } });
