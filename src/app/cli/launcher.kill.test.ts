/** The launcher under a Node that is too old starts the one that comes with Sonde, and neither outlives the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { environmentOf, launcher, newHome, sonde } from '../testbed/run-sonde.ts';

/** Lets the launcher, and nothing that it starts, take its Node for an old one in another place. */
const old = `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
   Object.defineProperty(process, 'execPath', { value: '/usr/bin/older-node' });`,
)}`;
const start = (home: string, ...args: string[]) =>
  spawn(process.execPath, [`--import=${old}`, launcher, ...args], {
    env: environmentOf({ home }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const answers = async (url: string): Promise<boolean> =>
  fetch(url).then(
    async (reply) => {
      await reply.body?.cancel();
      return true;
    },
    () => false,
  );

it.each(['SIGKILL', 'SIGTERM'] as const)('a server ends with its launcher by %s', async (signal) => {
  const home = newHome();
  await sonde(['world', 'new', 'main'], { home });
  const child = start(home, 'mcp', '--workspace', 'main', '--http');
  let [said, beside] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    beside += text;
  });
  await expect.poll(() => said, { timeout: 60_000, message: beside }).toMatch(/^http:\S+\n/);
  const url = said.trim();
  expect(await answers(url)).toBe(true);
  child.kill(signal);
  await once(child, 'exit');
  await expect.poll(() => answers(url), { timeout: 60_000 }).toBe(false);
});

it('a command that ends by itself is not disturbed', async () => {
  const child = start(newHome(), 'runs');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
