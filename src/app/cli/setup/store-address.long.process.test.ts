/** A store that can't be reached: what each command says of it holds nothing of its address. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { newHome, sonde } from '../../testbed/run-sonde.ts';

const tree = mkdtempSync(join(tmpdir(), 'sonde-nowhere-'));
afterAll(() => rmSync(tree, { recursive: true }));
const commands: readonly (readonly string[])[] = [
  ['ask', 'why?', tree, '--model', 'extractive'],
  ['runs'],
  ['show', '01J'],
  ['replay', '01J'],
  ['prune', '--older-than', '30d'],
  ['queue', 'ls'],
  ['queue', 'show', '1'],
  ['queue', 'add', 'why?', 'parcels'],
  ['queue', 'pause'],
  ['queue', 'resume'],
  ['queue', 'cancel', '1'],
  ['queue', 'retry', '1'],
  ['team', 'ls'],
  ['team', 'add', 'red'],
  ['team', 'budget', 'red', '--max-usd', '1'],
  ['audit'],
  ['alerts', 'ls'],
  ['doctor', '--cluster'],
  ['store', 'status'],
  ['store', 'upgrade'],
];

it.each([
  ['a host that nobody knows', 'planted-host.invalid:5432'],
  ['a port at which nothing listens', '127.0.0.9:1'],
])('%s', { timeout: 600_000 }, async (_, place) => {
  const url = `postgres://planted_user:planted-word@${place}/planted_base`;
  const home = newHome();
  const env = { SONDE_STORE: 'postgres', SONDE_STORE_URL: url };
  const left = [...commands];
  let reached = 0;
  const work = async (): Promise<void> => {
    for (let args = left.shift(); args !== undefined; args = left.shift()) {
      const { stdout, stderr, status } = await sonde([...args, '--json'], { home, env });
      const said = stdout + stderr;
      expect([args, status === 0, said]).toEqual([
        args,
        false,
        expect.not.stringMatching(/planted|127\.0\.0\.9|:5432/),
      ]);
      if (/does not answer/.test(said)) reached += 1;
    }
  };
  await Promise.all([work(), work()]);
  // Each came as far as the store.
  expect(reached).toBe(commands.length);
  rmSync(home, { recursive: true, force: true });
});
