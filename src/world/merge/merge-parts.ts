/** Merges two changes of one block by its parts: rows of a table, nested items, lines of code, properties. */
import { diff3Merge } from 'node-diff3';
import { findYaml, parseFrontMatter, parseItemMark } from '../markdown/index.ts';
import type { Sides } from './merge.ts';
import { haveSameTexts, joinTexts, type MergeBlock } from './pieces.ts';
import { findOneSidedChange, mergeSequence } from './sequence.ts';

/** The merged block; null if both sides changed the same part, or if the block can't be split. */
export function mergeWithin(sides: Sides, kind: MergeBlock['kind']): string | null {
  if (kind === 'table') return mergeParts(sides, splitRows, mergeRows);
  if (kind === 'list') return mergeParts(sides, splitItems, refuseMerge);
  if (kind === 'code' || isDefinitions(sides)) return mergeLines(sides);
  return null;
}

const refuseMerge = (): null => null;

/** Whether the text consists of link definitions, which are merged by line. */
function isDefinitions({ base, ours, theirs }: Sides): boolean {
  return [base, ours, theirs].every((text) =>
    text.split('\n').every((line) => /^ {0,3}\[[^\]]+\]:\s*\S/.test(line)),
  );
}

/** Merges by line: changes with an unchanged line between them are both kept. */
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
  // A changed table head may change the meaning of every row.
  if (
    findTableHead(parts.base) !== null &&
    findOneSidedChange({
      base: findTableHead(parts.base)!,
      ours: findTableHead(parts.ours) ?? '',
      theirs: findTableHead(parts.theirs) ?? '',
    }) !== findTableHead(parts.base)
  )
    return null;
  const { pieces, conflicts } = mergeSequence(parts, deeper);
  if (conflicts.length > 0) return null;
  const text = joinTexts(
    pieces.map((piece) => ({ ...piece, tail: piece.tail === '' ? '\n' : piece.tail })),
  ).replace(/\n+$/, '');
  return haveSameTexts(split(text), pieces) ? text : null;
}

const findTableHead = ([head]: readonly MergeBlock[]): string | null =>
  head?.kind === 'table' ? head.text : null;

/** A row that both sides changed is a conflict, even if different cells changed. */
const mergeRows = refuseMerge;

const splitLines = (text: string): readonly string[] => text.split('\n');

/** The head with its delimiter row, then each row. */
const splitRows: Split = (text) => {
  const [head = '', ruler = '', ...rows] = splitLines(text);
  return [
    { kind: 'table', text: `${head}\n${ruler}`, tail: '\n' },
    ...rows.map((row): MergeBlock => ({ kind: 'paragraph', text: row, tail: '\n' })),
  ];
};

/** List items of any depth, each with its continuation lines. */
const splitItems: Split = (text) =>
  splitAt(text, (line, inFence) => !inFence && parseItemMark(line.trimStart()) !== null, 'list');

function splitAt(
  text: string,
  begins: (line: string, inFence: boolean) => boolean,
  kind: MergeBlock['kind'],
): readonly MergeBlock[] {
  const pieces: { kind: MergeBlock['kind']; text: string; tail: string }[] = [];
  let fence = false;
  for (const line of splitLines(text)) {
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
const splitProperties: Split = (yaml) =>
  splitAt(yaml.replace(/\n$/, ''), (line) => /^[^\s#\-\]}]/.test(line), 'property');
const splitEntries: Split = (property) => splitAt(property, (line) => /^\s*- /.test(line), 'list');

/** Merges front matter, fences included; null if both sides changed the same property differently. */
export function mergeFront(sides: Sides): string | null {
  const one = findOneSidedChange(sides);
  if (one !== null) return one;
  const { base, ours, theirs } = sides;
  const [basePlaces, mine, yours] = [base, ours, theirs].map(splitFront);
  if (mine == null || yours == null || (basePlaces == null && base !== '')) return null;
  if (mine.open !== yours.open || mine.close !== yours.close) return null;
  const split = (yaml: string) => (yaml === '' ? [] : splitProperties(yaml));
  const properties = {
    base: split(basePlaces?.yaml ?? ''),
    ours: split(mine.yaml),
    theirs: split(yours.yaml),
  };
  const deeper = (sides: Sides) => mergeParts(sides, splitEntries, refuseMerge);
  const { pieces, conflicts } = mergeSequence(properties, deeper);
  if (conflicts.length > 0) return null;
  const front = `${mine.open}${pieces.map(({ text }) => `${text}\n`).join('')}${mine.close}`;
  const read = parseFrontMatter(front);
  return read.raw === front && read.problem === null ? front : null;
}

/** Null if the text has no front matter, or none that can be parsed. */
function splitFront(front: string): { open: string; yaml: string; close: string } | null {
  const place = findYaml(front);
  if (place === null || parseFrontMatter(front).problem !== null) return null;
  const { start, end } = place;
  return { open: front.slice(0, start), yaml: front.slice(start, end), close: front.slice(end) };
}
