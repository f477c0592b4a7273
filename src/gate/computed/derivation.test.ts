import { describe, expect, test } from 'vitest';
import { checkClaims } from '../answer/check-claims.ts';
import { findBackedWords } from './derivation.ts';

const lines = ['- crane 1: 20 kg, free', '- crane 2: 21 kg, broken'];
const sum =
  'total = 0\nfor p in kb_list():\n    for line in kb_read(p).split("\\n"):\n        total += int(line.split(" kg")[0].split(": ")[1])\n';

/** The verdict on a text that a cell put together, its figure 41 computed. */
function verdict(answer: string, { code = sum, question = '' } = {}) {
  const template = answer.replace('41', '{total}');
  const codes = [`${code}FINAL(f"${template}")`];
  const words = findBackedWords({ texts: [answer], codes, lines, question });
  const stretch = { at: [], stretch: '41', flow: 'material', count: 2, sources: [], spans: [] } as const;
  const computed = { cell: 'root/t1.1', again: 'same', values: [stretch], reads: ['a.md'], words } as const;
  return checkClaims({ answer, sources: [], computed })[0];
}

describe('what is said of a computed figure', () => {
  test.each([
    'Total: 41',
    'The total is 41 kg.',
    'There are 41 kg in all.',
    'The cranes lift 41 kg in total.',
    'In all pages together I counted 41.',
    'Altogether 41 kg over all cranes.',
    'All pages together hold 41 kg.',
    'All cranes lift 41 kg in total.',
    'The whole of it adds up to 41 kg.',
    'Only 41 kg were found.',
    '- Sum: 41',
    'The answer is 41.',
  ])('stays computed: %s', (answer) => {
    expect(verdict(answer, { question: 'How much do the cranes lift?' })?.verdict).toBe('computed');
  });

  test.each<[string, string]>([
    ['All pages hold 41 kg.', 'All'],
    ['Every crane lifts 41 kg.', 'Every'],
    ['The heaviest crane lifts 41 kg.', 'heaviest'],
    ['The average crane lifts 41 kg.', 'average'],
    ['The harbour holds 41 stolen kg.', 'stolen'],
    ['There are 41 kg, and the harbour is on fire.', 'fire'],
    ['The cranes lift more than 41 kg.', 'more than'],
    ['41 distinct cranes.', 'distinct'],
    ['Most cranes lift 41 kg.', 'Most'],
  ])('is unclear where nothing carries it: %s', (answer, word) => {
    const claim = verdict(answer, { question: 'How much do the cranes lift?' });
    expect(claim?.verdict).toBe('unclear');
    expect(claim?.why).toContain(`"${word}"`);
  });

  test.each<[string, string]>([
    ['The heaviest crane lifts 41 kg.', 'total = max(loads)\ncrane = 0\nlift = 1\n'],
    ['The average crane lifts 41 kg.', 'total = sum(lift) / len(crane)\n'],
    ['41 distinct cranes.', 'total = len(set(names))\n'],
    ['All 41 cranes are free.', 'ok = all("free" in line for line in cranes)\n'],
  ])('stays computed where the code does what the word says: %s', (answer, code) => {
    expect(verdict(answer, { code })?.verdict).toBe('computed');
  });

  test('words of the template and of comments carry nothing', () => {
    const code = '# stolen goods of the harbour\nnote = "41 stolen goods"\ntotal = 41 * 1\n';
    expect(verdict('The harbour holds 41 stolen goods.', { code })?.verdict).toBe('unclear');
  });
});
