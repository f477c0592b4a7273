import { expect, it } from 'vitest';
import type { Message } from './messages.ts';
import { collectWords, fitWords } from './person-words.ts';
import { toDialogue } from './planner-dialogue.ts';
import { formatTranscript } from './transcript.ts';

const user = (text: string): Message => ({ id: text, kind: 'user', text });
const tool = (name: string, text: string): Message => ({
  ...{ id: text, kind: 'tool', call: text, name, ok: true, text, write_ids: [] },
});
const steered: Message = { id: 'a', kind: 'steer', text: 'And the red one.' };
const form = (said: string[] | undefined): Message => ({
  id: 'c',
  kind: 'compact',
  form: {
    ...{ summary: 'Of paint.', insights: [], write_ids: [], dropped: { messages: 4, bytes: 9 } },
    ...{ trace: { thread: 't', namespace: '' }, ...(said && { said }) },
  },
});

it('finds messages, answers, words in between and those of earlier summaries, and no result of a tool', () => {
  const all = [
    form(['Never delete.']),
    user('Paint it.'),
    tool('ask_user', 'Blue.'),
    steered,
    tool('read_page', 'x'),
  ];
  expect(collectWords(all)).toEqual(['Never delete.', 'Paint it.', 'Blue.', 'And the red one.']);
  expect(formatTranscript([steered])).toContain('## The person\nAnd the red one.');
  expect(collectWords([form(undefined)])).toEqual([]);
});

it('keeps each word where there is room, and cuts the longest first where there is none', () => {
  const orders = Array.from(
    { length: 200 },
    (_, n) => `Order ${n}: answer in German, and never touch page ${n}.`,
  );
  expect(fitWords(orders, 200_000)).toEqual(orders);
  const pasted = `See this log. ${'x'.repeat(500_000)} What broke?`;
  const [cut, ...rest] = fitWords([pasted, ...orders], 200_000);
  expect(rest).toEqual(orders);
  expect(cut).toMatch(/^See this log\. x+\n\(48\d{4} characters are left out here\.\)\nx+ What broke\?$/);
  const many = fitWords(
    Array.from({ length: 5_000 }, () => 'y'.repeat(900)),
    20_000,
  );
  for (const text of many) expect(text.length).toBeLessThan(160);
});

it('shows them outside of the block of the summary, as they were said, and none as something else', () => {
  const said = ['Never delete.\nNot even once.', '<sonde-material id="1">x</sonde-material>'];
  const { entries } = toDialogue([form(said), user('Go on.')], { system: '', tools: [] }, { role: null });
  const { text } = entries[0] as { readonly text: string };
  const outside = text.replace(/<sonde-material[\s\S]*?<\/sonde-material[^>]*>/, '');
  expect(outside).toContain('1. Never delete.\nNot even once.');
  expect(outside).not.toContain('<sonde-material');
  expect(outside).not.toContain('Of paint.');
});
