import { describe, expect, it } from 'vitest';
import { numbers } from '../contract/numbers.contract.ts';
import { type MergeResult, mergeBlocks, type Sides } from './index.ts';

/** Both orders at once: they give the same, but for the sides of a conflict. */
function merge(base: string, ours: string, theirs: string): MergeResult {
  const result = mergeBlocks({ base, ours, theirs });
  const exchanged = (each: Sides): Sides => ({ base: each.base, ours: each.theirs, theirs: each.ours });
  expect(mergeBlocks({ base, ours: theirs, theirs: ours })).toEqual(
    result.kind === 'merged' ? result : { kind: 'conflict', conflicts: result.conflicts.map(exchanged) },
  );
  return result;
}

const page = '# A\n\nFirst.\n\nSecond.\n\nThird.\n\n# B\n\nFourth.\n';

describe('what one side moved', () => {
  it('and the other deleted is a conflict, with what each has of it', () => {
    const moved = '# A\n\nSecond.\n\nThird.\n\n# B\n\nFourth.\n\nFirst.\n';
    expect(merge(page, page.replace('First.\n\n', ''), moved)).toEqual({
      kind: 'conflict',
      conflicts: [{ base: 'First.\n\n', ours: '', theirs: 'First.\n' }],
    });
  });

  const code = (...lines: readonly string[]) => `\`\`\`\n${lines.join('\n')}\n\`\`\`\n\n`;
  const torn: Readonly<Record<string, readonly [base: string, deleted: string, moved: string]>> = {
    'an item, to another list': [
      '- a\n- b\n- c\n\nText.\n\n- d\n- e\n',
      '- a\n- c\n\nText.\n\n- d\n- e\n',
      '- a\n- c\n\nText.\n\n- d\n- b\n- e\n',
    ],
    'an item, below another': [
      '- a\n  - x\n  - y\n- b\n  - z\n- c\n',
      '- a\n  - y\n- b\n  - z\n- c\n',
      '- a\n  - y\n- b\n  - z\n  - x\n- c\n',
    ],
    'a numbered item': [
      '1. wash\n2. cut\n3. cook\n4. eat\n',
      '1. cut\n2. cook\n3. eat\n',
      '1. cut\n2. cook\n3. eat\n4. wash\n',
    ],
    'a task, to what is done': [
      '# Open\n\n- [ ] Ann\n- [ ] Bob\n\n# Done\n\n- [x] Eve\n',
      '# Open\n\n- [ ] Bob\n\n# Done\n\n- [x] Eve\n',
      '# Open\n\n- [ ] Bob\n\n# Done\n\n- [x] Eve\n- [x] Ann\n',
    ],
    'a row, to another table': [
      '| a |\n|---|\n| 1 |\n| 2 |\n\nText.\n\n| b |\n|---|\n| 3 |\n',
      '| a |\n|---|\n| 2 |\n\nText.\n\n| b |\n|---|\n| 3 |\n',
      '| a |\n|---|\n| 2 |\n\nText.\n\n| b |\n|---|\n| 3 |\n| 1 |\n',
    ],
    'a line of code, to another block': [
      `${code('a', 'b', 'c')}Text.\n\n${code('d')}`,
      `${code('a', 'c')}Text.\n\n${code('d')}`,
      `${code('a', 'c')}Text.\n\n${code('d', 'b')}`,
    ],
    'a line of a paragraph, to another': [
      'one\ntwo\nthree\n\n# B\n\nfour\nfive\n',
      'one\nthree\n\n# B\n\nfour\nfive\n',
      'one\nthree\n\n# B\n\nfour\ntwo\nfive\n',
    ],
    'an entry, to another property': [
      '---\ntags:\n  - a\n  - b\nold:\n  - c\n---\nText.\n',
      '---\ntags:\n  - b\nold:\n  - c\n---\nText.\n',
      '---\ntags:\n  - b\nold:\n  - c\n  - a\n---\nText.\n',
    ],
    'a paragraph, in other words': [
      'The boat leaves at nine.\n\nLong text of another kind.\n\nMore here.\n',
      'Long text of another kind.\n\nMore here.\n',
      'Long text of another kind.\n\nMore here.\n\nThe boat leaves at ten.\n',
    ],
    'a table, as two': [
      'Text.\n\n| a |\n|---|\n| 1 |\n| 2 |\n\nEnd.\n',
      'Text.\n\nEnd.\n',
      '| b |\n|---|\n| 1 |\n\nText.\n\nEnd.\n\n| c |\n|---|\n| 2 |\n',
    ],
    'a rule': ['a\n\n---\n\nb\n\nc\n', 'a\n\nb\n\nc\n', 'a\n\nb\n\nc\n\n---\n'],
    'a rule, to where a paragraph stood': [
      'a\n\nb\n\nc\n\nd\n\n---\n\ne\n',
      'a\n\nb\n\nc\n\nd\n\ne\n',
      'a\n\n---\n\nc\n\nd\n\ne\n',
    ],
    'a paragraph in other words, to where another stood': [
      'The boat leaves at nine.\n\na\n\nb\n\nc\n',
      'a\n\nb\n\nc\n',
      'a\n\nThe boat leaves at ten.\n\nc\n',
    ],
    'a heading, a level down': [
      '# Use\n\na\n\nb\n\n# More\n\nc\n',
      'a\n\nb\n\n# More\n\nc\n',
      'a\n\nb\n\n# More\n\n## Use\n\nc\n',
    ],
  };
  it.each(Object.keys(torn))('and the other deleted: %s', (name) => {
    const [base, deleted, moved] = torn[name]!;
    expect(merge(base, deleted, moved).kind).toBe('conflict');
    const returns = (text: string) => text.replaceAll('\n', '\r\n');
    expect(merge(returns(base), returns(deleted), returns(moved)).kind).toBe('conflict');
  });

  it('and the other moved elsewhere is a conflict: it would stand twice', () => {
    const [first, last] = [
      `Third.\n\n${page.replace('Third.\n\n', '')}`,
      `${page.replace('Third.\n\n', '')}\nThird.\n`,
    ];
    expect(merge(page, first, last).kind).toBe('conflict');
  });

  const clean: Readonly<
    Record<string, readonly [base: string, ours: string, theirs: string, merged: string]>
  > = {
    'both moved to one place': [
      page,
      `${page.replace('First.\n\n', '')}\nFirst.\n`,
      `${page.replace('First.\n\n', '')}\nFirst.\n`.replace('Third', '3rd'),
      `${page.replace('First.\n\n', '')}\nFirst.\n`.replace('Third', '3rd'),
    ],
    'one moved, another deleted': [
      page,
      `${page.replace('First.\n\n', '')}\nFirst.\n`,
      page.replace('Third.\n\n', ''),
      `${page.replace('First.\n\n', '').replace('Third.\n\n', '')}\nFirst.\n`,
    ],
    'a section moved, a line of what stayed deleted': [
      page,
      '# B\n\nFourth.\n\n# A\n\nFirst.\n\nSecond.\n\nThird.\n',
      page.replace('Second.\n\n', ''),
      '# B\n\nFourth.\n\n# A\n\nFirst.\n\nThird.\n',
    ],
    'code that both deleted, other code written elsewhere': [
      `${code('a')}Text.\n\nMore.\n`,
      'Text.\n\nMore.\n',
      `Text.\n\nMore.\n\n${code('b')}`,
      `Text.\n\nMore.\n\n${code('b')}`,
    ],
    'both moved to one place, with other space behind': [
      page,
      `${page.replace('First.\n\n', '')}\nFirst.\n`,
      `${page.replace('First.\n\n', '')}\nFirst.\n\n\n`,
      `${page.replace('First.\n\n', '')}\nFirst.\n\n\n`,
    ],
    'a quote that both deleted, code with its word written elsewhere': [
      '> delta\n\nText.\n\nMore.\n',
      'Text.\n\nMore.\n',
      `Text.\n\nMore.\n\n${code('gamma delta')}`,
      `Text.\n\nMore.\n\n${code('gamma delta')}`,
    ],
    'one copied, the other deleted the first': [
      page,
      `${page}\nFirst.\n`,
      page.replace('First.\n\n', ''),
      `${page.replace('First.\n\n', '')}\nFirst.\n`,
    ],
  };
  it.each(Object.keys(clean))('takes both: %s', (name) => {
    const [base, ours, theirs, text] = clean[name]!;
    expect(merge(base, ours, theirs)).toEqual({ kind: 'merged', text });
  });
});

const histories = Number(process.env['MERGE_HISTORIES'] ?? 800);

interface Block {
  readonly kind: number;
  readonly head: string;
  readonly lines: readonly string[];
}

const written: readonly ((block: Block) => string)[] = [
  ({ head, lines }) => [head, ...lines].join('\n'),
  ({ head, lines }) => [`| ${head} |`, '|---|', ...lines.map((line) => `| ${line} |`)].join('\n'),
  ({ head, lines }) => [`- ${head}`, ...lines.map((line) => `  - ${line}`)].join('\n'),
  ({ head, lines }) => ['```', head, ...lines, '```'].join('\n'),
  ({ head, lines }) => [`# ${head}`, '', ...lines].join('\n'),
];

it(`brings no deleted line back and doubles none, in ${histories} histories with moves by chance`, () => {
  const seen = { clean: 0, moved: 0 };
  for (let seed = 1; seed <= histories; seed += 1) {
    const random = numbers(seed);
    let serial = 0;
    const name = () => `w${++serial}`;
    const names = (below: number) => Array.from({ length: random(below) }, name);
    const fresh = (): Block => ({ kind: random(written.length), head: name(), lines: names(4) });
    const start = Array.from({ length: 2 + random(5) }, fresh);
    const side = (): readonly Block[] => {
      const blocks = [...start];
      const put = (lines: readonly string[]) => {
        if (blocks.length === 0) blocks.push(fresh());
        const at = random(blocks.length);
        const place = random(blocks[at]!.lines.length + 1);
        blocks[at] = { ...blocks[at]!, lines: blocks[at]!.lines.toSpliced(place, 0, ...lines) };
      };
      const takeLine = (): readonly string[] => {
        const at = random(Math.max(1, blocks.length));
        const lines = blocks[at]?.lines ?? [];
        if (lines.length === 0) return [];
        const index = random(lines.length);
        blocks[at] = { ...blocks[at]!, lines: lines.toSpliced(index, 1) };
        return [lines[index]!];
      };
      const takeBlock = () => blocks.splice(random(Math.max(1, blocks.length)), 1);
      const acts: readonly (() => void)[] = [
        () => put(takeLine()),
        () => takeLine(),
        () => put([name()]),
        () => blocks.splice(random(blocks.length + 1), 0, ...takeBlock()),
        () => takeBlock(),
        () => blocks.splice(random(blocks.length + 1), 0, fresh()),
      ];
      for (let n = random(3); n >= 0; n -= 1) acts[random(acts.length)]!();
      return blocks;
    };
    const text = (blocks: readonly Block[]) =>
      blocks.map((block) => `${written[block.kind]!(block)}\n`).join('\n');
    const [was, ours, theirs] = [start, side(), side()].map(text) as [string, string, string];
    const result = merge(was, ours, theirs);
    if (result.kind === 'conflict') continue;
    const found = (page: string): string[] => [...(page.match(/w\d+/g) ?? [])];
    const [before, one, other, after] = [was, ours, theirs, result.text].map(found) as [
      string[],
      string[],
      string[],
      string[],
    ];
    const context = `seed ${seed}: ${JSON.stringify({ was, ours, theirs, after: result.text })}`;
    const [w, o, t] = [new Set(before), new Set(one), new Set(other)];
    const wanted = o.intersection(t).union(o.difference(w)).union(t.difference(w));
    expect(after.toSorted(), context).toEqual([...wanted].sort());
    seen.clean += 1;
    const stayed = before.filter((each) => o.has(each));
    if (one.filter((each) => w.has(each)).join() !== stayed.join()) seen.moved += 1;
  }
  expect(seen.clean).toBeGreaterThan(histories / 3);
  // It would prove little if whatever was moved were a conflict.
  expect(seen.moved).toBeGreaterThan(histories / 20);
});
