import { describe, expect, it } from 'vitest';
import { numbers } from '../contract/numbers.contract.ts';
import { splitPageUnits } from '../markdown/index.ts';
import { type MergeResult, mergeBlocks, type Sides } from './index.ts';

const exchanged = ({ base, ours, theirs }: Sides): Sides => ({ base, ours: theirs, theirs: ours });

/** Both orders at once: they give the same, but for the sides of a conflict. */
function merge(base: string, ours: string, theirs: string): MergeResult {
  const result = mergeBlocks({ base, ours, theirs });
  const other = mergeBlocks({ base, ours: theirs, theirs: ours });
  expect(other).toEqual(
    result.kind === 'merged' ? result : { kind: 'conflict', conflicts: result.conflicts.map(exchanged) },
  );
  return result;
}

const base =
  '---\na: 1\n---\n# Title\n\nFirst thing.\n\n- one\n- two\n- three\n\n| a |\n|---|\n| 1 |\n\nLast thing.\n';
const edited = (...changes: readonly (readonly [string, string])[]) =>
  changes.reduce((text, [from, to]) => text.replace(from, () => to), base);

describe('a merge of blocks', () => {
  const clean: Readonly<Record<string, readonly [ours: string, theirs: string, merged: string]>> = {
    'nothing on one side': [base, edited(['First', '1st']), edited(['First', '1st'])],
    'the same on both': [edited(['First', '1st']), edited(['First', '1st']), edited(['First', '1st'])],
    'two blocks side by side': [
      edited(['First', '1st']),
      edited(['- one', '- 1']),
      edited(['First', '1st'], ['- one', '- 1']),
    ],
    'two items of one list': [
      edited(['two', '2']),
      edited(['three', '3']),
      edited(['two', '2'], ['three', '3']),
    ],
    'a passage that both added, once, where one wrote it in the place of a paragraph': [
      edited(['Last thing.', 'How to hand it in.\n\nWhen we celebrate.\n\n# Footer\n\nOf every page.']),
      edited(['Last thing.', 'Last thing.\n\n# Footer\n\nOf every page.']),
      edited(['Last thing.', 'How to hand it in.\n\nWhen we celebrate.\n\n# Footer\n\nOf every page.']),
    ],
    'two sections that have parts of the same name': [
      edited(['# Title\n', '# Title\n\n## 4.0\n\n### Changed\n\nThe rules of groups.\n']),
      edited([
        '# Title\n',
        '# Title\n\n## 3.1\n\n### Added\n\nDecoders for logs.\n\n### Changed\n\nSquid is read.\n',
      ]),
      edited([
        '# Title\n',
        '# Title\n\n## 3.1\n\n### Added\n\nDecoders for logs.\n\n### Changed\n\nSquid is read.\n' +
          '\n## 4.0\n\n### Changed\n\nThe rules of groups.\n',
      ]),
    ],
    'front matter and text': [
      edited(['a: 1', 'a: 2']),
      edited(['Last', 'End']),
      edited(['a: 1', 'a: 2'], ['Last', 'End']),
    ],
    'one taken away, another changed': [
      edited(['First thing.\n\n', '']),
      edited(['Last', 'End']),
      edited(['First thing.\n\n', ''], ['Last', 'End']),
    ],
    'one added, the end changed': [
      edited(['# Title\n\n', '# Title\n\nNew.\n\n']),
      `${base}\nMore.\n`,
      `${edited(['# Title\n\n', '# Title\n\nNew.\n\n'])}\nMore.\n`,
    ],
    'one added behind what the other takes away': [
      edited(['First thing.\n\n', 'First thing.\n\nNew.\n\n']),
      edited(['First thing.\n\n', '']),
      edited(['First thing.\n\n', 'New.\n\n']),
    ],
    'a row each into one table': [
      edited(['| 1 |\n', '| 1 |\n| 2 |\n']),
      edited(['| 1 |\n', '| 1 |\n| 3 |\n']),
      edited(['| 1 |\n', '| 1 |\n| 2 |\n| 3 |\n']),
    ],
    'two paragraphs for one place': [`${base}\nOurs.\n`, `${base}\nTheirs.\n`, `${base}\nOurs.\n\nTheirs.\n`],
    'an item each into one list': [
      edited(['- one', '- zero\n- one']),
      edited(['- one', '- none\n- one']),
      edited(['- one', '- none\n- zero\n- one']),
    ],
    'line ends on one side, words on the other': [
      base.replaceAll('\n', '\r\n'),
      edited(['First', '1st']),
      edited(['First', '1st']).replaceAll('\n', '\r\n'),
    ],
  };
  it.each(Object.keys(clean))('takes both: %s', (name) => {
    const [ours, theirs, text] = clean[name]!;
    expect(merge(base, ours, theirs)).toEqual({ kind: 'merged', text });
    expect(merge(base, theirs, ours)).toEqual({ kind: 'merged', text });
  });

  const torn: Readonly<Record<string, readonly [ours: string, theirs: string, conflicts: readonly Sides[]]>> =
    {
      'one paragraph in two ways': [
        edited(['First', '1st']),
        edited(['thing', 'matter']),
        [{ base: 'First thing.\n\n', ours: '1st thing.\n\n', theirs: 'First matter.\n\n' }],
      ],
      'one row in two ways': [
        edited(['| 1 |\n', '| 2 |\n']),
        edited(['| 1 |\n', '| 3 |\n']),
        [
          {
            base: '| a |\n|---|\n| 1 |\n\n',
            ours: '| a |\n|---|\n| 2 |\n\n',
            theirs: '| a |\n|---|\n| 3 |\n\n',
          },
        ],
      ],
      'changed here, taken away there': [
        edited(['Last', 'End']),
        edited(['\nLast thing.\n', '']),
        [{ base: 'Last thing.\n', ours: 'End thing.\n', theirs: '' }],
      ],
      'two versions of one paragraph for one place': [
        `${base}\nThe boat leaves at nine from the north pier.\n`,
        `${base}\nThe boat leaves at ten from the north pier.\n`,
        [
          {
            base: '',
            ours: 'The boat leaves at nine from the north pier.\n',
            theirs: 'The boat leaves at ten from the north pier.\n',
          },
        ],
      ],
      'one property in two ways': [
        edited(['a: 1', 'a: 2']),
        edited(['a: 1', 'a: 3']),
        [{ base: '---\na: 1\n---\n', ours: '---\na: 2\n---\n', theirs: '---\na: 3\n---\n' }],
      ],
    };
  it.each(Object.keys(torn))('shows both: %s', (name) => {
    const [ours, theirs, conflicts] = torn[name]!;
    expect(merge(base, ours, theirs)).toEqual({ kind: 'conflict', conflicts });
  });

  const parts: readonly (readonly [
    name: string,
    base: string,
    ours: string,
    theirs: string,
    merged: string,
  ])[] = [
    [
      'items below one item',
      '- shop\n  - milk\n  - bread\n- work\n',
      '- shop\n  - milk\n  - bread\n  - salt\n- work\n',
      '- shop\n  - oat milk\n  - bread\n- work\n',
      '- shop\n  - oat milk\n  - bread\n  - salt\n- work\n',
    ],
    [
      'entries of one property',
      '---\ntags:\n  - a\n  - b\n---\nText.\n',
      '---\ntags:\n  - a\n  - b\n  - c\n---\nText.\n',
      '---\ntags:\n  - b\n---\nText.\n',
      '---\ntags:\n  - b\n  - c\n---\nText.\n',
    ],
    [
      'properties where there were none',
      'Text.\n',
      '---\nb: 2\n---\nText.\n',
      '---\nc: 3\n---\nText.\n',
      '---\nb: 2\nc: 3\n---\nText.\n',
    ],
    [
      'lines of code with others between',
      '```\na\nb\nc\nd\n```\n',
      '```\nA\nb\nc\nd\n```\n',
      '```\na\nb\nc\nd\ne\n```\n',
      '```\nA\nb\nc\nd\ne\n```\n',
    ],
    [
      'where links lead',
      '[a]: one.md\n[b]: two.md\n[c]: three.md\n',
      '[a]: 1.md\n[b]: two.md\n[c]: three.md\n',
      '[a]: one.md\n[b]: two.md\n[c]: 3.md\n',
      '[a]: 1.md\n[b]: two.md\n[c]: 3.md\n',
    ],
  ];
  it.each(parts)('merges within a block: %s', (_name, was, ours, theirs, text) => {
    expect(merge(was, ours, theirs)).toEqual({ kind: 'merged', text });
  });

  it.each([
    ['a property twice', '---\na: 1\n---\n', '---\na: 1\nb: 2\n---\n', '---\na: 1\nb: 3\n---\n'],
    ['two paragraphs of one item', '- a\n\n  b\n', '- a\n\n  c\n', '- a\n\n  d\n'],
    ['one line of code', '```\na\n```\n', '```\nb\n```\n', '```\nc\n```\n'],
    ['broken properties', '---\na: [\n---\n', '---\na: [\nb: 1\n---\n', '---\nc: 1\na: [\n---\n'],
  ])('leaves two changes of one part: %s', (_name, was, ours, theirs) => {
    expect(merge(was, ours, theirs).kind).toBe('conflict');
  });

  it('puts a blank line between what would run together', () => {
    const text = 'a\n\n# H\nb\n';
    expect(merge(text, 'a\n\nb\n', 'a\n\n# H\nb\n\nc\n')).toEqual({ kind: 'merged', text: 'a\n\nb\n\nc\n' });
    expect(merge('a', 'a\n\nb', 'new\n\na')).toEqual({ kind: 'merged', text: 'new\n\na\n\nb' });
    expect(merge('# A\nx\n# B\n', '# A\nx\n', '# A\n# B\n')).toEqual({ kind: 'merged', text: '# A\n' });
  });
});

const histories = Number(process.env['MERGE_HISTORIES'] ?? 2000);

it(`loses no line of either side, in ${histories} histories by chance`, () => {
  let clean = 0;
  for (let seed = 1; seed <= histories; seed += 1) {
    const random = numbers(seed);
    let serial = 0;
    const fresh = () => {
      serial += 1;
      const kinds = [
        `# Heading ${serial}\n`,
        `Paragraph ${serial}.\n\n`,
        `- item ${serial}\n`,
        `> quote ${serial}\n\n`,
      ];
      return [...kinds, `| c${serial} |\n|---|\n| v${serial} |\n\n`, `\`\`\`\ncode ${serial}\n\`\`\`\n`][
        random(6)
      ]!;
    };
    const start = Array.from({ length: 1 + random(8) }, fresh);
    const side = () => {
      const parts = [...start];
      for (let n = random(4); n > 0; n -= 1) {
        const at = random(parts.length + 1);
        const act = random(3);
        if (act === 0) parts.splice(at, 0, fresh());
        else if (act === 1) parts.splice(at, 1);
        else if (at < parts.length) parts[at] = parts[at]!.replace(/(\d+)/, `$1 changed ${++serial}`);
      }
      return parts.join('\n');
    };
    const [was, ours, theirs] = [start.join('\n'), side(), side()];
    const result = merge(was, ours, theirs);
    if (result.kind === 'conflict') continue;
    clean += 1;
    const lines = (text: string) => new Set(text.split('\n').filter((line) => line.trim() !== ''));
    const [before, one, other, after] = [lines(was), lines(ours), lines(theirs), lines(result.text)];
    const context = `seed ${seed}: ${JSON.stringify({ was, ours, theirs, after: result.text })}`;
    const union = one.union(other).difference(before);
    expect([...union.difference(after)], context).toEqual([]);
    // `|---|` and fences stand in many blocks.
    const unique = (line: string) => /\d/.test(line);
    const kept = before.intersection(one).intersection(other);
    expect([...kept.difference(after)].filter(unique), context).toEqual([]);
    const gone = before.difference(one).union(before.difference(other));
    expect([...gone.intersection(after)].filter(unique), context).toEqual([]);
    // Whatever is in it was read so in one of the three.
    const units = (text: string) =>
      splitPageUnits(text).units.map(({ start: from, end }) => text.slice(from, end));
    expect(
      [...new Set(units(result.text)).difference(new Set([...units(ours), ...units(theirs)]))],
      context,
    ).toEqual([]);
  }
  expect(clean).toBeGreaterThan(histories / 3);
});
