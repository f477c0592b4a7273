/** Quotes definitions that answer a question: the header and the best lines of the body. */
import { type Evidence, escapePath } from '../../../core/index.ts';
import { findRerankTurn, maxDefinitions, searchDefinitionsName } from '../actions/search-definitions.ts';
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
  /** Maximum tokens, as `count` counts them. */
  readonly tokens: number;
  readonly count: (text: string) => number;
  /** UTF-8 bytes that are tried first, and bytes that fit in any case. */
  readonly most: number;
  readonly least: number;
}

/** Minimum bytes by which the quotations shrink if they have too many tokens. */
const byteStep = 40;
/**
 * The probability that the definition at a rank (from 0) answers, relative to the first, if the action gives no scores.
 */
const fitByRank = (rank: number): number => (rank + 1) ** -1.6;

/**
 * Quotes the best definitions that a run found, best first, as much as fits; none if the run did not search for
 * definitions.
 */
export function definitionItems(
  { question, turns, evidence }: ResearchState,
  { tokens, count, most, least }: Room,
): Items {
  const turn = findRerankTurn(turns) ?? turns.find(({ action }) => action === searchDefinitionsName);
  const ids = turn?.evidence ?? [];
  const found = ids.flatMap((id, rank) => {
    const item = evidence.find((candidate) => candidate.id === id);
    return item === undefined ? [] : [{ item, fit: turn?.scores?.[rank] ?? fitByRank(rank) }];
  });
  const weights = weightsOver(
    termsOf(question),
    found.map(({ item }) => item),
  );
  const countByFile = new Map<string, number>();
  const chosen = found.filter(({ item: { file_path } }) => {
    const earlierCount = countByFile.get(file_path) ?? 0;
    countByFile.set(file_path, earlierCount + 1);
    return earlierCount < maxPerFile;
  });
  const definitions = chosen
    .slice(0, maxDefinitions)
    .map(({ item, fit }) => toDefinition(item, { question, fit, weights }));
  for (let bytes = most; ; ) {
    const items = composeItems(definitions, bytes);
    const text = items.items.join('\n');
    // A short text fits in any case, and counting loads the tokenizer's table.
    const tokenCount = Buffer.byteLength(text) <= least ? 0 : count(text);
    if (tokenCount <= tokens || bytes <= least) return items;
    bytes = Math.max(least, Math.min(bytes - byteStep, Math.floor((bytes * tokens) / tokenCount)));
  }
}

function composeItems(definitions: readonly Definition[], bytes: number): Items {
  const quoted = chooseLines(definitions, bytes);
  const shown = definitions.flatMap((definition, n) => {
    const lines = trimRuns(definition.lines, quoted[n]!);
    return lines.length === 0 ? [] : [{ ...definition, quoted: lines }];
  });
  return {
    items: shown.map(formatItem),
    paths: new Set(shown.map(({ evidence: { file_path } }) => file_path)),
  };
}

/**
 * Quotes one definition for a model: its header, and the best lines of the body up to a number of bytes. `all`: the
 * definitions over which word frequencies are counted.
 */
export function excerptOf(
  evidence: Evidence,
  question: string,
  all: readonly Evidence[],
  bytes: number,
): string {
  const weights = weightsOver(termsOf(question), all);
  const definition = toDefinition(evidence, { question, fit: 1, weights });
  const [quoted = []] = chooseLines([definition], bytes);
  return blockLines({ ...definition, quoted: quoted.length > 0 ? quoted : [definition.first] }).join('\n');
}

interface Definition extends Quotable {
  readonly evidence: Evidence;
  /** The lines of the header; empty if no header is known. */
  readonly header: readonly string[];
  readonly headerStart: number;
}

interface BlockQuery {
  readonly question: string;
  /** The relative probability that the definition answers. */
  readonly fit: number;
  readonly weights: Weights;
}

function toDefinition(evidence: Evidence, { question, fit, weights }: BlockQuery): Definition {
  const allLines = evidence.content.split('\n');
  const lines = allLines.slice(0, allLines.findLastIndex((line) => line.trim() !== '') + 1);
  const frontLength = frontMatterLength(evidence, lines);
  const fullHeader = findHeader(lines, evidence.symbol_id, frontLength);
  // A definition that consists only of a header is quoted as if it had none.
  const header = fullHeader !== null && fullHeader.end < lines.length - 1 ? fullHeader : null;
  const shownHeader = header === null ? [] : withoutIndent(headerLines(lines, header)).map(truncateLine);
  const frame = Buffer.byteLength(
    [formatPlaceLine(evidence, 0, lines.length), ...fenceLines([...shownHeader, omission])].join('\n'),
  );
  const first = header === null ? frontLength : header.end + 1;
  const worth = lineWorths(question, lines, fit, weights);
  const body = header === null ? lines.slice(frontLength) : headerLines(lines, header);
  return {
    evidence,
    header: shownHeader,
    headerStart: header?.start ?? 0,
    lines,
    indent: minIndent(body),
    worth,
    telling: isProse(evidence.file_path) ? tellingLine(question, lines, weights, { worth, first }) : -1,
    first,
    frame: frame + maxExtraFence,
  };
}

/** Removes lines at the ends of a run that mean nothing by themselves. A closing bracket after a kept line stays. */
function trimRuns(lines: readonly string[], quoted: readonly number[]): readonly number[] {
  const kept = new Set(quoted);
  const isCut = (n: number): boolean =>
    (!kept.has(n - 1) && isEmptyLine(lines[n]!)) || (!kept.has(n + 1) && lines[n]!.trim() === '');
  for (let previousSize = -1; previousSize !== kept.size; ) {
    previousSize = kept.size;
    for (const n of kept) if (isCut(n)) kept.delete(n);
  }
  return quoted.filter((n) => kept.has(n));
}

interface QuotedDefinition extends Definition {
  /** Indices of the lines to show; not empty. */
  readonly quoted: readonly number[];
}

/** An item of the list: the place with its citation, and the lines as a block of code. */
function formatItem(definition: QuotedDefinition): string {
  const { evidence, header, headerStart, quoted } = definition;
  const start = header.length > 0 ? headerStart : quoted[0]!;
  return [formatPlaceLine(evidence, start, quoted.at(-1)!), ...fenceLines(blockLines(definition))].join('\n');
}

/** The header and the quoted lines, with a mark where lines are omitted. */
function blockLines(definition: QuotedDefinition): readonly string[] {
  const { header, lines, quoted } = definition;
  // Under a header, the lines keep their indent relative to it.
  const indent = header.length > 0 ? definition.indent : minIndent(quoted.map((n) => lines[n]!));
  const body = quoted.flatMap((n, index) => {
    const followsGap = index > 0 && quoted[index - 1] !== n - 1;
    return [...(followsGap ? [omission] : []), truncateLine(outdent(lines[n]!, indent))];
  });
  return header.length === 0 ? body : [...header, ...(isWhole(definition) ? [] : [omission]), ...body];
}

/** Whether the quoted lines follow the whole header. */
const isWhole = ({ quoted, first, header, headerStart }: QuotedDefinition): boolean =>
  quoted[0] === first && header.length === first - headerStart;

function formatPlaceLine({ file_path, start_line, id }: Evidence, start: number, end: number): string {
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
const maxExtraFence = 4;
/** Cuts a long line and marks the cut, since an unmarked cut would not match the file's line. */
const truncateLine = (line: string): string =>
  line.length > maxLineLength ? `${line.slice(0, maxLineLength - 1)}${omission}` : line;

const minIndent = (lines: readonly string[]): number =>
  Math.min(...lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)![0].length));

function withoutIndent(lines: readonly string[]): readonly string[] {
  const min = minIndent(lines);
  return lines.map((line) => line.slice(min));
}

/** The first line from an index on that names the definition, with the following lines up to its closing bracket. */
function findHeader(lines: readonly string[], symbol: string | null, from: number): IndexSpan | null {
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
