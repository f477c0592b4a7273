/** A conversation that is led elsewhere: a message said again, a fork, a word while the agent works. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock, toolReply } from '../../core/index.ts';
import { type Script, scriptedModel } from '../../model/index.ts';
import {
  type Database,
  openDatabase,
  openSessionsIn,
  openStoreIn,
  type Sessions,
  type Store,
} from '../../store/index.ts';
import type { Steering } from '../graph-ports.ts';
import { dropTurn } from './drop-turn.ts';
import { forkThread } from './fork-thread.ts';
import { listCheckpoints } from './list-checkpoints.ts';
import { readThread } from './thread-state.ts';
import { runTurn, type TurnPorts } from './turn.ts';
import type { TurnInput } from './turn-start.ts';

let db: Database;
let sessions: Sessions;
let store: Store;
beforeEach(() => {
  db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  sessions = openSessionsIn(db);
  store = openStoreIn(db);
});
afterEach(async () => {
  sessions.close();
  await store.close();
  db.close();
});

const say = (text: string, calls: readonly object[] = []) => ({ text, calls });
const call = (name: string, args: object = {}) => ({ name, args: JSON.stringify(args) });
const limits = { tokens: 1_000_000 };

function talk(script: Script, more: Partial<TurnPorts> = {}) {
  const planner = scriptedModel(script);
  const ports: TurnPorts = {
    sessions,
    store,
    planner,
    analyst: scriptedModel([]),
    tools: {
      list: async () => [
        {
          ...{ name: 'read', description: 'read', parameters: { type: 'object' }, capability: null },
          ...{ effect: 'read', derivation: 'none', cost: 'none' },
        },
      ],
      call: async ({ args }) => toolReply(`read ${JSON.stringify(args)}`, null),
    },
    limits,
    clock: manualClock(1_000),
    random: () => 0.5,
    sleep: async () => {},
    ...more,
  };
  const turn = (input: string | TurnInput, thread = 'thread') =>
    runTurn(thread, typeof input === 'string' ? { kind: 'message', id: input, text: input } : input, ports);
  const heard = (nth: number) => planner.calls[nth]!.messages.map(({ text }) => text).join('\n');
  return { turn, heard, planner };
}

const textsOf = async (thread: string) =>
  (await readThread(thread, sessions.checkpoints)).messages.flatMap((each) =>
    'text' in each ? [each.text] : [],
  );

describe('a message that is said again', () => {
  const edit = { kind: 'message', id: 'b2', text: 'b, rather', edits: 'b' } as const;

  it('takes the place of the first, with all that came after', async () => {
    const { turn, heard, planner } = talk([say('A'), say('B'), say('C'), say('B2')]);
    for (const one of ['a', 'b', 'c']) await turn(one);
    const first = await turn(edit);
    expect(first).toMatchObject({ status: 'answered', text: 'B2' });
    expect(await textsOf('thread')).toEqual(['a', 'A', 'b, rather', 'B2']);
    expect(heard(3)).not.toMatch(/\bC\b/);
    expect(await turn(edit)).toEqual(first);
    expect(planner.calls).toHaveLength(4);
    await expect(turn({ ...edit, id: 'b3', edits: 'gone' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends a turn that waits or was left, and the first message of all can be it', async () => {
    const { turn } = talk([say('', [call('ask_user', { question: 'Which?' })]), say('B2')]);
    expect(await turn('b')).toMatchObject({ status: 'interrupted' });
    expect(await turn(edit)).toMatchObject({ status: 'answered', text: 'B2' });
    expect(await textsOf('thread')).toEqual(['b, rather', 'B2']);
    expect((await store.runs.list(9)).map(({ status }) => status)).toEqual(['finished', 'finished']);
  });
});

describe('a fork', () => {
  it('begins where the other stood, and neither hears of the other', async () => {
    const { turn, heard } = talk([say('A'), say('B'), say('C'), say('D')]);
    await turn('a');
    const [stood] = await listCheckpoints('thread', sessions.checkpoints, { limit: 1 });
    expect(stood).toMatchObject({ messages: 2, end: 'answered', asks: false, last: { text: 'A' } });
    await turn('b');
    await forkThread({ from: 'thread', checkpoint: stood!.id, to: 'other', title: 'Other' }, sessions);
    expect(await sessions.threads.get('other')).toMatchObject({ title: 'Other' });
    expect(await turn('c', 'other')).toMatchObject({ status: 'answered', text: 'C' });
    expect(heard(2)).not.toMatch(/\bB\b/);
    await turn('d');
    expect(await textsOf('thread')).toEqual(['a', 'A', 'b', 'B', 'd', 'D']);
    expect(await textsOf('other')).toEqual(['a', 'A', 'c', 'C']);
  });

  it.each(['continue', 'drop'] as const)('in the middle of a turn can %s', async (how) => {
    const asking = talk([
      say('', [call('read', { n: 1 })]),
      say('', [call('ask_user', { question: 'Which?' })]),
    ]);
    await asking.turn('a');
    await forkThread({ from: 'thread', to: 'other' }, sessions);
    const other = talk([say('thanks')]);
    if (how === 'drop') await dropTurn('other', { sessions, store, limits, clock: manualClock(1_000) });
    else {
      expect(await other.turn({ kind: 'continue' }, 'other')).toMatchObject({ status: 'interrupted' });
      expect(await other.turn({ kind: 'answer', value: 'blue' }, 'other')).toMatchObject({ text: 'thanks' });
    }
    expect(await readThread('thread', sessions.checkpoints)).toMatchObject({ questions: [{}] });
    expect(await readThread('other', sessions.checkpoints)).toMatchObject({ unfinished: false });
  });

  it.each([
    ['of nothing', { from: 'none', to: 'other' }, 'not_found'],
    ['of no place in it', { from: 'thread', checkpoint: 'none', to: 'other' }, 'not_found'],
    ['into one that is there', { from: 'thread', to: 'thread' }, 'run_state'],
  ])('%s is refused', async (_, fork, code) => {
    await talk([say('A')]).turn('a');
    await expect(forkThread(fork, sessions)).rejects.toMatchObject({ code });
    expect((await sessions.threads.list()).map(({ id }) => id)).toEqual(['thread']);
  });
});

describe('a word while the agent works', () => {
  it('is with the turn after its step, is part of it, and starts no turn of its own later', async () => {
    const waiting: Steering[] = [{ id: 's', text: 'only the blue ones' }];
    const { turn, heard, planner } = talk([say('', [call('read', { n: 1 })]), say('blue it is')], {
      steering: () => waiting.splice(0),
    });
    const first = await turn('a');
    expect(first).toMatchObject({ status: 'answered', text: 'blue it is' });
    expect(heard(0)).not.toContain('blue');
    expect(heard(1)).toContain('only the blue ones');
    // The queue sends it when the turn is over: whoever died meanwhile, it is heard once.
    expect(await turn({ kind: 'message', id: 's', text: 'only the blue ones' })).toEqual(first);
    expect(planner.calls).toHaveLength(2);
    expect(await store.runs.list(9)).toHaveLength(1);
  });

  it('goes on with the turn it was said in, where that was left', async () => {
    const waiting: Steering[] = [{ id: 's', text: 'only the blue ones' }];
    const left = talk([say('', [call('read', { n: 1 })]), { failure: 'overloaded' }], {
      steering: () => waiting.splice(0),
      retry: { attempts: 1 } as never,
    });
    expect(await left.turn('a')).toMatchObject({ status: 'failed' });
    const later = talk([say('blue it is')]);
    const message = { kind: 'message', id: 's', text: 'only the blue ones' } as const;
    expect(await later.turn(message)).toMatchObject({ status: 'answered', text: 'blue it is' });
    expect(later.heard(0)).toContain('only the blue ones');
    expect(await store.runs.list(9)).toHaveLength(1);
  });
});
