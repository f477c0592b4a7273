/** The launcher under a Node that is too old starts the one that comes with Sonde, and neither outlives the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { environmentOf, launcher, newHome, sonde } from '../testbed/run-sonde.ts';
import { createSmallTree } from '../testbed/small-tree.ts';

/** Lets the launcher, and nothing that it starts, take its Node for an old one in another place. */
const old = `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
   Object.defineProperty(process, 'execPath', { value: '/usr/bin/older-node' });`,
)}`;
const start = (home: string, ...args: string[]) =>
  spawn(process.execPath, [`--import=${old}`, launcher, ...args], {
    env: environmentOf({ home }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, as a shell gives it.
    detached: true,
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

const search =
  '{"reasoning": "look", "action": {"name": "hybrid_search", "query": "delivery retry", "k": 5}}';

describe('one Ctrl-C counts once, and what was found is printed', () => {
  it.each([
    ['to the process alone', (pid: number) => process.kill(pid, 'SIGINT')],
    ['to its group, as a terminal does', (pid: number) => process.kill(-pid, 'SIGINT')],
    [
      'to its group, of which the launcher hears later',
      async (pid: number) => {
        process.kill(pid, 'SIGSTOP');
        process.kill(-pid, 'SIGINT');
        await sleep(50);
        process.kill(pid, 'SIGCONT');
      },
    ],
    [
      'to both, as timeout does',
      (pid: number) => {
        process.kill(pid, 'SIGINT');
        process.kill(-pid, 'SIGINT');
      },
    ],
  ])('%s', async (_, interrupt) => {
    const tree = createSmallTree();
    const script = join(
      createSmallTree({ 'script.jsonl': `${search}\n{"delay_ms": 60000}\n${search}\n` }),
      'script.jsonl',
    );
    const question = 'How is a failed delivery retried?';
    const child = start(
      newHome(),
      'ask',
      question,
      tree,
      '--model',
      `scripted:${script}`,
      '--json',
      '--debug',
    );
    let [said, beside] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      beside += text;
    });
    await expect
      .poll(() => beside.split('"kind":"model_called"').length, { timeout: 60_000 })
      .toBeGreaterThan(2);
    await interrupt(child.pid!);
    const [code] = await once(child, 'close');
    expect({ code, beside: beside.includes('sonde:') }).toEqual({ code: 130, beside: false });
    expect(JSON.parse(said)).toMatchObject({
      stop_reason: 'cancelled',
      citations: expect.arrayContaining([expect.objectContaining({ id: expect.any(String) })]),
    });
  });
});

it('a command that ends by itself is not disturbed', async () => {
  const child = start(newHome(), 'runs');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
