/**
 * One question over a large tree, through each provider's wire: whatever was kept when its process died, the next one
 * sends what the first would have sent, byte for byte, and pays for it once.
 */
import { copyFileSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { manualClock, type RunResult } from '../../core/index.ts';
import type { PlayedTurn } from '../../model/dialogue/played-turn.contract.ts';
import { type StrictServer, strictServer } from '../../model/dialogue/strict-server.contract.ts';
import { wires } from '../../model/dialogue/wires.contract.ts';
import type { Model } from '../../model/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { withoutWaiting } from './research.contract.ts';
import { researchRun } from './run.ts';
import { scriptedMaterial } from './scripted.ts';

/** As in killed-at-each-record.long.process.test.ts; else some of the records. */
const everyTrial = process.env['TRIALS'] === 'all';

const root = join(import.meta.dirname, '../../..');
const run = 'run-a1';
const question = 'Where is `openSteps` defined, and what does a step do before it sends a request?';
/** This project itself. */
const files = Object.fromEntries(
  globSync('src/**/*.ts', { cwd: root }).map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);
/** A line of it that can be quoted, whatever it says. */
const quoted = /\/\*\* (.{40,}) \*\//.exec(
  files['src/store/runs/steps.ts']!.split('\n').slice(0, 60).join('\n'),
)![1]!;
const material = scriptedMaterial({ files });
/** Looking through all of it takes a while, and comes to the same each time. */
const once = <Asked, Found>(look: (asked: Asked) => Promise<Found>) => {
  const found = new Map<string, Promise<Found>>();
  return (asked: Asked) => {
    const { signal: _stop, ...rest } = asked as { readonly signal?: unknown };
    const key = JSON.stringify(rest);
    const known = found.get(key) ?? look(asked);
    found.set(key, known);
    return known;
  };
};
const remembered = {
  ...material,
  search: { search: once(material.search.search) },
  grep: { grep: once(material.grep.grep) },
  definitions: { find: once(material.definitions.find) },
};

const inTags = (origin: string): Model => {
  const { reply: _native, ...model } = wires.chat(origin);
  return model;
};
const ways = { ...wires, 'text tags': inTags };
type Way = keyof typeof ways;

const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, input });
type Said = Omit<PlayedTurn, 'calls'> & { readonly calls?: readonly ReturnType<typeof call>[] };

/**
 * What a model says, the same on every wire: several calls at once, a refusal that passes, a reply that is cut, an
 * answer.
 */
const story: readonly Said[] = [
  {
    reasoning: 'Two looks at once.',
    text: 'I look at both.',
    calls: [
      call('open_span', { file_path: 'src/store/runs/steps.ts', start_line: 1, end_line: 60 }),
      call('grep', { pattern: 'openSteps\\(' }),
    ],
  },
  { error: { status: 529, message: 'overloaded' } },
  {
    reasoning: 'And who calls it.',
    calls: [
      call('hybrid_search', { query: 'reserve record settle', k: 4 }),
      call('find_definition', { symbol: 'writerOf' }),
      call('open_span', { file_path: 'no/such/file.ts', start_line: 1, end_line: 2 }),
    ],
  },
  { stop: 'length', text: 'Now I' },
  {
    reasoning: 'The contract.',
    calls: [call('open_span', { file_path: 'src/core/step.ts', start_line: 1, end_line: 40 })],
  },
  { reasoning: 'Enough.', calls: [call('finalize', { answer: 'CITED', confidence: 0.8 })] },
];

function asTags({ name, input }: ReturnType<typeof call>): string {
  const args = Object.entries(input).map(([key, value]) => `<arg name="${key}">${value}</arg>`);
  return [`<call name="${name}">`, ...args, '</call>'].join('\n');
}

/** On the chat wire nothing is thought, and if there are no tools calls are written as text. */
function played(way: Way, { reasoning, calls, ...said }: Said): PlayedTurn {
  const thought = reasoning !== undefined && /thinking|openai/.test(way) ? { reasoning } : {};
  if (calls === undefined) return { ...thought, ...said };
  if (way === 'text tags')
    return { ...said, text: [said.text ?? '', ...calls.map(asTags)].join('\n').trim() };
  const written = calls.map(({ name, input }) => ({ name, args: JSON.stringify(input) }));
  return { ...thought, ...said, calls: written };
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sonde-killed-'));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** What a process finds that comes after one that died with this kept. */
interface Left {
  readonly path: string;
  /** Requests that were sent by then, all of them answered and kept. */
  readonly sent: number;
  /** Told last, before it died. */
  readonly last: string | undefined;
}

/** The store, and a copy of its file as it stood behind each commit. */
function copied(store: Store, sent: () => number): { readonly store: Store; readonly left: readonly Left[] } {
  const left: Left[] = [];
  const copy = async () => {
    const path = join(folder(), 'sonde.db');
    for (const part of ['', '-wal'].filter((each) => existsSync(`${store.path}${each}`)))
      copyFileSync(`${store.path}${part}`, `${path}${part}`);
    left.push({ path, sent: sent(), last: (await store.events(run)).at(-1)?.event.kind });
  };
  return {
    left,
    store: {
      ...store,
      async commit(lease) {
        const seq = await store.commit(lease);
        await copy();
        return seq;
      },
    },
  };
}

const setting = (store: Store, model: Model) => ({
  store,
  models: { planner: model, analyst: model },
  material: remembered,
  clock: manualClock(1_700_000_000_000),
  ...withoutWaiting,
});
/** Time enough for the lease of who died to be over. */
const later = { now: () => Date.now() + 3_600_000 };

/** Some of all, evenly, of which the last is one. */
const spread = <Item>(all: readonly Item[], count: number): readonly Item[] =>
  Array.from({ length: count }, (_, n) => all[Math.ceil(((n + 1) * all.length) / count) - 1]!);

interface Whole {
  readonly result: RunResult;
  readonly left: readonly Left[];
  readonly keys: readonly string[];
}

async function wholeRun(server: StrictServer, model: Model, turns: readonly PlayedTurn[]): Promise<Whole> {
  const path = join(folder(), 'sonde.db');
  const from = server.requests.length;
  const plain = openStore(path);
  ends.push(() => plain.close());
  const { store, left } = copied(plain, () => server.requests.length - from);
  server.playFrom(0, turns);
  const { result } = await researchRun.start({ id: run, question, root: '/material' }, setting(store, model));
  return { result, left, keys: (await plain.events(run)).map(({ key }) => key) };
}

/** What is left of the budget is told, and whoever died with a request on its way has less. */
const withoutBudget = (raw: string) => raw.replaceAll(/Budget: .*? s\./g, 'Budget.');
/** Attempts count from one in each life, so that one that failed before may bear the number of one that comes after. */
const toldIn = (keys: readonly string[]) =>
  [...new Set(keys.map((key) => key.replace(/\/again-\d+|attempt-\d+/, '')))]
    .filter((key) => !key.startsWith('run-resumed'))
    .sort();
const billed = ({ spent: { wall_ms: _time, ...rest } }: RunResult) => rest;

it.each(Object.keys(ways) as Way[])('%s', { timeout: 300_000 }, async (way) => {
  const server = await strictServer();
  ends.push(server.close);
  const model = ways[way](server.origin);
  const turns = (answer: string) =>
    story.map((said) => played(way, JSON.parse(JSON.stringify(said).replace('CITED', answer))));
  // Ids of evidence follow from what was read: a first run tells them.
  await wholeRun(server, model, turns('nothing'));
  const shown = JSON.stringify(server.requests.map(({ raw }) => raw));
  const [cited] = shown.match(/ev-[0-9a-f]{10}(?= src\/store\/runs\/steps\.ts:1-60)/) ?? [];
  expect(cited).toBeDefined();
  const told = turns(`It says “${quoted}” [${cited}].`);

  const from = server.requests.length;
  const whole = await wholeRun(server, model, told);
  const requests = server.requests.slice(from).map(({ raw }) => raw);
  expect(whole.result).toMatchObject({ stop_reason: 'finalized', status: 'verified' });
  expect(requests).toHaveLength(told.length);
  // Each request and each reply is a moment of its own, and so is each action.
  expect(whole.left.length).toBeGreaterThan(2 * told.length);

  for (const { path, sent, last } of everyTrial ? whole.left : spread(whole.left, 4)) {
    const store = openStore(path, { clock: later });
    try {
      const before = server.requests.length;
      server.playFrom(sent, told);
      const { result } = await researchRun.resume(run, setting(store, model));
      const again = server.requests.slice(before).map(({ raw }) => raw);
      // Reserved, and perhaps sent: asked again, and both are paid.
      const open = last === 'model_called';
      const asBefore = open ? withoutBudget : (raw: string) => raw;
      expect(again.map(asBefore)).toEqual(requests.slice(sent).map(asBefore));
      expect(again[0]).toBe(requests[sent]);
      expect(result).toMatchObject({
        answer: whole.result.answer,
        citations: whole.result.citations,
        status: 'verified',
      });
      if (open) expect(billed(result).calls).toBe(billed(whole.result).calls + 1);
      else expect(billed(result)).toEqual(billed(whole.result));
      expect(toldIn((await store.events(run)).map(({ key }) => key))).toEqual(toldIn(whole.keys));
    } finally {
      await store.close();
    }
  }
});
