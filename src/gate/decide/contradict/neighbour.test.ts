import { describe, expect, test } from 'vitest';
import { checkClaims } from '../../answer/check-claims.ts';

const id = 'ev-0123456789';
const verdict = (claim: string, content: string, path = 'notes.md') =>
  checkClaims({
    answer: `${claim} [${id}].`,
    sources: [{ id, path, start: 1, end: content.split('\n').length, content }],
  }).map((one) => one.verdict)[0];

describe('what the lines say of the neighbour', () => {
  test.each<[claim: string, lines: string]>([
    ['La IP localiza la aplicación', 'La IP localiza la máquina; el puerto localiza la aplicación.'],
    [
      'Im Configmode blinkt die LED schnell',
      'Im Configmode blinkt die LED langsam. Im Failsafemode blinkt die LED schnell.',
    ],
    ['DFS to przeszukiwanie wszerz', '- BFS – przeszukiwanie wszerz.\n- DFS – przeszukiwanie w głąb.'],
    ['The port finds the machine', 'The address finds the machine; the port finds the application.'],
  ])('%s: contradicted', (claim, lines) => {
    expect(verdict(claim, lines)).toBe('contradicted');
  });

  test.each<[claim: string, lines: string]>([
    ['Anna left at 5', 'Anna paid 40 euros, and left at 5.'],
    ['The Redis cache was cleared', 'The server runs Redis. The cache was cleared.'],
    [
      'The foreign key caused an overflow',
      'A foreign key used a smaller type. This error caused an overflow.',
    ],
    ['Anna works in Berlin', 'Anna lives in Berlin. Bob works in Berlin, and Anna does too.'],
  ])('%s: not against it', (claim, lines) => {
    expect(['unclear', 'shown']).toContain(verdict(claim, lines));
  });
});

test('where to and where from', () => {
  const line = '2025-07-10 12:40:57 MST [4] LOG:  restored log file "0003" from archive';
  expect(verdict('The log file 0003 was restored from archive', line, 'pg.log')).toBe('shown');
  expect(verdict('The log file 0003 was restored to archive', line, 'pg.log')).toBe('contradicted');
});

test('a German noun that the lines lack is no name, and an article no other word', () => {
  expect(verdict('Das Unternehmen zahlt Miete für das Büro', 'Die Firma zahlt Miete für das Büro.')).toBe(
    'unclear',
  );
  expect(
    verdict(
      'Chaque paquet est livré dans Lyon, avant midi',
      'Chaque paquet est livré dans Lyon, une fois payé.',
    ),
  ).toBe('unclear');
});

test.each<[what: string, claim: string, lines: string]>([
  ['verbs', `maxSize${' is not'.repeat(40)} x`, 'maxSize = 5;'],
  ['joining words', `\`readFile\`${' and'.repeat(40)}a \`writeFile\` run`, 'readFile(); writeFile();'],
  ['dots', `Go 1${'.'.repeat(40)}Q 5`, 'const go = 1;'],
  ['spaces', 'x is read', `if x${' '.repeat(1_500)}y z w\n  read(x)`],
])('a run of %s is read in bounded time', (_, claim, lines) => {
  expect(verdict(claim, lines, 'a.py')).toBeDefined();
});
