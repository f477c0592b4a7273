/**
 * world.md: Compaction 3, 7 and 8: a conversation that compacts, by each of its ways, is killed with -9 at the
 * instants at which something becomes durable. What is left is the full trace or the compact form, and it goes on to
 * the same end. `COMPACTION_KILLS` is how many instants of each way are taken, `Infinity` for all.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Message, readThread } from '../../session/index.ts';
import { openSessionsIn, openStoreIn } from '../../store/index.ts';
import {
  compactingTurn,
  compactionWays,
  converse,
  deathFile,
  longText,
  openFolder,
  promptsFile,
  thread,
  turns,
  type Way,
  writesFile,
} from './kill-worker.contract.ts';

const script = fileURLToPath(new URL('./kill-worker.contract.ts', import.meta.url));
const most = Number(process.env['COMPACTION_KILLS'] ?? 4);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sonde-compaction-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const linesOf = (folder: string, name: string): readonly string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trimEnd().split('\n') : [];

async function leftIn(folder: string) {
  const db = openFolder(folder);
  const sessions = openSessionsIn(db);
  const store = openStoreIn(db);
  try {
    const { messages } = (await sessions.threads.has(thread))
      ? await readThread(thread, sessions.checkpoints)
      : { messages: [] };
    // A kill can come between the row of a run and its account.
    const opened = new Set(db.all('SELECT id FROM accounts').map(({ id }) => String(id)));
    const rows = (await store.runs.list(100)).filter(({ id }) => opened.has(id));
    const bills = await Promise.all(rows.map(({ id }) => store.accounts.balance(id)));
    const trace = JSON.stringify(db.all('SELECT * FROM langgraph_pieces'));
    return {
      messages,
      trace,
      settled: bills.reduce((sum, { spent, unknown }) => sum + spent.calls - unknown.calls, 0),
      unknown: bills.reduce((sum, { unknown }) => sum + unknown.calls, 0),
    };
  } finally {
    sessions.close();
    await store.close();
    db.close();
  }
}

/** A history without the ids that are made anew in each. */
const told = (messages: readonly Message[]) =>
  messages.map((each) => {
    if (each.kind === 'user' || each.kind === 'steer') return each.text.slice(0, 6);
    if (each.kind === 'assistant') return each.text || each.calls.map(({ name }) => name).join();
    if (each.kind === 'tool') return `${each.name} ${each.ok} ${each.write_ids.join()}`;
    const { summary, insights, write_ids, dropped } = each.form;
    return { summary, insights, write_ids, dropped: dropped.messages };
  });

const turnOf = (turn: number): readonly unknown[] => [
  `turn ${turn}`,
  'create',
  `create true w-page ${turn}`,
  `answer ${turn}`,
];
const shortForm = {
  summary: 'They spoke of tides.',
  insights: [{ tier: 'workspace', key: 'tides', text: 'twice a day' }],
};
const before = Array.from({ length: compactingTurn }, (_, turn) => turnOf(turn)).flat();
const compacted = [{ ...shortForm, write_ids: ['w-page 0', 'w-page 1'], dropped: before.length }];

/** How each way ends, turn by turn, and what the history is before it and after. */
const ends: Readonly<Record<Way, readonly unknown[]>> = {
  tool: [
    ...compacted,
    'turn 2',
    'compact_history',
    'compact_history true ',
    ...turnOf(2).slice(1),
    ...turnOf(3),
  ],
  auto: [
    ...compacted,
    'turn 2',
    'compact_history',
    'compact_history true ',
    ...turnOf(2).slice(1),
    ...turnOf(3),
  ],
  shape: [...before, 'turn 2', 'task', 'task true w-dug 1,w-dug 2', ...turnOf(2).slice(1), ...turnOf(3)],
};

/** The full trace as far as it went, or the compact form with what came after it. */
function expectWhole(messages: readonly Message[], way: Way): void {
  const history = told(messages);
  const whole = [...before, ...ends[way].slice(way === 'shape' ? before.length : 1)];
  const full = whole.slice(0, history.length);
  const short = ends[way].slice(0, history.length);
  expect([full, short]).toContainEqual(history);
  // Nothing of the oldest turns is left beside the form.
  if (messages.some(({ kind }) => kind === 'compact'))
    expect(JSON.stringify(history)).not.toContain('turn 0');
}

/** Spread evenly, and not in step with the turns. */
const sampled = (all: number): readonly number[] =>
  most >= all
    ? Array.from({ length: all }, (_, instant) => instant)
    : Array.from({ length: most }, (_, n) => Math.floor(((((n + 0.5) * (Math.sqrt(5) - 1)) / 2) % 1) * all));

it.each(compactionWays)(
  'compacting by %s',
  async (way) => {
    // The turns before are the same for all: only the one that compacts, and the next, are killed in.
    const start = join(root, 'start');
    mkdirSync(start);
    await converse(start, way, () => {}, compactingTurn);
    const instants: string[] = [];
    const whole = join(root, 'whole');
    cpSync(start, whole, { recursive: true });
    await converse(whole, way, (side, what) => instants.push(`${side} ${what}`));
    const end = await leftIn(whole);
    expect(told(end.messages)).toEqual(ends[way]);
    // The full trace can still be read.
    expect(end.trace).toContain(longText);
    const asked = linesOf(whole, promptsFile);
    expect(asked.filter((each) => each === 'analyst')).toHaveLength(1);
    expect({ settled: end.settled, unknown: end.unknown }).toEqual({ settled: asked.length, unknown: 0 });

    let form = 0;
    for (const instant of sampled(instants.length)) {
      const folder = join(root, `at-${instant}`);
      cpSync(start, folder, { recursive: true });
      const child = spawn(process.execPath, [script, folder, way, String(instant)], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
      const [at] = linesOf(folder, deathFile);
      const left = await leftIn(folder);
      expectWhole(left.messages, way);
      form += left.messages.some(({ kind }) => kind === 'compact') ? 1 : 0;
      await converse(folder, way, () => {});
      const after = await leftIn(folder);
      expect(told(after.messages), at).toEqual(ends[way]);
      // Every write once, no recorded reply asked for again; one that was on its way may be.
      const written = linesOf(folder, writesFile);
      expect(new Set(written).size, at).toBe(written.length);
      expect(written.length, at).toBe(turns + (way === 'shape' ? 2 : 0));
      expect(after.settled, at).toBe(asked.length);
      expect(linesOf(folder, promptsFile).length - asked.length, at).toBeLessThanOrEqual(1);
      rmSync(folder, { recursive: true });
    }
    console.info(
      `${way}: ${sampled(instants.length).length} of ${instants.length} instants, ${form} left the compact form`,
    );
  },
  3_600_000,
);
