import { describe, expect, it } from 'vitest';
import { blocksOf } from './markdown-blocks.ts';

const kinds = (text: string): readonly string[] => blocksOf(text).map(({ is }) => is);

describe('blocks of Markdown', () => {
  it.each([
    ['# A\nb\n\nc', ['heading', 'paragraph', 'paragraph']],
    ['---\na: 1\n---\n# A', ['properties', 'heading']],
    ['a\n\n---\n\nb', ['paragraph', 'rule', 'paragraph']],
    ['```js\n# no heading\n```\nafter', ['code', 'paragraph']],
    ['```\nnever closed', ['code']],
    ['- a\n- b\n\n1. c', ['list', 'list']],
    ['| a | b |\n|---|---|\n| 1 | 2 |', ['table']],
    ['> quoted\n> more', ['quote']],
    ['    indented', ['code']],
    ['<script>x</script>', ['paragraph']],
    ['', []],
  ])('%j', (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  it('keeps what is nested in an item with the item', () => {
    const [list] = blocksOf('- a\n  - b\n  - c\n- d');
    expect(list).toMatchObject({ is: 'list', items: [{ text: 'a\n- b\n- c' }, { text: 'd' }] });
  });

  it('knows tasks, and callouts by their titles', () => {
    expect(blocksOf('- [x] done\n- [ ] open')[0]).toMatchObject({
      items: [
        { text: 'done', done: true },
        { text: 'open', done: false },
      ],
    });
    expect(blocksOf('> [!warning] Hot\n> Do not touch.')[0]).toMatchObject({
      is: 'quote',
      title: 'Hot',
      text: 'Do not touch.',
    });
  });

  it('covers each line that says something by one block', () => {
    const text = '# A\n\n- b\n- c\n\n> d\n\n| e |\n|---|\n| f |\n\n```\ng\n```\nh\n';
    const lines = text.split('\n');
    const covered = blocksOf(text).flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, n) => start + n),
    );
    expect(covered).toEqual([...new Set(covered)]);
    expect(lines.flatMap((line, n) => (line === '' ? [] : [n])).filter((n) => !covered.includes(n))).toEqual(
      [],
    );
  });

  it.each([
    '**'.repeat(20_000),
    '['.repeat(20_000),
    '> '.repeat(20_000),
    `${'- '.repeat(3_000)}x`,
    '|'.repeat(50_000),
  ])('takes no time for what repeats itself (%#)', (text) => {
    expect(blocksOf(text).length).toBeGreaterThan(0);
  });
});
