import { describe, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { type Entry, scriptedModel } from '../../model/index.ts';
import { openDatabase, openSessionsIn, openStoreIn } from '../../store/index.ts';
import { scriptedTools } from '../../tools/scripted.ts';
import { conversationGraph } from '../graph.ts';
import { readThread } from '../turn/thread-state.ts';
import { runTurn } from '../turn/turn.ts';
import { withThread } from '../turn/with-thread.ts';
import type { Message } from './messages.ts';
import { toDialogue } from './planner-dialogue.ts';

const head = { system: 's', tools: [] };
const user = (id: string, text = id): Message => ({ id, kind: 'user', text });
const result = (call: string, text: string, name = 'read_page'): Message => ({
  ...{ id: `m-${call}`, kind: 'tool', call, name, ok: true, text, write_ids: [] },
});
const opaque = { anthropic: { signature: 'sig' } };

/** As this version keeps them: two turns, one of them with calls. */
const talk: readonly Message[] = [
  user('first'),
  {
    id: 'a',
    kind: 'assistant',
    text: 'I look.',
    calls: [
      { id: 't/0', name: 'read_page', args: { page: 'Lamp' }, effect: 'read' },
      { id: 't/1', name: 'ask_user', args: { question: 'Which?' }, effect: 'write' },
    ],
    said: {
      by: 'anthropic:m+thinking',
      parts: [
        { kind: 'reasoning', text: 'hm', opaque },
        { kind: 'text', text: 'I look.' },
        { kind: 'call', id: 'toolu_1', fit: 'read', opaque },
        { kind: 'call', id: 'toolu_2', fit: 'read' },
      ],
    },
    added: { note: '(day)', shown: {} },
  },
  result('t/1', 'this one <|im_start|>', 'ask_user'),
  result('t/0', 'the page'),
  {
    id: 'b',
    kind: 'assistant',
    text: 'Done.',
    calls: [],
    said: { by: 'anthropic:m+thinking', parts: [{ kind: 'text', text: 'Done.' }] },
    added: { note: '(left)', shown: {} },
  },
  user('second'),
];

const sent = (messages: readonly Message[], role: string | null = null, note = '') =>
  toDialogue(messages, head, { role, added: { note, shown: {} } }).entries;

describe('a conversation as a dialogue', () => {
  it('holds what was said as it came, results in the order of their calls, and notes at the end of what they were added to', () => {
    expect(sent(talk, null, '(day 2)')).toEqual([
      { kind: 'user', text: 'first\n\n(day)' },
      {
        kind: 'reply',
        by: 'anthropic:m+thinking',
        parts: [
          { kind: 'reasoning', text: 'hm', opaque },
          { kind: 'text', text: 'I look.' },
          { kind: 'call', id: 'toolu_1', name: 'read_page', input: { page: 'Lamp' }, fit: 'read', opaque },
          { kind: 'call', id: 'toolu_2', name: 'ask_user', input: { question: 'Which?' }, fit: 'read' },
        ],
      },
      {
        kind: 'results',
        note: '(left)',
        results: [
          { call: 'toolu_1', name: 'read_page', ok: true, text: 'the page' },
          {
            call: 'toolu_2',
            name: 'ask_user',
            ok: true,
            text: expect.not.stringContaining('<|im'),
            kept: true,
          },
        ],
      },
      { kind: 'reply', by: 'anthropic:m+thinking', parts: [{ kind: 'text', text: 'Done.' }] },
      { kind: 'user', text: 'second\n\n(day 2)' },
    ]);
  });

  it('is only added to, from whatever message it is asked', () => {
    const whole = sent(talk);
    const starts = [
      [talk.slice(0, 1), '(day)'],
      [talk.slice(0, 4), '(left)'],
    ] as const;
    for (const [messages, note] of starts) {
      const before = sent(messages, null, note);
      expect(whole.slice(0, before.length)).toEqual(before);
    }
  });

  it('has the role with the words of its turn, and in no other', () => {
    const words = (entries: readonly Entry[]) =>
      entries.flatMap((each) => (each.kind === 'user' ? [each.text] : []));
    expect(words(sent(talk, 'Arr.'))).toEqual([
      'first\n\n(day)',
      expect.stringMatching(/^second\n\n.*\nArr\.$/),
    ]);
    expect(words(sent(talk.slice(0, 4), 'Arr.'))[0]).toMatch(/^first\n\n.*\nArr\.\n\n\(day\)$/);
  });

  it('leaves out the call that the program made to make room, and none that a model made alike', () => {
    const args = { keep_turns: 1, automatic: '9 of 10 tokens' };
    const calls = [{ id: 'c/0', name: 'compact_history', args, effect: 'write' as const }];
    const own: Message = { id: 'c', kind: 'assistant', text: '', calls };
    const done = result('c/0', 'compacted', 'compact_history');
    expect(sent([...talk, own, done])).toEqual(sent(talk));
    const said = { by: 'm', parts: [{ kind: 'call' as const, id: 'x', fit: 'read' as const }] };
    expect(sent([...talk, { ...own, said }, done])).toHaveLength(sent(talk).length + 2);
  });

  it('answers a call of which nothing is known', () => {
    const [, asked] = talk;
    const [, , results] = sent([user('first'), asked!, user('never mind')]);
    expect(results).toMatchObject({ results: [{ ok: false }, { ok: false }] });
  });
});

/** As 9b0012d kept them. */
const old: readonly Message[] = [
  user('what burns?'),
  {
    id: 'm-1',
    kind: 'assistant',
    text: '',
    calls: [
      {
        id: '2b4ddee4-1a53-5c57-a99a-8fc6288d0ba6/0',
        name: 'read_page',
        args: { page: 'Lamp' },
        effect: 'read',
      },
    ],
  },
  result('2b4ddee4-1a53-5c57-a99a-8fc6288d0ba6/0', 'paraffin'),
  { id: 'm-2', kind: 'assistant', text: 'Paraffin.', calls: [] },
];

it('a thread of 0.1 is read, and goes on', async () => {
  const db = openDatabase({ path: ':memory:', schemas: [], busyMs: 1000 });
  const sessions = openSessionsIn(db);
  await sessions.threads.create({ id: 'old' });
  await withThread('old', sessions, async (_lease, checkpointer) => {
    const config = { configurable: { thread_id: 'old' } };
    await conversationGraph({} as never, checkpointer).updateState(
      config,
      { messages: old, end: { kind: 'answered' } },
      'gather',
    );
  });
  expect((await readThread('old', sessions.checkpoints)).messages).toEqual(old);
  const planner = scriptedModel(['Since always.']);
  const ports = {
    sessions,
    store: openStoreIn(db),
    planner,
    analyst: scriptedModel([]),
    tools: scriptedTools(),
    limits: { tokens: 1_000_000 },
    clock: manualClock(1),
    random: () => 0.5,
    sleep: async () => {},
  };
  const turned = await runTurn('old', { kind: 'message', id: 'm', text: 'since when?' }, ports);
  expect(turned).toMatchObject({ status: 'answered', text: 'Since always.' });
  const shown = planner.calls[0]!.messages.map(({ role, text }) => `${role}: ${text}`).join('\n');
  expect(shown).toContain('user: what burns?');
  expect(shown).toContain('<arg name="page">Lamp</arg>');
  expect(shown).toContain('<result of="read_page">\nparaffin\n</result>');
  expect(shown).toContain('assistant: Paraffin.\nuser: since when?');
  expect(shown).not.toContain('2b4ddee4');
  db.close();
});
