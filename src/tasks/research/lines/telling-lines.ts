/**
 * The lines of a piece of evidence that say most about a question: short enough to quote, and clear by
 * themselves.
 */
import { type Evidence, partOfLine } from '../../../core/index.ts';
import { parts, stem } from './terms.ts';

export interface TellingLine {
  /** 1-based, in the file. */
  readonly line: number;
  readonly text: string;
  readonly score: number;
}

/** How much each term tells: a term that is rare in the evidence counts more. */
export type Weights = ReadonlyMap<string, number>;

/** The words of a text in the form in which the words of a question are compared. */
export const lineWords = (text: string): readonly string[] =>
  [...text.matchAll(/[\p{L}\p{N}_$]+/gu)].flatMap(([token]) => parts(token).map(stem));

/** Inverse document frequency of each term over the pieces of evidence. */
export function weightsOver(terms: readonly string[], evidence: readonly Evidence[]): Weights {
  const held = evidence.map((item) => new Set(lineWords(`${item.file_path} ${item.content}`)));
  return new Map(
    terms.map((term) => {
      const having = held.filter((words) => words.has(term)).length;
      // A word that is everywhere says nothing.
      return [term, Math.max(0.1, Math.log((held.length + 1) / (having + 0.5)))];
    }),
  );
}

const definition =
  /^\s*(?:(?:export|default|public|private|protected|static|abstract|async|final|pub(?:\([a-z]+\))?|unsafe|inline|const|override|virtual)\s+)*(?:def|class|function\*?|fn|func|struct|enum|trait|interface|type|impl|module|namespace|macro_rules!|sub|proc)\s+[\p{L}_$(]/u;
const assignment =
  /^\s*(?:(?:export|pub|static|final|const|let|var|val)\s+)*[\p{L}_$][\p{L}\p{N}_$.]*(?:\s*:[^=]+)?\s*=[^=]/u;
const heading = /^#{1,6}\s|^[=~-]{4,}$/;
const plumbing =
  /^\s*(?:import\b|from\s+\S+\s+import\b|#include\b|use\s|package\s|require\b|\}|\{|\)|end\b|else\b|pass\b|return;?\s*$|"""\s*$|\*\/|\/\*\*?\s*$|#!|\/\/ *$)/;
const quoteLimit = 160;

/** Whether a line opens a docstring or a comment block. It counts right under a definition. */
function opensDoc(line: string): boolean {
  return /^\s*(?:"""|'''|r"""|\/\*\*|\/\/\/|\/\/!|\* |# )\s*\S{2,}/.test(line);
}

function scoreOf(text: string, weights: Weights, names: ReadonlySet<string>): number {
  const trimmed = text.trim();
  if (trimmed.length < 4 || plumbing.test(text)) return 0;
  const words = new Set(lineWords(text));
  let score = 0;
  for (const [term, weight] of weights) if (words.has(term)) score += weight;
  const named = new Set([...text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)].map(([name]) => name));
  for (const name of names) if (named.has(name)) score += nameWorth;
  // A long line matches more by length alone.
  return score / (1 + Math.max(0, trimmed.length - 80) / 160);
}

/** Added to the score of a line for each name of the question in it. */
const nameWorth = 3;
/** The number of lines under a definition that count for it, and the share of their scores that counts. */
const bodyLines = 25;
const bodyShare = 0.4;

/** The additional score of a definition for its best body lines. */
function bodyWorth(lines: readonly string[], scores: readonly number[], at: number): number {
  const indent = indentOf(lines[at] ?? '');
  const body: number[] = [];
  for (let n = at + 1; n < Math.min(lines.length, at + bodyLines); n += 1) {
    const line = lines[n] ?? '';
    if (line.trim() !== '' && indentOf(line) <= indent && /^\s*[\p{L}@#]/u.test(line)) break;
    body.push(scores[n] ?? 0);
  }
  const best = body.sort((a, b) => b - a).slice(0, 3);
  return bodyShare * best.reduce((sum, score) => sum + score, 0);
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** The number of lines of the properties that a note begins with: they say what it is, and answer nothing. */
export function frontMatterLength(
  { file_path, start_line }: Pick<Evidence, 'file_path' | 'start_line'>,
  lines: readonly string[],
): number {
  const isOpened = start_line === 1 && /\.mdx?$/i.test(file_path) && /^---\s*$/.test(lines[0] ?? '');
  if (!isOpened) return 0;
  const closed = lines.findIndex((line, n) => n > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return closed < 0 ? lines.length : closed + 1;
}

/** Each line of a piece of evidence that has any content, with its score, in the order of the file. */
export function tellingLines(
  item: Evidence,
  weights: Weights,
  names: ReadonlySet<string>,
): readonly TellingLine[] {
  const lines = item.content.split('\n');
  const front = frontMatterLength(item, lines);
  const own = lines.map((text, n) => (n < front ? 0 : scoreOf(text, weights, names)));
  return lines.flatMap((text, n) => {
    const isDefinition = definition.test(text);
    let score = own[n] ?? 0;
    if (isDefinition) score = score * 1.5 + bodyWorth(lines, own, n);
    else if (opensDoc(text) && definition.test(lines[n - 1] ?? '')) score *= 1.3;
    else if (assignment.test(text) || heading.test(text)) score *= 1.15;
    return score > 0 ? [{ line: item.start_line + n, text, score }] : [];
  });
}

/** The first line with any content, for evidence without a word of the question. */
export function firstLine(item: Evidence): TellingLine | null {
  const lines = item.content.split('\n');
  const front = frontMatterLength(item, lines);
  const n = lines.findIndex((text, at) => at >= front && text.trim().length > 3 && !plumbing.test(text));
  return n < 0 ? null : { line: item.start_line + n, text: lines[n] ?? '', score: 0 };
}

/** A line as a quotation: white space is collapsed, and of a long line only the part about the question is kept. */
export function asQuote(text: string, asked: string): string {
  return partOfLine(text.trim().replace(/\s+/g, ' '), asked, quoteLimit).trim();
}
