/**
 * The page in a browser: the bytes of the inbox until it takes a key, how long a cold load takes beside an empty page,
 * and what scrolling a long run and a long page costs. Real `sonde ui`, Debian's Chromium.
 *
 * `node bench/web.ts [--loads 10] [--events 10000] [--blocks 5000]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { workspace } from 'sonde';
import { openStore } from 'sonde/bench';

const { values } = parseArgs({
  options: {
    loads: { type: 'string', default: '10' },
    events: { type: 'string', default: '10000' },
    blocks: { type: 'string', default: '5000' },
  },
});
const [loads, events, blocks] = [Number(values.loads), Number(values.events), Number(values.blocks)];
const work = mkdtempSync(join(tmpdir(), 'sonde-web-'));
const home = join(work, 'home');
process.env['SONDE_HOME'] = home;
mkdirSync(join(home, 'data'), { recursive: true });
const sonde = fileURLToPath(new URL('../bin/sonde.mjs', import.meta.url));

const notes = await workspace('main');
for (let n = 0; n < 20; n += 1)
  notes.write(
    {
      op: 'create_page',
      path: `Proposals/${n}`,
      text: `# Proposal ${n}\n\n${'Some words about it. '.repeat(20)}\n`,
    },
    { agent: 'planner' },
  );
const text = Array.from(
  { length: blocks },
  (_, n) =>
    `Paragraph ${n} says **something** about [[Proposal ${n % 20}]].${' More of it.'.repeat(n % 9)}\n`,
).join('\n');
const long = notes.write({ op: 'create_page', path: 'Long', text });
if (long.kind === 'refused') throw new Error(long.message);
const [page = ''] = long.content_ids;
notes.close();

const store = openStore(join(home, 'data', 'sonde.db'));
await store.runs.create({ id: 'run-long', shape: 'research', question: 'Why?', root: work, params: {} });
const lease = await store.runs.acquire('run-long');
const log = store.log(lease);
log.append('start', {
  kind: 'run_started',
  shape: 'research',
  question: 'Why?',
  params: {},
  limits: { tokens: 1_000_000 },
});
for (let n = 1; n < events; n += 1) {
  const step = Math.ceil(n / 20);
  const call = `c${Math.ceil(n / 2)}`;
  log.append(
    `e${n}`,
    n % 20 === 1
      ? { kind: 'step_started', step, left: { tokens: 1_000_000 - n } }
      : n % 2 === 0
        ? {
            kind: 'action_started',
            ...{ step, call, action: 'open', input: { path: `src/file-${n}.ts` } },
            reasoning: 'It may hold the answer.',
          }
        : {
            kind: 'action_finished',
            ...{ step, call: `c${Math.ceil((n - 1) / 2)}`, action: 'open' },
            outcome: 'ok',
            ...{ summary: '40 lines', evidence: [], fresh: 0, wall_ms: 3 },
            completeness: { complete: true } as never,
          },
  );
}
await store.commit(lease);
await lease.release();
await store.close();

const server = spawn(process.execPath, [sonde, 'ui', '--port', '0', '--no-open', '--json'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const address = async (): Promise<string> => {
  const again = spawn(process.execPath, [sonde, 'ui', '--no-open', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: again.stdout }))
    return (JSON.parse(line) as { readonly address: string }).address;
  throw new Error('sonde ui said nothing');
};
for await (const _ of createInterface({ input: server.stdout })) break;

const empty = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>Empty</title>');
}).listen(0, '127.0.0.1');
await once(empty, 'listening');
const emptyAddress = `http://127.0.0.1:${(empty.address() as AddressInfo).port}/`;

let profile = 0;
const open = (): Promise<BrowserContext> => {
  profile += 1;
  return chromium.launchPersistentContext(join(work, `profile-${profile}`), {
    executablePath: '/usr/bin/chromium',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
    viewport: { width: 1280, height: 860 },
  });
};
const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) / 2)] ?? Number.NaN;

/** From the beginning of the navigation until the first item can be decided by a key. */
async function coldLoad(): Promise<{ readonly ms: number; readonly bytes: number }> {
  const context = await open();
  const at = await address();
  const tab = context.pages()[0] ?? (await context.newPage());
  const session = await context.newCDPSession(tab);
  let bytes = 0;
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await tab.goto(at, { waitUntil: 'commit' });
  await tab.locator('.acts .main-act').waitFor();
  const ms = (await tab.evaluate(`performance.now()`)) as number;
  const taken = bytes;
  await context.close();
  return { ms, bytes: taken };
}

async function emptyLoad(): Promise<number> {
  const context = await open();
  const tab = context.pages()[0] ?? (await context.newPage());
  await tab.goto(emptyAddress, { waitUntil: 'commit' });
  await tab.locator('body').waitFor({ state: 'attached' });
  const ms = (await tab.evaluate(`performance.now()`)) as number;
  await context.close();
  return ms;
}

/** From end to end, a screen at a time, a frame for each. */
async function scroll(tab: Page, list: string): Promise<string> {
  await tab.locator(list).waitFor();
  while (((await tab.evaluate(`document.querySelector('${list}').scrollHeight`)) as number) < 20_000)
    await sleep(50);
  const { frames, longest, nodes } = (await tab.evaluate(`(async () => {
    const list = document.querySelector('${list}');
    let longest = 0, nodes = 0, frames = 0;
    const watch = new PerformanceObserver((entries) => {
      for (const { duration } of entries.getEntries()) longest = Math.max(longest, duration);
    });
    watch.observe({ entryTypes: ['longtask'] });
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    await new Promise((done) => setTimeout(done, 1500));
    longest = 0;
    while (list.scrollTop + list.clientHeight < list.scrollHeight - 2 && frames < 5000) {
      list.scrollTop += list.clientHeight * 0.9;
      await frame();
      nodes = Math.max(nodes, document.querySelectorAll('*').length);
      frames += 1;
    }
    return { frames, longest, nodes };
  })()`)) as { readonly frames: number; readonly longest: number; readonly nodes: number };
  return `${frames} screens, longest task ${longest === 0 ? 'under 50' : longest.toFixed(0)} ms, ${nodes} DOM nodes at most`;
}

try {
  const found: { readonly ms: number; readonly bytes: number }[] = [];
  const bare: number[] = [];
  for (let n = 0; n < loads; n += 1) {
    bare.push(await emptyLoad());
    found.push(await coldLoad());
  }
  const [ours, none] = [median(found.map(({ ms }) => ms)), median(bare)];
  console.log(
    `inbox until it takes a key: ${(median(found.map(({ bytes }) => bytes)) / 1_000).toFixed(1)} kB`,
  );
  console.log(
    `cold load: ${ours.toFixed(0)} ms, an empty page ${none.toFixed(0)} ms, ${(ours - none).toFixed(0)} ms beside it (median of ${loads})`,
  );
  const context = await open();
  const tab = context.pages()[0] ?? (await context.newPage());
  await tab.goto(await address());
  await tab.locator('.shell').waitFor();
  await tab.evaluate(`location.hash = '#/runs/run-long/steps'`);
  console.log(`a run of ${events} events: ${await scroll(tab, '.virtual.tree')}`);
  await tab.evaluate(`location.hash = '#/pages/${page}'`);
  console.log(`a page of ${blocks} blocks: ${await scroll(tab, '.virtual.blocks')}`);
  await context.close();
} finally {
  server.kill('SIGTERM');
  empty.close();
  await new Promise((done) => server.once('exit', done));
  rmSync(work, { recursive: true, force: true });
}
