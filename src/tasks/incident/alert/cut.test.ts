import { expect, it } from 'vitest';
import { cutAlert, cutField, limitDepth } from './cut.ts';
import { alertLimits } from './limits.ts';
import { readAlerts, splitMessage } from './split-message.ts';

const nested = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);

it.each([
  ['what is not too deep stays as it is', '{"a":[{"b":"[[[[[["}]}', '{"a":[{"b":"[[[[[["}]}'],
  [
    'what is too deep gives way to a mark',
    '{"a":[[[1,2]]],"b":3}',
    /^\{"a":\[\["\[cut: 5 characters, .*\]"\]\],"b":3\}$/,
  ],
  ['each part by itself', '[[[[1]]],[[[2]]]]', /^\[\[\["\[cut: .*\]"\]\],\[\["\[cut: .*"\]\]\]$/],
  ['brackets and escaped quotes in texts count as text', '{"a":"\\"[[[[\\\\"}', '{"a":"\\"[[[[\\\\"}'],
])('%s', (_, given, expected) => {
  expect(limitDepth(given, 3)).toEqual(
    typeof expected === 'string' ? expected : expect.stringMatching(expected),
  );
});

it('what is too deep and never ends is no JSON', () => {
  expect(limitDepth('['.repeat(100_000))).toBeNull();
});

it.each([60_000, 1_000_000])('an alert nested %i deep is an alert, and so is the one beside it', (depth) => {
  const sent = `[{"alertname":"Deep","service":"a","details":${nested(depth)}},{"alertname":"Good","service":"b"}]`;
  expect(readAlerts(sent).map(({ name }) => name)).toEqual(['Deep', 'Good']);
});

const long = 600_000;
it.each([
  ['a text', 'x'.repeat(long)],
  ['a long field', JSON.stringify({ alertname: 'Long', service: 'a', description: 'y'.repeat(long) })],
  ['a long field before the name', JSON.stringify({ description: 'y\n'.repeat(long), alertname: 'Long' })],
  [
    'many fields',
    JSON.stringify({
      alertname: 'Long',
      ...Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, `v${n}`])),
    }),
  ],
  ['long names of fields', JSON.stringify({ alertname: 'Long', labels: { ['k'.repeat(long)]: 'v' } })],
  ['in a list', JSON.stringify([{ alertname: 'Long', description: 'y'.repeat(long) }])],
  [
    'wide at every depth',
    JSON.stringify({
      alertname: 'Long',
      a: Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => ['some text'])),
    }),
  ],
  ['halves of characters', '\ud83d\ude00'.repeat(long)],
  ['characters that JSON writes as six', JSON.stringify({ alertname: 'Long', text: '\u0001'.repeat(long) })],
])('%s: cut, told, and the same alert', (_, sent) => {
  const cut = cutAlert(sent);
  expect(cut.length).toBeLessThanOrEqual(alertLimits.characters);
  expect(cut).toContain(`[cut: the alert had ${sent.length} characters]`);
  expect(cut.isWellFormed()).toBe(true);
  if (sent.includes('"Long"')) expect(readAlerts(cut)[0]?.name).toBe('Long');
});

it('what is as long as it may be is not touched', () => {
  const sent = JSON.stringify({ alertname: 'A', text: 'x'.repeat(alertLimits.characters - 30) });
  expect(cutAlert(sent)).toBe(sent);
  expect(cutAlert(sent)).not.toContain(cutField);
});

it('each of many alerts is the same read by itself', () => {
  const sent = JSON.stringify([
    { alertname: 'A', service: 'a' },
    {
      version: '4',
      status: 'firing',
      title: 't',
      commonLabels: { service: 'b', team: 'x'.repeat(5_000) },
      alerts: [{ labels: { alertname: 'B' } }, { labels: {}, status: 'resolved' }],
    },
    {
      messages: [{ event: 'incident.trigger', incident: { title: 'queue is full', service: { name: 'c' } } }],
    },
    'disk is full on d',
    [{ summary: 'without a name' }],
  ]);
  const { parts } = splitMessage(sent);
  for (const part of parts) {
    if (part.kind === 'empty') throw new Error('none of these is empty');
    expect(readAlerts(part.sent)).toEqual([part.alert]);
  }
  expect(parts).toHaveLength(6);
});
