/** The lines of definitions that answer a question: their header, and the best lines of the body. */
import { type Evidence, escapePath } from '../../../core/index.ts';
import { bestDefinitions, maxDefinitions, rerankedTurn } from '../actions/search-definitions.ts';
import type { ResearchState } from '../state.ts';
import {
  chooseLines,
  type IndexSpan,
  isComment,
  isEmptyLine,
  lineWorths,
  maxLineLength,
  outdent,
  type Quotable,
  tellingLine,
} from './choose-lines.ts';
import { isProse } from './extract.ts';
import { frontMatterLength, type Weights, weightsOver } from './telling-lines.ts';
import { termsOf } from './terms.ts';

/** Maximum number of lines of a header. Of a longer header only the first line is quoted. */
const maxHeaderLength = 3;

/** Items of a list, with the paths they quote. */
export interface Items {
  readonly items: readonly string[];
  readonly paths: ReadonlySet<string>;
}

const maxPerFile = 3;

export interface Room {
  /** The maximum, by the count. */
  readonly tokens: number;
  readonly count: (text: string) => number;
  /** UTF-8 bytes to begin with, and those that have room in any case. */
  readonly most: number;
  readonly least: number;
}

/** How much less is tried where the quotations have no room, in bytes. */
const step = 40;
/** How likely the definition at a place answers, relative to the first, where nothing but the order is known. */
const fitOf = (rank: number): number => (rank + 1) ** -1.6;

/**
 * The best definitions that a run found, best first, as much as has room; none if it did not search for definitions.
 */
export function definitionItems(
  { question, turns, evidence }: ResearchState,
  { tokens, count, most, least }: Room,
): Items {
  const turn = rerankedTurn(turns) ?? turns.find(({ action }) => action === bestDefinitions);
  const ids = turn?.evidence ?? [];
  const found = ids.flatMap((id, rank) => {
    const item = evidence.find((one) => one.id === id);
    return item === undefined ? [] : [{ item, fit: turn?.scores?.[rank] ?? fitOf(rank) }];
  });
  const weights = weightsOver(
    termsOf(question),
    found.map(({ item }) => item),
  );
  const ofFile = new Map<string, number>();
  const chosen = found.filter(({ item: { file_path } }) => {
    const nth = ofFile.get(file_path) ?? 0;
    ofFile.set(file_path, nth + 1);
    return nth < maxPerFile;
  });
  const definitions = chosen
    .slice(0, maxDefinitions)
    .map(({ item, fit }) => definitionOf(item, { question, fit, weights }));
  for (let bytes = most; ; ) {
    const items = itemsOf(definitions, bytes);
    const text = items.items.join('\n');
    // What is short has room in any case, and to count loads the tokenizer's table.
    const taken = Buffer.byteLength(text) <= least ? 0 : count(text);
    if (taken <= tokens || bytes <= least) return items;
    bytes = Math.max(least, Math.min(bytes - step, Math.floor((bytes * tokens) / taken)));
  }
}

function itemsOf(definitions: readonly Definition[], bytes: number): Items {
  const quoted = chooseLines(definitions, bytes);
  const shown = definitions.flatMap((one, n) => {
    const lines = trimRuns(one.lines, quoted[n]!);
    return lines.length === 0 ? [] : [{ ...one, quoted: lines }];
  });
  return {
    items: shown.map(itemOf),
    paths: new Set(shown.map(({ evidence: { file_path } }) => file_path)),
  };
}

/**
 * A definition for a model: its header, and the best lines of the body up to a number of bytes. `all`: the definitions
 * among which words are rare.
 */
export function excerptOf(
  evidence: Evidence,
  question: string,
  all: readonly Evidence[],
  bytes: number,
): string {
  const weights = weightsOver(termsOf(question), all);
  const one = definitionOf(evidence, { question, fit: 1, weights });
  const [quoted = []] = chooseLines([one], bytes);
  return linesOf({ ...one, quoted: quoted.length > 0 ? quoted : [one.first] }).join('\n');
}

interface Definition extends Quotable {
  readonly evidence: Evidence;
  /** The lines of the header; empty if no header is known. */
  readonly header: readonly string[];
  readonly headerStart: number;
}

interface BlockQuery {
  readonly question: string;
  /** How likely the definition answers, relative to the others. */
  readonly fit: number;
  readonly weights: Weights;
}

function definitionOf(evidence: Evidence, { question, fit, weights }: BlockQuery): Definition {
  const all = evidence.content.split('\n');
  const lines = all.slice(0, all.findLastIndex((line) => line.trim() !== '') + 1);
  const front = frontMatterLength(evidence, lines);
  const known = headerOf(lines, evidence.symbol_id, front);
  // A definition that consists of its header alone is quoted as if it had none.
  const header = known !== null && known.end < lines.length - 1 ? known : null;
  const shown = header === null ? [] : withoutIndent(headerLines(lines, header)).map(cut);
  const frame = Buffer.byteLength(
    [placeOf(evidence, 0, lines.length), ...fenceLines([...shown, omission])].join('\n'),
  );
  const first = header === null ? front : header.end + 1;
  const worth = lineWorths(question, lines, fit, weights);
  const body = header === null ? lines.slice(front) : headerLines(lines, header);
  return {
    evidence,
    header: shown,
    headerStart: header?.start ?? 0,
    lines,
    indent: minIndent(body),
    worth,
    telling: isProse(evidence.file_path) ? tellingLine(question, lines, weights, { worth, first }) : -1,
    first,
    frame: frame + longestFence,
  };
}

/** Removes lines at the ends of a run that say nothing alone. A closing bracket after a kept line stays. */
function trimRuns(lines: readonly string[], quoted: readonly number[]): readonly number[] {
  const kept = new Set(quoted);
  const isCut = (n: number): boolean =>
    (!kept.has(n - 1) && isEmptyLine(lines[n]!)) || (!kept.has(n + 1) && lines[n]!.trim() === '');
  for (let before = -1; before !== kept.size; ) {
    before = kept.size;
    for (const n of kept) if (isCut(n)) kept.delete(n);
  }
  return quoted.filter((n) => kept.has(n));
}

interface QuotedDefinition extends Definition {
  /** Indices of the lines to show; not empty. */
  readonly quoted: readonly number[];
}

/** An item of the list: the place with its citation, and the lines as a block of code. */
function itemOf(one: QuotedDefinition): string {
  const { evidence, header, headerStart, quoted } = one;
  const start = header.length > 0 ? headerStart : quoted[0]!;
  return [placeOf(evidence, start, quoted.at(-1)!), ...fenceLines(linesOf(one))].join('\n');
}

/** The header and the quoted lines, with a mark where lines are left out. */
function linesOf(one: QuotedDefinition): readonly string[] {
  const { header, lines, quoted } = one;
  // Under a header, the lines stand as far in as they do in the file.
  const indent = header.length > 0 ? one.indent : minIndent(quoted.map((n) => lines[n]!));
  const body = quoted.flatMap((n, at) => {
    const isApart = at > 0 && quoted[at - 1] !== n - 1;
    return [...(isApart ? [omission] : []), cut(outdent(lines[n]!, indent))];
  });
  return header.length === 0 ? body : [...header, ...(isWhole(one) ? [] : [omission]), ...body];
}

/** Whether the quoted lines follow the whole header. */
const isWhole = ({ quoted, first, header, headerStart }: QuotedDefinition): boolean =>
  quoted[0] === first && header.length === first - headerStart;

function placeOf({ file_path, start_line, id }: Evidence, start: number, end: number): string {
  const place = start === end ? `${start_line + start}` : `${start_line + start}-${start_line + end}`;
  return `- ${escapePath(file_path)}:${place} [${id}]:`;
}

function fenceLines(lines: readonly string[]): readonly string[] {
  const longest = Math.max(2, ...(lines.join('\n').match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return [fence, ...lines, fence].map((line) => `  ${line}`.trimEnd());
}

/** The mark of omitted lines. The checker of answers knows this mark. */
const omission = '…';
/** Bytes kept for a longer fence, which is needed if a quoted line contains a fence. */
const longestFence = 4;
/** A line that is cut says so: else the quotation would not be in the lines. */
const cut = (line: string): string =>
  line.length > maxLineLength ? `${line.slice(0, maxLineLength - 1)}${omission}` : line;

const minIndent = (lines: readonly string[]): number =>
  Math.min(...lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)![0].length));

function withoutIndent(lines: readonly string[]): readonly string[] {
  const min = minIndent(lines);
  return lines.map((line) => line.slice(min));
}

/** The first line from an index on that names the definition, with the following lines up to its closing bracket. */
function headerOf(lines: readonly string[], symbol: string | null, from: number): IndexSpan | null {
  if (symbol === null) return null;
  const name = new RegExp(`(?<![\\w$])${RegExp.escape(symbol)}(?![\\w$])`);
  const start = lines.findIndex((line, n) => n >= from && name.test(line) && !isComment(line));
  if (start < 0) return null;
  let depth = 0;
  for (let end = start; end < lines.length; end += 1) {
    for (const character of lines[end]!.replace(/"[^"]*"|'[^']*'/g, ''))
      depth += '(['.includes(character) ? 1 : ')]'.includes(character) ? -1 : 0;
    if (depth <= 0) return { start, end };
  }
  return { start, end: start };
}

const headerLines = (lines: readonly string[], { start, end }: IndexSpan) =>
  lines.slice(start, end - start < maxHeaderLength ? end + 1 : start + 1);
