import { describe, expect, it } from 'vitest';
import { citedIn, linesOf } from './checklists.ts';

const sections = new Map([
  ['world.md', ['Memory', 'Task registry', 'MCP tools']],
  ['incident.md', ['diagnose']],
]);

describe('a citation of a checklist', () => {
  const forms: readonly (readonly [string, readonly string[]])[] = [
    ["it('forgets (world.md: Memory 3, 5)', …", ['world.md: Memory 3', 'world.md: Memory 5']],
    ['// World checklist, Memory 1 and 2.', ['world.md: Memory 1', 'world.md: Memory 2']],
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
