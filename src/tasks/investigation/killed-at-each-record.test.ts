/**
 * One investigation with all that it can hold, through each provider's wire: whatever was kept when its process died,
 * the next one sends what the first would have sent, byte for byte, and pays for it once. What goes out side by side
 * may go out in another order.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { manualClock, type RunEvent, type RunResult } from '../../core/index.ts';
import type { Body, PlayedTurn } from '../../model/dialogue/played-turn.contract.ts';
import { type StrictServer, strictServer } from '../../model/dialogue/strict-server.contract.ts';
import { wires } from '../../model/dialogue/wires.contract.ts';
import type { Model } from '../../model/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import { allCapabilities, noWait, question, testMaterial, testSandbox } from './investigation.contract.ts';
import { type InvestigationSetting, investigationRun } from './run.ts';

/** Of the records at which it may die, so many are tried; 24 in killed-at-each-record.long.process.test.ts. */
const samples = process.env['TRIALS'] === 'all' ? 24 : 2;
const run = 'run-a1';

const inTags = (origin: string): Model => {
  const { reply: _native, ...model } = wires.chat(origin);
  return model;
};
const ways = { ...wires, 'text tags': inTags };
type Way = keyof typeof ways;

/** A search and a count, questions side by side, an error, investigations side by side that ask on, and an answer. */
const root = [
  [
    'hits = kb_search("expire session")',
    'text = kb_read("src/session.py")',
    'print(len(hits), sum("ttl" in line for _, line in text.lines))',
  ],
  [
    'notes = llm_query_batched([f"what is in part {n}?" for n in range(5)], materials=[text[:200]] * 5)',
    'print([type(note).__name__ for note in notes])',
  ],
  ['import random', 'print(random.random())', '1 / 0'],
  [
    'children = investigate_batched(["how does the server tick?", "what does the guide say?"])',
    'print([child.status for child in children])',
  ],
  ['FINAL("It says “del self.sessions[key]” " + text.cite(8, 12) + ". " + " ".join(map(str, children)))'],
];
const child = (path: string) => [
  [`t = kb_read("${path}")`, `print(llm_query("is it so in ${path}?", material=t[:100]))`],
  [`FINAL("It says so " + t.cite(1, 2) + ".")`],
];
const children: readonly (readonly [marks: string, cells: readonly (readonly string[])[]])[] = [
  ['how does the server tick?', child('src/server.py')],
  ['what does the guide say?', child('docs/guide.md')],
];

const limitOf = ({ max_tokens, max_output_tokens, max_completion_tokens, thinking }: Body): number =>
  (max_tokens ?? max_output_tokens ?? max_completion_tokens) - (thinking?.budget_tokens ?? 0);

/** What a model says, the same on every wire: it follows from what it is asked. `cut`: it was given too little room. */
function said(
  body: Body,
): { readonly cells: readonly string[]; readonly cut: boolean } | { readonly note: string } {
  const text = JSON.stringify(body);
  if (!text.includes('You investigate a question by writing Python'))
    return { note: /what is in part \d/.exec(text)?.[0] ?? /is it so in \S+\?/.exec(text)?.[0] ?? 'a note' };
  const isChild = text.includes('the investigation that asks this');
  const name = isChild ? 'child' : 'root';
  const script = isChild ? children.find(([mark]) => text.includes(mark))?.[1] : root;
  const turn = [...text.matchAll(new RegExp(`# turn \\d+ of ${name}`, 'g'))].length;
  const cells = [`# turn ${turn + 1} of ${name}`, ...(script?.[turn] ?? ['FINAL("too far")'])];
  return { cells, cut: !isChild && turn === 2 && limitOf(body) <= 8_000 };
}

function answer(way: Way, body: Body): PlayedTurn {
  const thought = /thinking|openai/.test(way) ? { reasoning: 'Let me see.' } : {};
  const reply = said(body);
  if ('note' in reply) {
    // An answer that has too little room is cut, and asked for once more.
    const cut = reply.note.endsWith('part 3') && limitOf(body) < 5_000;
    return cut ? { ...thought, stop: 'length', text: 'It is' } : { ...thought, text: `note: ${reply.note}` };
  }
  if (reply.cut) return { ...thought, stop: 'length', text: 'Now I' };
  const code = reply.cells.join('\n');
  return way === 'anthropic, thinking'
    ? { ...thought, calls: [{ name: 'python', args: JSON.stringify({ code }) }] }
    : { ...thought, text: `\`\`\`python\n${code}\n\`\`\`` };
}

/** The first time that it is asked these. */
const overloaded = (raw: string): boolean =>
  (raw.includes('what is in part 1?') && !raw.includes('by writing Python')) ||
  (raw.includes('# turn 4 of root') && raw.includes('by writing Python'));

const sandbox = testSandbox();
afterAll(() => sandbox.close());
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
  /** Requests that were sent by then. */
  readonly sent: readonly string[];
}

/** The store, and a copy of its file as it stood behind each commit. */
function copied(
  store: Store,
  sent: () => readonly string[],
): { readonly store: Store; readonly left: readonly Left[] } {
  const left: Left[] = [];
  const copy = () => {
    const path = join(folder(), 'sonde.db');
    for (const part of ['', '-wal'].filter((each) => existsSync(`${store.path}${each}`)))
      copyFileSync(`${store.path}${part}`, `${path}${part}`);
    left.push({ path, sent: sent() });
  };
  return {
    left,
    store: {
      ...store,
      async commit(lease) {
        const seq = await store.commit(lease);
        copy();
        return seq;
      },
    },
  };
}

const setting = (store: Store, model: Model): InvestigationSetting => ({
  store,
  sandbox,
  models: { planner: model, analyst: model },
  material: testMaterial(),
  capabilities: allCapabilities,
  clock: manualClock(1_700_000_000_000),
  ...noWait,
});
/** Time enough for the lease of who died to be over. */
const later = { now: () => Date.now() + 3_600_000 };

/** Answers until the next call of it; `failed` are the requests that it was too busy for already. */
function answering(server: StrictServer, way: Way, failed: readonly string[]): void {
  const busy = new Set(failed);
  server.replyTo = (body, raw) => {
    if (overloaded(raw) && !busy.has(raw)) {
      busy.add(raw);
      return { error: { status: 529, message: 'overloaded' } };
    }
    return answer(way, body);
  };
}

const counted = (events: readonly RunEvent[], kind: RunEvent['kind']): number =>
  events.filter((event) => event.kind === kind).length;
/** What is left is told. Of investigations side by side it hangs on how far the others are. */
const withoutBudget = (raw: string): string => raw.replaceAll(/Turn \d+;[^"\\]*? left\./g, 'Turn.');
const isNested = (raw: string): boolean => raw.includes('the investigation that asks this');
const known = (raw: string, open: number): string => (open > 0 || isNested(raw) ? withoutBudget(raw) : raw);
/** Where it parts from what is most like it. */
const differing = (among: ReadonlySet<string>) => (raw: string) => {
  const parts = [...among].map((other) => [...other].findIndex((letter, at) => letter !== raw[at]));
  return raw.slice(Math.max(...parts) - 80, Math.max(...parts) + 80);
};
/** Fuel of a cell that died is counted as it was granted. */
const billed = ({ spent: { wall_ms: _time, fuel: _fuel, ...rest } }: RunResult) => rest;
/** Evenly, and the last of them, too. */
const spread = <Item>(all: readonly Item[], count: number): readonly Item[] =>
  Array.from(
    { length: Math.min(count, all.length) },
    (_, n) => all[Math.ceil(((n + 1) * all.length) / count) - 1]!,
  );

it.each(Object.keys(ways) as Way[])(`%s, killed at ${samples} records`, async (way) => {
  const server = await strictServer();
  ends.push(server.close);
  const model = ways[way](server.origin);
  const plain = openStore(join(folder(), 'sonde.db'));
  ends.push(() => plain.close());
  const { store, left } = copied(plain, () => server.requests.map(({ raw }) => raw));
  answering(server, way, []);
  const whole = await investigationRun.start(
    { id: run, prompt: question, root: '/material' },
    setting(store, model),
  );
  expect(whole.result).toMatchObject({ stop_reason: 'finalized', status: 'partial' });
  expect(whole.investigation).toMatchObject({ nodes: 3, cells: 9 });
  const requests = server.requests.map(({ raw }) => raw);
  // Five turns and one that was cut, four of children, seven questions and one that was cut, and two were overloaded.
  expect(requests).toHaveLength(5 + 1 + 4 + 7 + 1 + 2);
  expect(new Set(requests).size).toBe(requests.length - 2);
  expect(left.length).toBeGreaterThan(24);

  for (const { path, sent } of spread(left, samples)) {
    const next = openStore(path, { clock: later });
    try {
      const events = (await next.events(run)).map(({ event }) => event);
      const from = server.requests.length;
      answering(server, way, sent.filter(overloaded));
      const { result, investigation } = await investigationRun.resume(run, setting(next, model));
      const again = server.requests.slice(from).map(({ raw }) => raw);
      // Reserved, and perhaps sent: asked again, and both are paid.
      const replied = counted(events, 'model_replied');
      const open = counted(events, 'model_called') - replied - counted(events, 'model_failed');
      const sends = (all: readonly string[]) => new Set(all.map((raw) => known(raw, open)));
      const [first, both] = [sends(requests), sends([...sent, ...again])];
      expect([...both].filter((raw) => !first.has(raw)).map(differing(first))).toEqual([]);
      expect(both.size).toBe(first.size);
      expect(sends(again).size).toBe(first.size - replied);
      expect(result).toMatchObject({
        answer: whole.result.answer,
        citations: whole.result.citations,
        status: 'partial',
      });
      expect(investigation).toMatchObject({ nodes: 3, cells: 9 });
      if (open > 0) expect(billed(result).calls).toBe(billed(whole.result).calls + open);
      else expect(billed(result)).toEqual(billed(whole.result));
    } finally {
      await next.close();
    }
  }
});
