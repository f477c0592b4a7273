import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citedIn, coverageOf, type Line, linesOf } from './checklists.ts';

const sections = new Map([
  ['world.md', ['Memory', 'Task registry', 'MCP tools']],
  ['incident.md', ['diagnose']],
]);

describe('a citation of a checklist', () => {
  const forms: readonly (readonly [string, readonly string[]])[] = [
    ["it('forgets (world.md: Memory 3, 5)', …", ['world.md: Memory 3', 'world.md: Memory 5']],
    ['// world.md: Memory 1 and 2.', ['world.md: Memory 1', 'world.md: Memory 2']],
    ['// world.md: Memory 1 to 3.', ['world.md: Memory 1', 'world.md: Memory 2', 'world.md: Memory 3']],
    [
      '// world.md: Memory 1; Task registry 2,\n  // 3.',
      ['world.md: Memory 1', 'world.md: Task registry 2', 'world.md: Task registry 3'],
    ],
    [
      '// world.md: MCP tools 4; incident.md: diagnose 2.',
      ['world.md: MCP tools 4', 'incident.md: diagnose 2'],
    ],
    [
      "/** Checklist world.md: Memory. The numbers are its own. */\nit('2: once', …\nit.each(rows)('4, 5: %s', …",
      ['world.md: Memory 2', 'world.md: Memory 4', 'world.md: Memory 5'],
    ],
    ['// A memory of 3 items; the world.md file has 5.', []],
    ['// incident.md: Memory 3.', []],
  ];
  it.each(forms)('%s', (text, lines) => {
    expect([...citedIn(text, sections)]).toEqual(lines);
  });
});

it('a checklist has lines by section and number', () => {
  const text = '# T\n\n## Memory\n1. One.\n2. Two.\n\n## Provenance, derivation\n1. Else.\n\nNot 1. a line';
  expect([...linesOf('world.md', text)]).toEqual([
    ['world.md: Memory 1', 'One.'],
    ['world.md: Memory 2', 'Two.'],
    ['world.md: Provenance 1', 'Else.'],
  ]);
});

/** What is not built yet, and so has nothing to test. */
const open: readonly Line[] = [
  'research.md: Actions 5',
  'research.md: Actions 6',
  'research.md: Actions 7',
  'research.md: Tests and evaluation 2',
];

const root = join(import.meta.dirname, '..');
const coverage = coverageOf(root, join(root, '../shared/checklists'));

describe.skipIf(coverage === null)('the checklists (skipped where they are not beside the project)', () => {
  it('have a test for each of their lines but those that are not built yet', () => {
    const missing = [...coverage!.lines.keys()].filter((line) => !coverage!.cited.has(line));
    expect(missing).toEqual(open);
  });

  it('have each line that is cited', () => {
    expect([...coverage!.cited].filter(([line]) => !coverage!.lines.has(line))).toEqual([]);
  });
});
