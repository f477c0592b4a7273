/**
 * world.md: Session graph 5 to 8, 17; Errors 6. A conversation is killed with -9 at the instants at which
 * something becomes durable, and right before, in a process of its own for each; another goes on to the end of the
 * conversation, on each provider's wire. `TURN_KILLS` is how many of the instants are taken. With `Infinity` all are,
 * and most of them go on to the end of their turn only: what comes after begins from the same state.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type StrictServer, strictServer } from '../model/dialogue/strict-server.contract.ts';
import { toPieces } from '../model/dialogue/wires.contract.ts';
import { openSessionsIn, openStoreIn } from '../store/index.ts';
import { openWorld } from '../world/index.ts';
import {
  callsFile,
  converse,
  deathFile,
  modelWays,
  openFolder,
  prepare,
  replyFor,
  thread,
  turns,
  type Way,
} from './kill-worker.contract.ts';
import { readThread } from './turn/thread-state.ts';

const script = fileURLToPath(new URL('./kill-worker.contract.ts', import.meta.url));
const few = 24;
/** On each of the wires but the first. */
const fewest = 4;
const most = (way: Way): number => Number(process.env['TURN_KILLS'] ?? (way === 'chat' ? few : fewest));
/** Processes at a time. */
const lanes = 2;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sonde-kills-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** The folder as it stood before a turn. */
const before = (turn: number): string => join(root, `before-${turn}`);

const linesOf = (folder: string, name: string): readonly string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trimEnd().split('\n') : [];

const more = (keys: readonly string[]): number => keys.length - new Set(keys).size;

/** Ids of steps, of calls, of content, and of the blocks that quote it. */
const madeAnew =
  /\bcall_\d+_\d+\b|(?:\b[a-z]{1,2}-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[a-z]{1,2}-[0-9a-z]{6,}\b|(?<=id=\\+")\w{8}/g;

/** All that stays of a conversation, without the ids that are made anew in each. */
async function leftIn(folder: string) {
  const db = openFolder(folder);
  const { checkpoints } = openSessionsIn(db);
  const store = openStoreIn(db);
  try {
    const { messages, end, unfinished } = await readThread(thread, checkpoints);
    const rows = await store.runs.list(1000);
    const bills = await Promise.all(rows.map(({ id }) => store.accounts.balance(id)));
    const events = openWorld(db, { name: 'main' }).events(0, 1000);
    const text = JSON.stringify({
      // A request that was lost on its way is paid for, and less is left.
      messages: messages.map((each) =>
        each.kind === 'assistant' ? { ...each, added: each.added?.shown } : each,
      ),
      end,
      unfinished,
      runs: rows.map(({ status }) => status),
      world: events.map(({ op, caller_kind, content_ids }) => [op, caller_kind, content_ids.length]),
    });
    // By what they are and the order in which they come.
    const ids = new Map<string, string>();
    const named = text.replaceAll(madeAnew, (id) => {
      const name = ids.get(id) ?? `id ${ids.size}`;
      ids.set(id, name);
      return name;
    });
    return {
      state: named,
      settled: bills.reduce((sum, { spent, unknown }) => sum + spent.calls - unknown.calls, 0),
      unknown: bills.reduce((sum, { unknown }) => sum + unknown.calls, 0),
    };
  } finally {
    await store.close();
    db.close();
  }
}

interface Killed {
  readonly at: string;
  /** The turn before which it was looked at again; all are over where it is that of the end. */
  readonly to: number;
  readonly askedAgain: number;
  readonly calledAgain: number;
  readonly unknown: number;
  readonly state: string;
}

/**
 * What was sent once is sent again byte for byte, by whatever process: as the same request, or before what was added.
 */
function expectOnlyAdded(requests: StrictServer['requests']): void {
  let before: { readonly key: string; readonly raw: string; readonly sent: readonly string[] } | undefined;
  for (const { key, raw, body } of requests) {
    const sent = toPieces(body);
    if (key === before?.key) expect(raw).toBe(before.raw);
    else if (before !== undefined) {
      expect(sent.slice(0, before.sent.length)).toEqual(before.sent);
      expect(sent.length).toBeGreaterThan(before.sent.length);
    }
    before = { key, raw, sent };
  }
}

async function modelServer(way: Way): Promise<StrictServer> {
  const server = await strictServer();
  server.replyTo = (body) => replyFor(way, body);
  return server;
}

interface Instant {
  readonly turn: number;
  /** Counted from the beginning of the turn. */
  readonly nth: number;
}

/** An instant, and how far the conversation goes on after it. */
interface Trial extends Instant {
  readonly to: number;
}

async function killedAt(way: Way, { turn, nth, to }: Trial): Promise<Killed> {
  const folder = join(root, `at-${turn}-${nth}`);
  cpSync(before(turn), folder, { recursive: true });
  const model = await modelServer(way);
  try {
    const args = [script, folder, model.origin, way, String(turn), String(nth)];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      // What the compiler made of the code is used by the next one.
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'compiled') },
    });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    await converse({ folder, origin: model.origin, way, from: turn, to, onInstant: () => {} });
    const { state, settled, unknown } = await leftIn(folder);
    expect(settled).toBe(2 * to);
    const keys = model.requests.map(({ key }) => key);
    expect(new Set(keys).size).toBe(2 * (to - turn));
    expectOnlyAdded(model.requests);
    const calls = linesOf(folder, callsFile);
    expect(new Set(calls).size).toBe(2 * to);
    const [at = ''] = linesOf(folder, deathFile);
    return { at, to, askedAgain: more(keys), calledAgain: more(calls), unknown, state };
  } finally {
    await model.close();
    rmSync(folder, { recursive: true });
  }
}

/** Spread evenly, and not in step with the turns. */
function sampled(all: readonly Instant[], count: number): readonly Instant[] {
  const golden = (Math.sqrt(5) - 1) / 2;
  return Array.from({ length: count }, (_, n) => all[Math.floor((((n + 0.5) * golden) % 1) * all.length)]!);
}

function trialsOf(way: Way, all: readonly Instant[]): readonly Trial[] {
  if (most(way) < all.length) return sampled(all, most(way)).map((instant) => ({ ...instant, to: turns }));
  const far = new Set(sampled(all, few));
  return all.map((instant) => ({ ...instant, to: far.has(instant) ? turns : instant.turn + 1 }));
}

/** Only here can a reply be lost: it has come, or is on its way, and is not written down. */
const between: ReadonlySet<string> = new Set(['after request to the model', 'before recorded reply']);

it.each(modelWays)(
  '%s: killed at any instant, comes to the same end, asks and does at most one step again, and bills none twice',
  async (way) => {
    const instants: Instant[] = [];
    const whole = join(root, 'whole');
    await prepare(whole);
    const model = await modelServer(way);
    let turn = 0;
    let nth = 0;
    await converse({
      folder: whole,
      origin: model.origin,
      way,
      from: 0,
      onInstant() {
        instants.push({ turn, nth });
        nth += 1;
      },
      onTurn(given) {
        cpSync(whole, before(given), { recursive: true });
        turn = given;
        nth = 0;
      },
    });
    await model.close();
    const { state, settled, unknown } = await leftIn(whole);
    expect({ settled, unknown, asked: model.requests.length }).toEqual({
      settled: 2 * turns,
      unknown: 0,
      asked: 2 * turns,
    });
    expect(linesOf(whole, callsFile)).toHaveLength(2 * turns);

    const states = new Map<number, string>([[turns, state]]);
    for (let to = 1; to < turns; to += 1) states.set(to, (await leftIn(before(to))).state);

    const chosen = [...trialsOf(way, instants)];
    const kills: Killed[] = [];
    const lane = async (): Promise<void> => {
      for (let next = chosen.pop(); next !== undefined; next = chosen.pop())
        kills.push(await killedAt(way, next));
    };
    await Promise.all(Array.from({ length: lanes }, lane));

    const rows = Object.entries(Object.groupBy(kills, ({ at }) => at)).map(([at, group = []]) => ({
      at,
      kills: group.length,
      'asked again': group.reduce((sum, { askedAgain }) => sum + askedAgain, 0),
      'called again': group.reduce((sum, { calledAgain }) => sum + calledAgain, 0),
      'cost unknown': group.reduce((sum, { unknown }) => sum + unknown, 0),
      'other end': group.filter((each) => each.state !== states.get(each.to)).length,
    }));
    console.log(`${way}: ${kills.length} of ${instants.length} instants`);
    console.table(rows.toSorted((a, b) => a.at.split(' ', 2)[1]!.localeCompare(b.at.split(' ', 2)[1]!)));

    for (const { at, to, askedAgain, calledAgain, unknown, state: came } of kills) {
      expect(came, at).toBe(states.get(to));
      expect(askedAgain, at).toBe(between.has(at) ? 1 : 0);
      expect(askedAgain + calledAgain, at).toBeLessThanOrEqual(1);
      // What was asked and lost is on the bill as unknown.
      expect(unknown, at).toBeGreaterThanOrEqual(askedAgain);
      expect(unknown, at).toBeLessThanOrEqual(1);
    }
  },
  3_600_000,
);
