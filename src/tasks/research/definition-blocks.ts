/** Of definitions that answer a question, the lines that say it: their header, and the best lines of the body. */
import { type Evidence, escapePath } from '../../core/index.ts';
import { bestDefinitions } from './actions/search-definitions.ts';
import type { ResearchState } from './state.ts';
import { lineWords, type Weights, weightsOver } from './telling-lines.ts';
import { termsOf } from './terms.ts';

/** Lines of one piece of evidence, as they are quoted. */
interface Block {
  readonly evidence: Evidence;
  /** The lines of the definition's header; empty where the block begins with it, or is in none that is known. */
  readonly header: readonly string[];
  /** Lines of the file, 1-based and inclusive. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** A header of more lines is quoted by its first. */
const maxHeaderLength = 3;
/** A word that comes again says less each time. */
const saturation = 1.2;
/** What a line is worth, by the question's most telling words in it. */
const worth = { decides: 0.12, other: 0.05, comment: 0.02 } as const;

const empty =
  /^\s*(?:import\b|from\s+\S+\s+import\b|#include\b|use\s|package\s|[\])};,]*$|end\b|(?:\}\s*)?else:?\s*\{?$|pass\b|"""\s*$|\*\/|\/\*\*?\s*$|@\w+|#!)/;
const comment = /^\s*(?:\/\/|#|\*|\/\*|"""|'''|--)/;
const decides =
  /^\s*(?:\}?\s*(?:else\s+)?if\b|elif\b|unless\b|return\b|raise\b|throw\b|case\b|when\b|match\b|switch\b|while\b|for\b)|=>/;

/** Items of a list, with the paths they quote. */
export interface Items {
  readonly items: readonly string[];
  readonly paths: ReadonlySet<string>;
}

/** Lines of the best, of the next one, and so on. */
const shares = [24, 16, 12, 8, 8, 8] as const;
const minShare = 6;
const maxPerFile = 3;

/**
 * The best definitions of a research that looked for them, best first, within so many bytes; none where it
 * did not.
 */
export function definitionItems({ question, turns, evidence }: ResearchState, bytes: number): Items {
  const ids = turns.find(({ action }) => action === bestDefinitions)?.evidence ?? [];
  const found = ids.flatMap((id) => evidence.find((item) => item.id === id) ?? []);
  const weights = weightsOver(termsOf(question), found);
  const ofFile = new Map<string, number>();
  const chosen = found.filter(({ file_path }) => {
    const nth = ofFile.get(file_path) ?? 0;
    ofFile.set(file_path, nth + 1);
    return nth < maxPerFile;
  });
  const items: string[] = [];
  const paths = new Set<string>();
  let left = bytes;
  for (const [nth, item] of chosen.slice(0, shares.length).entries()) {
    // What does not fit with its share may fit with a small one.
    const fitting = [shares[nth]!, minShare]
      .map((share) => blockItem(blockOf(item, weights, share)))
      .find((text) => Buffer.byteLength(text) < left);
    if (fitting === undefined) continue;
    left -= Buffer.byteLength(fitting) + 1;
    items.push(fitting);
    paths.add(item.file_path);
  }
  return { items, paths };
}

/** An item of a list: the place with its citation, and the lines as a block of code that it carries. */
function blockItem({ evidence, header, start, end, lines }: Block): string {
  const body = withoutIndent(lines);
  const shown = header.length === 0 ? body : [...withoutIndent(header), omission, ...body];
  const longest = Math.max(2, ...(shown.join('\n').match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const place = start === end ? `${start}` : `${start}-${end}`;
  return [
    `- ${escapePath(evidence.file_path)}:${place} [${evidence.id}]:`,
    ...[fence, ...shown.map((line) => line.slice(0, maxLineLength)), fence].map((line) =>
      `  ${line}`.trimEnd(),
    ),
  ].join('\n');
}

/** The checker of answers reads it as lines left out. */
const omission = '…';
/** Characters. */
const maxLineLength = 200;

function withoutIndent(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)![0].length);
  const least = Math.min(...indents);
  return lines.map((line) => line.slice(least));
}

/** The block of a piece of evidence, with at most so many lines beside its header. */
function blockOf(evidence: Evidence, weights: Weights, maxLines: number): Block {
  const lines = evidence.content.split('\n');
  const header = headerOf(lines, evidence.symbol_id);
  const first = header === null ? 0 : Math.min(header.end + 1, lines.length - 1);
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const whole = last - first + 1 <= maxLines;
  const from = whole ? first : bestWindow(lines.slice(first, last + 1), weights, maxLines) + first;
  const to = whole ? last : from + maxLines - 1;
  const [start, end] = trimLines(lines, from, to);
  const own = header === null || header.start >= start ? [] : headerLines(lines, header);
  return {
    evidence,
    header: own,
    start: evidence.start_line + start,
    end: evidence.start_line + end,
    lines: lines.slice(start, end + 1),
  };
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

/** Where the line that names the definition stands, with the lines that its brackets reach to. */
function headerOf(lines: readonly string[], symbol: string | null): Lines | null {
  if (symbol === null) return null;
  const name = new RegExp(`(?<![\\w$])${symbol.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\w$])`);
  const start = lines.findIndex((line) => name.test(line) && !comment.test(line));
  if (start < 0) return null;
  let depth = 0;
  for (let end = start; end < lines.length; end += 1) {
    for (const character of lines[end]!.replace(/"[^"]*"|'[^']*'/g, ''))
      depth += '(['.includes(character) ? 1 : ')]'.includes(character) ? -1 : 0;
    if (depth <= 0) return { start, end };
  }
  return { start, end: start };
}

const headerLines = (lines: readonly string[], { start, end }: Lines) =>
  lines.slice(start, end - start < maxHeaderLength ? end + 1 : start + 1);

/** Where the `count` lines begin that say most. */
function bestWindow(lines: readonly string[], weights: Weights, count: number): number {
  const words = lines.map((line) => lineWords(line).filter((word) => weights.has(word)));
  const most = Math.max(...weights.values(), 0.1);
  const own = lines.map((line) => ownWorth(line) * most);
  let best = 0;
  let bestScore = -1;
  for (let from = 0; from + count <= lines.length; from += 1) {
    const frequencies = new Map<string, number>();
    let score = 0;
    for (let n = from; n < from + count; n += 1) {
      score += own[n]!;
      for (const word of new Set(words[n])) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
    }
    for (const [word, frequency] of frequencies)
      score += ((weights.get(word) ?? 0) * frequency * (saturation + 1)) / (frequency + saturation);
    if (score > bestScore + 1e-9) {
      best = from;
      bestScore = score;
    }
  }
  return best;
}

function ownWorth(line: string): number {
  if (line.trim() === '' || empty.test(line)) return 0;
  if (comment.test(line)) return worth.comment;
  return decides.test(line) ? worth.decides : worth.other;
}

/** Without lines at either end that say nothing alone; a closing bracket after a kept line stays. */
function trimLines(
  lines: readonly string[],
  from: number,
  to: number,
): readonly [start: number, end: number] {
  let [start, end] = [from, to];
  while (start < end && empty.test(lines[start]!)) start += 1;
  while (end > start && lines[end]!.trim() === '') end -= 1;
  return [start, end];
}
