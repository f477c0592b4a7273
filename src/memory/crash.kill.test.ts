/** Real processes, really killed: what was acknowledged is there, and what is sent again applies once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openFolder, place, step } from './crash-worker.contract.ts';
import { type StoredItem, tiers } from './memory.ts';

const script = fileURLToPath(new URL('./crash-worker.contract.ts', import.meta.url));
const kills = 12;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-memory-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Said {
  readonly n: number;
  readonly result?: { readonly kind: string; readonly id: string | null };
  readonly scrubbed?: number;
}

/** Runs from a step until it is killed, some milliseconds after it has said `words` things. */
async function killed(from: number, words: number): Promise<readonly Said[]> {
  const child = spawn(process.execPath, [script, folder, String(from)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const ended = once(child, 'close');
  while (out.split('\n').length <= words && child.exitCode === null) await sleep(2);
  await sleep(Math.random() * 20);
  child.kill('SIGKILL');
  await ended;
  expect(errors).toBe('');
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Said);
}

it(`is killed at ${kills} instants, and loses and doubles nothing`, async () => {
  const first = new Map<number, NonNullable<Said['result']>>();
  /** What each tier must hold, by the acknowledged steps. */
  const held = new Map<string, string>();
  let next = 0;
  let scrubs = 0;
  for (let round = 0; round < kills; round += 1) {
    const said = await killed(next, 1 + round * 3);
    for (const { n, result, scrubbed } of said) {
      const tier = tiers[n % tiers.length]!;
      if (scrubbed !== undefined) {
        scrubs += 1;
        for (const at of [...held.keys()]) if (at.startsWith('account ')) held.delete(at);
      } else if (result !== undefined) {
        first.set(n, result);
        const at = `${tier} k${n % 40}`;
        if (result.kind === 'forgotten') held.delete(at);
        else held.set(at, `text of step ${n}`);
      }
    }
    const last = said.findLast(({ result }) => result !== undefined)?.n ?? next - 1;
    const { memory, close } = openFolder(folder);
    const view = memory.viewFrom(place);
    // One step, and one scrub, may have been done and not been told: sending it again settles which.
    const now = new Map(memory.listAll().map((item) => [`${item.tier} ${item.key}`, item.text]));
    const unsaid = `${tiers[(last + 1) % tiers.length]} k${(last + 1) % 40}`;
    for (const [at, text] of held)
      if (at !== unsaid && !(at.startsWith('account ') && last % 50 === 49))
        expect([at, now.get(at)]).toEqual([at, text]);
    for (const [at, text] of now) if (at !== unsaid) expect([at, held.get(at)]).toEqual([at, text]);
    for (const n of [last, last - 7].filter((one) => first.has(one))) {
      expect(step(view, n)).toEqual({ ...first.get(n), repeated: true });
    }
    if (last % 50 === 49) {
      memory.scrub({ tier: 'account' });
      for (const at of [...held.keys()]) if (at.startsWith('account ')) held.delete(at);
    }
    const again = step(view, last + 1) as StoredItem;
    expect(step(view, last + 1)).toEqual({ ...again, repeated: true });
    first.set(last + 1, again);
    if ((again as { kind: string }).kind === 'forgotten') held.delete(unsaid);
    else held.set(unsaid, `text of step ${last + 1}`);
    next = last + 2;
    close();
  }
  expect(next).toBeGreaterThan(kills * 5);
  expect(scrubs).toBeGreaterThan(0);
});
