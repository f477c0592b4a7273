/**
 * Events of the interface over HTTP: what is lost or doubled over many reconnects while a run writes, and how long an event
 * takes from its commit to its readers, one of whom stalls. Real `sonde serve` and a real run, whose model is played here;
 * pages are written beside it, since `/events` tells both. The run goes on until all reconnects have been made.
 *
 * `node bench/events.ts [--seconds 60] [--readers 200] [--reconnects 200] [--rate 20]`
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    readers: { type: 'string', default: '200' },
    reconnects: { type: 'string', default: '200' },
    rate: { type: 'string', default: '20' },
  },
});
const [seconds, readers, reconnects] = [
  Number(values.seconds),
  Number(values.readers),
  Number(values.reconnects),
];
const rate = Number(values.rate);

/** Events of a turn beside those of what its cell reads. */
const eventsOfTurn = 4;
let turns = 0;
let lines = 0;
let endsAt = Number.POSITIVE_INFINITY;
/** Streams that have not been left often enough yet. */
let reconnecting = 2;
let stopWriting = async (): Promise<void> => {};
let lastReply = 0;

/** Reads other lines with each turn, once a second, and answers at the end. */
async function nextCall(): Promise<string> {
  if (Date.now() >= endsAt && reconnecting === 0) {
    await stopWriting();
    return "FINAL('It says so.')";
  }
  const wait = lastReply + 1_000 - Date.now();
  if (wait > 0) await sleep(wait);
  const passed = turns === 0 ? 1_000 : Date.now() - lastReply;
  lastReply = Date.now();
  turns += 1;
  // Each is an event of a helper. A turn that took longer is made up for.
  const reads = Math.max(1, Math.round((rate * passed) / 1_000) - eventsOfTurn);
  const from = lines + 1;
  lines += reads;
  return `for n in range(${from}, ${from + reads}):\n    print(kb_read('lines.txt', n, n))`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}

const model = createServer(async (request, response) => {
  const { stream = false } = JSON.parse((await textOf(request)) || '{}') as { readonly stream?: boolean };
  const call = {
    ...{ index: 0, id: `call-${turns}`, type: 'function' },
    function: { name: 'python', arguments: JSON.stringify({ code: await nextCall() }) },
  };
  const usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
  const about = { id: 'x', created: 1, model: 'played' };
  if (!stream) {
    const message = { role: 'assistant', content: 'Read on.', tool_calls: [call] };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...{ ...about, object: 'chat.completion', usage },
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      }),
    );
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  for (const [delta, finish_reason] of [
    [{ role: 'assistant', content: 'Read on.', tool_calls: [call] }, null],
    [{}, 'tool_calls'],
  ] as const)
    response.write(
      `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  response.end(
    `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`,
  );
});
model.listen(0, '127.0.0.1');
await once(model, 'listening');

const work = mkdtempSync(join(tmpdir(), 'sonde-events-'));
const [home, code] = [join(work, 'home'), join(work, 'code')];
for (const folder of [home, code]) mkdirSync(folder);
writeFileSync(
  join(code, 'lines.txt'),
  Array.from({ length: 20_000 }, (_, n) => `Line ${n} says something of its own.\n`).join(''),
);
const sonde = fileURLToPath(new URL('../bin/sonde.mjs', import.meta.url));
const env = {
  ...process.env,
  SONDE_HOME: home,
  SONDE_MODEL: 'openai-compatible:played',
  OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
  OPENAI_API_KEY: 'played',
};
const run = (...args: readonly string[]): string =>
  spawnSync(process.execPath, [sonde, ...args], { env, encoding: 'utf8' }).stdout.trim();
run('world', 'new', 'main');
const token = run('token', 'add', 'bench', '--workspace', 'main', '--role', 'author');
const server = spawn(
  process.execPath,
  [sonde, 'serve', '--workspace', 'main', '--code', code, '--port', '0'],
  { env, stdio: ['ignore', 'pipe', 'inherit'] },
);
const url = await new Promise<string>((done) => {
  createInterface(server.stdout).on('line', (line) => {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (found !== undefined) done(found);
  });
});

interface Event {
  readonly id: string;
  readonly kind: string;
  readonly data: {
    readonly run?: string;
    readonly op?: string;
    readonly seq: number;
    readonly at: number;
  };
}

const headers = { authorization: `Bearer ${token}` };
const stop = new AbortController();

/** Each event as it is received, until the reader says that he has enough, or the stream is over: then true. */
async function follow(
  path: string,
  after: string | null,
  heard: (event: Event) => boolean,
): Promise<boolean> {
  const response = await fetch(`${url}/api/v1${path}`, {
    headers: { ...headers, ...(after !== null && { 'last-event-id': after }) },
    signal: stop.signal,
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return false;
    const pieces = (rest + value).split('\n\n');
    rest = pieces.pop()!;
    for (const piece of pieces) {
      if (piece.startsWith('event: end')) {
        void reader.cancel();
        return true;
      }
      const [, id = '', kind = '', data] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(piece) ?? [];
      if (data === undefined || !heard({ id, kind, data: JSON.parse(data) })) continue;
      void reader.cancel();
      return false;
    }
  }
}

const begun = await fetch(`${url}/api/v1/runs`, {
  method: 'POST',
  headers,
  body: JSON.stringify({
    shape: 'investigate',
    params: {
      ...{ question: 'What do the lines say?', over: 'code', max_tokens: 100_000_000, max_time: '1h' },
    },
  }),
});
if (!begun.ok) throw new Error(await begun.text());
const { run: id } = (await begun.json()) as { readonly run: string };
endsAt = Date.now() + seconds * 1_000;

const commits = new Worker(new URL('commit-times.ts', import.meta.url), {
  workerData: { path: join(home, 'data', 'sonde.db'), run: id },
});

/** Writes between two events of the run. Milliseconds. */
const writeMs = 400;
let isWriting = true;
const writing = (async () => {
  for (let n = 0; isWriting; n += 1) {
    const made = await fetch(`${url}/api/v1/workspaces/main/pages`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ path: `Page ${n}`, text: `It is page ${n}.\n` }),
    });
    if (!made.ok) throw new Error(await made.text());
    await sleep(writeMs);
  }
})();
stopWriting = () => {
  isWriting = false;
  return writing;
};

/** Goes away after a few events, and comes again after the last that it has. */
async function comeAgain(path: string, from: string | null, isOver: (event: Event) => boolean) {
  const seen: Event[] = [];
  let [last, times, over] = [from, 0, false];
  while (!over) {
    const few = times < reconnects ? 1 + (times % 4) : Number.POSITIVE_INFINITY;
    let heard = 0;
    const ended = await follow(path, last, (event) => {
      seen.push(event);
      last = event.id;
      heard += 1;
      over ||= isOver(event);
      return heard >= few || over;
    });
    over ||= ended;
    times += 1;
    if (times === reconnects) reconnecting -= 1;
  }
  return { seen, times: times - 1 };
}

const isEnd = ({ kind, data }: Event): boolean =>
  kind === 'run_finished' && (data.run === undefined || data.run === id);
const ofRun = comeAgain(`/runs/${id}/events`, null, isEnd);
const ofAll = comeAgain('/events', '0-0', isEnd);

/** Opened and never read: what it is sent stands in the server. */
void fetch(`${url}/api/v1/runs/${id}/events`, { headers, signal: stop.signal }).catch(() => {});

const receipts: [seq: number, at: number][] = [];
/** Until all readers have come. Milliseconds. */
const settlingMs = 3_000;
const watching = Array.from({ length: readers }, async () => {
  let count = 0;
  const since = Date.now() + settlingMs;
  await follow(`/runs/${id}/events`, null, ({ data }) => {
    // What was there before all readers had come is no delay.
    if (data.at > since) receipts.push([data.seq, Date.now()]);
    count += 1;
    return false;
  });
  return count;
});
const counts = await Promise.all(watching);
const [single, whole] = await Promise.all([ofRun, ofAll]);

commits.postMessage('over');
const [times] = (await once(commits, 'message')) as [[seq: number, at: number][]];
const committed = new Map(times);
const delays = receipts.map(([seq, at]) => at - committed.get(seq)!);

async function listed(path: string): Promise<Event['data'][]> {
  const all: Event['data'][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const response = await fetch(`${url}/api/v1${path}?limit=200${more}`, { headers });
    const page = (await response.json()) as { readonly items: Event['data'][]; readonly next: string | null };
    all.push(...page.items);
    cursor = page.next;
  }
  return all;
}
const log = await listed(`/runs/${id}/log`);
const writes = await listed('/workspaces/main/log');
const complete = counts.filter((count) => count === log.length).length;

/** Against what the log holds. */
function missed(seen: readonly Event[], wanted: readonly number[]): string {
  const numbers = seen.map(({ data }) => data.seq);
  const own = new Set(numbers);
  const lost = wanted.filter((seq) => !own.has(seq)).length;
  const inOrder = numbers.every((seq, n) => n === 0 || seq > numbers[n - 1]!);
  return `${wanted.length} events, lost ${lost}, doubled ${numbers.length - own.size}, ${inOrder ? 'in order' : 'out of order'}`;
}

const told = new Set(whole.seen.map(({ kind }) => kind));
const kinds = new Map(single.seen.map(({ kind, data }) => [data.seq, kind]));
const all = log.map(({ seq }) => seq);
delays.sort((a, b) => a - b);
const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? Number.NaN;
const span = (log.at(-1)!.at - log[0]!.at) / 1_000;
console.log(
  [
    `a run of ${log.length} events in ${span.toFixed(0)} s (${(log.length / span).toFixed(1)} a second, ${turns} turns)`,
    `/runs/ID/events, ${single.times} reconnects: ${missed(single.seen, all)}`,
    `/events, ${whole.times} reconnects, steps: ${missed(
      whole.seen.filter(({ data }) => data.run === id),
      all.filter((seq) => told.has(kinds.get(seq)!)),
    )}; writes: ${missed(
      whole.seen.filter(({ data }) => data.op !== undefined),
      writes.map(({ seq }) => seq),
    )}`,
    `${readers} readers and one that stalls: ${complete} were given all; from the commit to its receipt p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, longest ${delays.at(-1)} ms (${delays.length} receipts)`,
  ].join('\n'),
);
stop.abort();
server.kill('SIGTERM');
await once(server, 'exit');
model.close();
model.closeAllConnections();
rmSync(work, { recursive: true, force: true });
