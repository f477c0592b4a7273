/** Work that a conversation handed on, under `sonde serve`, whose processes are killed in the middle of it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readThread } from '../../session/index.ts';
import { deathLimits, openDatabase, openSessionsIn, openStoreIn, type Store } from '../../store/index.ts';
import { openWorld } from '../../world/index.ts';
import { decision, isPlanner, readLastTurn } from '../testbed/conversation.contract.ts';
import { isReaderPrompt, type ModelServer, modelServer, supportAllClaims } from '../testbed/model-server.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { type Serving, startServing, waitForExit, waitUntil } from '../testbed/serving.ts';
import { createSmallWorld } from '../testbed/small-world.ts';

const pages = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `Stores/Shelf ${n}`,
    `# Shelf ${n}\n\n${'Nothing of interest stands here. '.repeat(200)}\n\nHolds: ${n} lamps\n`,
  ]),
);
const system = 'prometheus-token-0123456789';
const ofHost = 'embeddings-key-0123456789';

let home: string;
let path: string;
let model: ModelServer;
let serving: Serving | undefined;
/** Told of each prompt before it is answered. */
let before: (prompt: string) => Promise<void> = async () => {};

beforeEach(async () => {
  home = newHome();
  path = await createSmallWorld(home, pages);
  model = await modelServer(async (prompt) => {
    await before(prompt);
    if (isReaderPrompt(prompt)) return supportAllClaims(prompt);
    return isPlanner(prompt) ? planner(prompt) : inside(prompt);
  });
});
afterEach(async () => {
  await serving?.end();
  serving = undefined;
  before = async () => {};
  await model.close();
});

function planner(prompt: string): string {
  const turn = readLastTurn(prompt);
  if (turn.includes('poison')) return decision('it went well');
  if (!turn.includes('\n## task ('))
    return decision('', [
      'task',
      { shape: 'investigation', params: { prompt: 'How many lamps are there?' } },
    ]);
  const found = /\d+ lamps in all/.exec(turn)?.[0];
  if (found === undefined || turn.includes('\n## create_page (')) return decision(found ?? turn);
  return decision('', ['create_page', { path: 'Found', text: `${found}\n` }]);
}

const code = (...lines: readonly string[]) => `\`\`\`python\n${lines.join('\n')}\n\`\`\``;
const turns = [
  code(
    'hits = kb_search("shelf lamps", wide=True)',
    'paths = sorted({h.path for h in hits})',
    'print(len(paths))',
  ),
  code(
    'import re',
    'for again in range(5):',
    '    texts = {path: kb_read(path) for path in paths}',
    'total = sum(int(re.search(r"Holds: (\\d+) lamps", str(t)).group(1)) for t in texts.values())',
    'print(total)',
    'said = llm_query("Say yes.")',
  ),
  code('print(said)'),
  code(
    'propose_write("create_page", path="Lamps", text=f"There are {total}.\\n")',
    'text = texts["Stores/Shelf 3"]',
    'at = next(n for n, line in text.lines if line.startswith("Holds"))',
    'FINAL(f"There are {total} lamps in all {text.cite(at, at)}.")',
  ),
];

function inside(prompt: string): string {
  const turn = Number([...prompt.matchAll(/^Turn (\d+);/gm)].at(-1)?.[1] ?? 0);
  return turn === 0 ? 'yes' : (turns[turn - 1] ?? turns.at(-1)!);
}

/** Looks at the file as one who takes no part, until it holds what is waited for. */
async function once(wanted: (store: Store) => Promise<boolean>, given: AbortSignal): Promise<void> {
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const store = openStoreIn(db);
  while (!given.aborted && !(await wanted(store))) await sleep(5);
  await store.close();
  db.close();
}

const investigationIn = async ({ runs }: Store) =>
  (await runs.list()).find(({ shape }) => shape === 'investigation');
const isReading = async (store: Store): Promise<boolean> => {
  const run = await investigationIn(store);
  const log = run === undefined ? [] : await store.events(run.id);
  return log.filter(({ event }) => event.kind === 'helper_called' && event.helper === 'kb_read').length > 2;
};
const isWriting = async (store: Store): Promise<boolean> =>
  (await investigationIn(store))?.status === 'finished';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** With SIGKILL, one after another, each time another process: what is told of a new one comes by another way. */
function killer(who: 'agent' | 'host') {
  let kills = 0;
  let last = Promise.resolve();
  let gone = 0;
  return {
    kills: () => kills,
    kill(): Promise<void> {
      last = last.then(async () => {
        kills += 1;
        if (who === 'agent') {
          while ([0, gone].includes(serving!.agent())) await sleep(5);
          gone = serving!.agent();
          serving!.killAgent();
          while (isAlive(gone)) await sleep(5);
          return;
        }
        serving!.host.kill('SIGKILL');
        await waitForExit(serving!.host);
        serving = await startServing({ home, model });
      });
      return last;
    },
  };
}

// world.md: Task registry 11; Session graph 6, 7; Errors 6.
it.each(['agent', 'host'] as const)(
  'is taken up again where the %s is killed, and nothing that was recorded is asked again',
  async (who) => {
    serving = await startServing({ home, model });
    const { kills, kill } = killer(who);
    const over = new AbortController();
    // While code is asked for, while it reads over the tools, while it asks a model, when it has ended and writes, while
    // the planner looks at what came of it, and when that is written down and told: more often than one is let die that
    // comes no further.
    const left = [
      /^Turn 2;/m,
      /Say yes/,
      /^Turn 4;/m,
      /\n## task \((?!.*\n## create_page \()/s,
      /\n## create_page \(/,
    ];
    const moments = left.length;
    const reading = once(isReading, over.signal).then(kill);
    const writing = once(isWriting, over.signal).then(kill);
    before = async (prompt) => {
      if (prompt.includes('Say yes')) await reading;
      if (isPlanner(prompt) && readLastTurn(prompt).includes('\n## task (')) await writing;
      const moment = left.findIndex((each) => each.test(prompt));
      if (moment < 0) return;
      left.splice(moment, 1);
      await kill();
    };
    const call = (route: string, body?: object) => serving!.call(route, body);
    await waitUntil(call, 'talk', () => true);
    const sent = await call('talk/messages', { text: 'how many lamps?', message_id: 'm-1' });
    expect(sent?.status).toBe(202);
    const { last } = await waitUntil(
      call,
      'talk',
      ({ state, last }) => state === 'idle' && last?.by === 'agent',
    );
    over.abort();
    expect(last?.text).toBe('190 lamps in all');
    expect(kills()).toBe(moments + 2);
    expect(kills()).toBeGreaterThan(deathLimits.idleCrashes);

    const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
    try {
      // Every call has one key; each but those that died on their way was asked once. Of the planner's answer a reader is
      // asked once.
      const asked = Map.groupBy(model.served, ({ key }) => key);
      expect(asked.size).toBe(3 + turns.length + 1 + 1);
      expect(model.countRequests()).toBeLessThanOrEqual(asked.size + kills());
      const store = openStoreIn(db);
      const runs = await store.runs.list();
      expect(runs.map(({ shape, status }) => [shape, status]).sort()).toEqual([
        ['investigation', 'finished'],
        ['turn', 'finished'],
      ]);
      const turn = runs.find(({ shape }) => shape === 'turn')!;
      const { spent, unknown } = await store.accounts.balance(turn.id);
      expect(spent.calls - unknown.calls).toBe(asked.size);
      // Of the deaths nothing came to the code: each of its cells and each of its helpers did what it was to do.
      const log = (await store.events((await investigationIn(store))!.id)).map(({ event }) => event);
      const outcomes = log.flatMap((event) => ('outcome' in event ? [event.outcome] : []));
      expect(new Set(outcomes)).toEqual(new Set(['ok']));
      await store.close();
      const { messages } = await readThread('talk', openSessionsIn(db).checkpoints);
      expect(messages.map(({ kind }) => kind)).toEqual([
        ...['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
      ]);
      expect(messages[2]).toMatchObject({ name: 'task', ok: true });
      // What it proposed was written once, as a candidate that rests on what was read before the kills; what the planner
      // wrote upon its answer rests on what that cites, which a process knows that was not there when it came.
      const world = openWorld(db, { name: 'main' });
      const rests = [
        ['Lamps', Object.keys(pages)],
        ['Found', ['Stores/Shelf 3']],
      ] as const;
      for (const [path, sources] of rests) {
        const made = world.page(path)!;
        expect(made).toMatchObject({ lifecycle: 'Candidate', origin: 'AgentProduced' });
        const paths = world.sourcesOf(made.id).map(({ source_id }) => world.page(source_id)!.path);
        expect(paths.toSorted()).toEqual([...sources].sort());
      }
      expect(world.events(0, 1000).filter(({ caller_kind }) => caller_kind === 'agent')).toHaveLength(2);
    } finally {
      db.close();
    }
  },
);

// world.md: Errors 6.
it('a message that ends each agent at the same place is given up, and what was kept of it can be dropped', async () => {
  serving = await startServing({ home, model });
  const { call, waitUntil: until, stderrLines: told } = serving;
  const { kills, kill } = killer('agent');
  before = async (prompt) => {
    if (readLastTurn(prompt).includes('poison')) await kill();
  };
  await until('talk', () => true);
  await call('talk/messages', { text: 'poison', message_id: 'm-1' });
  while (!told.some((line) => line.includes('is given up'))) await sleep(15);
  expect(kills()).toBe(deathLimits.idleCrashes);
  const sent = await call('talk/messages', { text: 'poison', message_id: 'm-1' });
  expect(sent).toMatchObject({
    body: { details: { outcome: { status: 'failed', error: { deaths: kills() } } } },
  });
  await until('talk', ({ state }) => state === 'unfinished');
  expect(await call('talk/drop', {})).toMatchObject({ status: 200 });
  await call('talk/messages', { text: 'how many lamps?', message_id: 'm-2' });
  const { last } = await until('talk', ({ state, last }) => state === 'idle' && last?.by === 'agent');
  expect(last?.text).toBe('190 lamps in all');
  expect(kills()).toBe(deathLimits.idleCrashes);
});

// incident.md: Pipeline 4.
it('an alert is looked into by the agent, over the logs that are configured, and its report is kept', async () => {
  const logs = join(home, 'logs');
  mkdirSync(logs);
  const now = Date.now();
  const line = (ago: number, text: string) => `${new Date(now - ago * 60_000).toISOString()} ${text}\n`;
  const calm = Array.from({ length: 60 }, (_, n) => line(100 - n, 'INFO order taken')).join('');
  const loud = Array.from({ length: 12 }, (_, n) => line(12 - n, 'ERROR disk quota exceeded')).join('');
  writeFileSync(join(logs, 'orders.log'), calm + loud);
  await model.close();
  const alert = JSON.stringify({ service: 'orders', summary: 'orders fails', severity: 'critical' });
  model = await modelServer((prompt) => {
    if (isReaderPrompt(prompt)) return supportAllClaims(prompt);
    if (isPlanner(prompt)) {
      const turn = readLastTurn(prompt);
      if (!turn.includes('\n## task ('))
        return decision('', ['task', { shape: 'incident', params: { alert } }]);
      return decision(`verdict: ${/^verdict: (\w+)$/m.exec(turn)?.[1]}`);
    }
    const block = prompt
      .split('<sonde-material ')
      .find((one) => one.startsWith('source="ev-') && one.includes('disk quota exceeded'));
    const pattern = /ev-[0-9a-f]{10}/.exec(block ?? '')?.[0] ?? 'ev-0000000000';
    return decision('', [
      'conclude',
      {
        verdict: 'no_code_change',
        culprit: null,
        root_cause: `orders logged \`disk quota exceeded\` 12 times [${pattern}]`,
        root_cause_category: 'disk full',
        causal_chain: [],
        claims: [],
        remediation_steps: ['Raise the quota of orders'],
      },
    ]);
  });
  serving = await startServing({ home, model, env: { SONDE_LOG_FILES: logs } });
  const { waitUntil: until, call } = serving;
  await until('talk', () => true);
  await call('talk/messages', { text: 'what is wrong with orders?', message_id: 'm-1' });
  const { last } = await until('talk', ({ state, last }) => state === 'idle' && last?.by === 'agent');
  expect(last?.text).toBe('verdict: no_code_change');
  const db = openDatabase({ path, schemas: [], busyMs: 10_000 });
  const store = openStoreIn(db);
  const run = (await store.runs.list()).find(({ shape }) => shape === 'incident')!;
  expect(run).toMatchObject({ status: 'finished', question: expect.stringContaining('orders') });
  await store.close();
  db.close();
  const report = readFileSync(join(home, 'data', 'incidents', run.id, 'report.md'), 'utf8');
  expect(report).toContain('orders logged `disk quota exceeded` 12 times');
});

it('each key is with the process that needs it, and with no other', async () => {
  const env = { PROMETHEUS_TOKEN: system, SONDE_EMBEDDINGS_API_KEY: ofHost };
  serving = await startServing({ home, model, env });
  await serving.waitUntil('talk', () => true);
  const held = readFileSync(`/proc/${serving.agent()}/environ`, 'utf8');
  expect(held).toContain(system);
  expect(held).not.toContain(ofHost);
});
