import { describe, expect, it } from 'vitest';
import { rowsOf } from './difference.ts';

const shown = (before: string | null, after: string | null) =>
  rowsOf(before, after).map(({ kind, before: old, after: now }) =>
    [kind, old, now].map((one) => readable(one)),
  );
/** Marks as brackets: {+ +} and {- -}. */
const readable = (text: string | null): string | null =>
  text === null
    ? null
    : text
        .replaceAll('\ue000', '{+')
        .replaceAll('\ue001', '+}')
        .replaceAll('\ue002', '{-')
        .replaceAll('\ue003', '-}');

describe('a difference', () => {
  it('is by block, and within a changed block by word', () => {
    expect(
      shown('# Oven\n\nIt holds 210 degrees.\n\nEnd.', '# Oven\n\nIt holds 230 degrees.\n\nEnd.\n\nNew.'),
    ).toEqual([
      ['same', '# Oven', '# Oven'],
      ['changed', 'It holds {-210-} degrees.', 'It holds {+230+} degrees.'],
      ['same', 'End.', 'End.'],
      ['added', null, 'New.'],
    ]);
  });

  it('of a new and of a removed text is that text', () => {
    expect(shown(null, 'a')).toEqual([['added', null, 'a']]);
    expect(shown('a', null)).toEqual([['removed', 'a', null]]);
  });

  it('leaves the form of a line as it is', () => {
    expect(shown('- one two three', '- one two three\n- four')).toEqual([
      ['changed', '- one two three', '- one two three\n- {+four+}'],
    ]);
  });

  it('takes two texts that share nothing apart', () => {
    expect(shown('alpha beta gamma', 'one two three')).toEqual([
      ['removed', 'alpha beta gamma', null],
      ['added', null, 'one two three'],
    ]);
  });

  it('can not be forged by the material', () => {
    expect(shown(null, 'a \ue000b\ue001')).toEqual([['added', null, 'a \ufffdb\ufffd']]);
  });
});
