/** Two texts of Markdown side by side: blocks that stayed, went, came or changed, the last with the words that differ. */
import { diffArrays, diffWordsWithSpace } from 'diff';
import { blocksOf } from './markdown-blocks.ts';
import { marks, withoutMarks } from './marks.ts';

/** A row with both sides, changed words marked; null if a side has no such line. */
export interface Row {
  readonly kind: 'same' | 'changed' | 'added' | 'removed';
  readonly before: string | null;
  readonly after: string | null;
}

/** Longer ones are not compared word by word. Characters of both. */
const maxWords = 30_000;

const pieces = (text: string): readonly string[] => {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  return blocksOf(text).map(({ start, end }) => lines.slice(start, end).join('\n'));
};

export function rowsOf(before: string | null, after: string | null): readonly Row[] {
  const [old, now] = [withoutMarks(before ?? ''), withoutMarks(after ?? '')].map(pieces) as [
    readonly string[],
    readonly string[],
  ];
  if (before === null) return now.map((text) => ({ kind: 'added', before: null, after: text }));
  if (after === null) return old.map((text) => ({ kind: 'removed', before: text, after: null }));
  const rows: Row[] = [];
  let gone: readonly string[] = [];
  const flush = (came: readonly string[]): void => {
    rows.push(...paired(gone, came));
    gone = [];
  };
  for (const { value, added, removed } of diffArrays([...old], [...now])) {
    if (removed) {
      flush([]);
      gone = value;
    } else if (added) flush(value);
    else {
      flush([]);
      rows.push(...value.map((text): Row => ({ kind: 'same', before: text, after: text })));
    }
  }
  flush([]);
  return rows;
}

function paired(gone: readonly string[], came: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  for (let n = 0; n < Math.max(gone.length, came.length); n += 1) {
    const [before, after] = [gone[n], came[n]];
    if (before === undefined) rows.push({ kind: 'added', before: null, after: after! });
    else if (after === undefined) rows.push({ kind: 'removed', before, after: null });
    else rows.push(...changed(before, after));
  }
  return rows;
}

function changed(before: string, after: string): readonly Row[] {
  const apart: readonly Row[] = [
    { kind: 'removed', before, after: null },
    { kind: 'added', before: null, after },
  ];
  if (before.length + after.length > maxWords) return apart;
  const parts = diffWordsWithSpace(before, after);
  const kept = parts.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  // Two texts that share next to nothing are two texts.
  if (kept * 5 < Math.min(before.length, after.length)) return apart;
  const side = (skipped: 'added' | 'removed', [open, close]: readonly [string, string]): string =>
    parts
      .filter((part) => !part[skipped])
      .map(({ value, added, removed }) => (added || removed ? wrap(value, open, close) : value))
      .join('');
  return [
    {
      kind: 'changed',
      before: side('added', [marks.removed, marks.removedEnd]),
      after: side('removed', [marks.added, marks.addedEnd]),
    },
  ];
}

/** Line by line, and behind what makes the form of a line: marks may not change what it is. */
const wrap = (text: string, open: string, close: string): string =>
  text
    .split('\n')
    .map((line) => {
      const [, form = '', rest = ''] =
        /^(\s*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+)*)([\s\S]*)$/.exec(line) ?? [];
      return rest.trim() === '' ? line : `${form}${open}${rest}${close}`;
    })
    .join('\n');
