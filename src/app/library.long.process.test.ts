/** The examples that library.process.test.ts leaves out. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { environmentOf } from './testbed/run-sonde.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

it.each([
  ['incident.ts', /^code_change: /],
  ['own-parts.ts', /^ok: /],
  ['world.ts', /^ok$/],
  ['live-vault.ts', /^ok$/],
  ['chat.ts', /^ok: /],
  ['investigate.ts', /Together 300 cents/],
  ['langgraph.ts', /^ok: /],
  ['client.ts', /^ok: /],
  ['live-incident.ts', /^(?:ok: |skipped: )/],
])('runs its example %s', async (name, last) => {
  const { stdout } = await run(process.execPath, [join(root, 'examples', name)], { env: environmentOf({}) });
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(last);
});
