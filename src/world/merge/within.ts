/** Merges two changes of one block that consists of parts: rows of a table, items below an item, properties. */
import { diff3Merge } from 'node-diff3';
import { frontMatterOf, itemMark, yamlOf } from '../markdown/index.ts';
import type { Sides } from './merge.ts';
import { haveSameTexts, joinTexts, type MergeBlock } from './pieces.ts';
import { mergeSequence, oneSidedChange } from './sequence.ts';

/** The merged block; null if both sides changed the same part, or if the block has no parts. */
export function mergeWithin(sides: Sides, kind: MergeBlock['kind']): string | null {
  if (kind === 'table') return mergeParts(sides, rowsOf, mergeRows);
  if (kind === 'list') return mergeParts(sides, itemsOf, noMerge);
  if (kind === 'code' || isDefinitions(sides)) return mergeLines(sides);
  return null;
}

const noMerge = (): null => null;

/** Whether the text is only link definitions, which are a list without list marks. */
function isDefinitions({ base, ours, theirs }: Sides): boolean {
  return [base, ours, theirs].every((text) =>
    text.split('\n').every((line) => /^ {0,3}\[[^\]]+\]:\s*\S/.test(line)),
  );
}

/** Merges line by line, as for source code: changes with an untouched line between them are both kept. */
function mergeLines({ base, ours, theirs }: Sides): string | null {
  const [was, one, other] = [base, ours, theirs].map((text) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ];
  const regions = diff3Merge(one, was, other, { excludeFalseConflicts: true });
  const lines: string[] = [];
  for (const { ok } of regions) {
    if (ok === undefined) return null;
    lines.push(...ok);
  }
  return lines.join('\n');
}

type Split = (text: string) => readonly MergeBlock[];

function mergeParts(
  { base, ours, theirs }: Sides,
  split: Split,
  deeper: (sides: Sides) => string | null,
): string | null {
  const parts = { base: split(base), ours: split(ours), theirs: split(theirs) };
  if (Object.values(parts).every(({ length }) => length < 2)) return null;
  // A new table head may change the meaning of every row.
  if (
    headOf(parts.base) !== null &&
    oneSidedChange({
      base: headOf(parts.base)!,
      ours: headOf(parts.ours) ?? '',
      theirs: headOf(parts.theirs) ?? '',
    }) !== headOf(parts.base)
  )
    return null;
  const { pieces, conflicts } = mergeSequence(parts, deeper);
  if (conflicts.length > 0) return null;
  const text = joinTexts(
    pieces.map((piece) => ({ ...piece, tail: piece.tail === '' ? '\n' : piece.tail })),
  ).replace(/\n+$/, '');
  return haveSameTexts(split(text), pieces) ? text : null;
}

const headOf = ([head]: readonly MergeBlock[]): string | null => (head?.kind === 'table' ? head.text : null);

/** A row that both sides changed is a conflict, even if they changed different cells. */
const mergeRows = noMerge;

const linesOf = (text: string): readonly string[] => text.split('\n');

/** The head with its ruler, then each row. */
const rowsOf: Split = (text) => {
  const [head = '', ruler = '', ...rows] = linesOf(text);
  return [
    { kind: 'table', text: `${head}\n${ruler}`, tail: '\n' },
    ...rows.map((row): MergeBlock => ({ kind: 'paragraph', text: row, tail: '\n' })),
  ];
};

/** List items of any depth, each with the lines below it that are not items. */
const itemsOf: Split = (text) =>
  splitAt(text, (line, inFence) => !inFence && itemMark(line.trimStart()) !== null, 'list');

function splitAt(
  text: string,
  begins: (line: string, inFence: boolean) => boolean,
  kind: MergeBlock['kind'],
): readonly MergeBlock[] {
  const pieces: { kind: MergeBlock['kind']; text: string; tail: string }[] = [];
  let fence = false;
  for (const line of linesOf(text)) {
    const last = pieces.at(-1);
    if (last === undefined || begins(line, fence)) pieces.push({ kind, text: line, tail: '\n' });
    else if (line.trim() === '' && !fence) last.tail += `${line}\n`;
    else {
      last.text += last.tail + line;
      last.tail = '\n';
    }
    if (/^\s*(?:[-*+]\s+)?(?:```|~~~)/.test(line)) fence = !fence;
  }
  return pieces;
}

/** Properties with their lines; a list property is split into its entries. */
const propertiesOf: Split = (yaml) =>
  splitAt(yaml.replace(/\n$/, ''), (line) => /^[^\s#\-\]}]/.test(line), 'property');
const entriesOf: Split = (property) => splitAt(property, (line) => /^\s*- /.test(line), 'list');

/** Merges front matter, fences included; null if both sides changed the same property differently. */
export function mergeFront(sides: Sides): string | null {
  const one = oneSidedChange(sides);
  if (one !== null) return one;
  const { base, ours, theirs } = sides;
  const [basePlaces, mine, yours] = [base, ours, theirs].map(frontPlaces);
  if (mine == null || yours == null || (basePlaces == null && base !== '')) return null;
  if (mine.open !== yours.open || mine.close !== yours.close) return null;
  const split = (yaml: string) => (yaml === '' ? [] : propertiesOf(yaml));
  const properties = {
    base: split(basePlaces?.yaml ?? ''),
    ours: split(mine.yaml),
    theirs: split(yours.yaml),
  };
  const deeper = (sides: Sides) => mergeParts(sides, entriesOf, noMerge);
  const { pieces, conflicts } = mergeSequence(properties, deeper);
  if (conflicts.length > 0) return null;
  const front = `${mine.open}${pieces.map(({ text }) => `${text}\n`).join('')}${mine.close}`;
  const read = frontMatterOf(front);
  return read.raw === front && read.problem === null ? front : null;
}

/** Null if the text has no front matter, or none that can be parsed. */
function frontPlaces(front: string): { open: string; yaml: string; close: string } | null {
  const place = yamlOf(front);
  if (place === null || frontMatterOf(front).problem !== null) return null;
  const { start, end } = place;
  return { open: front.slice(0, start), yaml: front.slice(start, end), close: front.slice(end) };
}
