/** Finds the lines of a piece of evidence that match a question best, and are short and clear enough to quote. */
import { cutLongLine, type Evidence } from '../../../core/index.ts';
import { parts, stem } from './terms.ts';

export interface TellingLine {
  /** 1-based, in the file. */
  readonly line: number;
  readonly text: string;
  readonly score: number;
}

/** Weight of each term: a term that is rare in the evidence weighs more. */
export type Weights = ReadonlyMap<string, number>;

/** The stemmed words of a text, to compare with the terms of a question. */
export const lineWords = (text: string): readonly string[] =>
  [...text.matchAll(/[\p{L}\p{N}_$]+/gu)].flatMap(([token]) => parts(token).map(stem));

/** Inverse document frequency of each term over the pieces of evidence. */
export function weightsOver(terms: readonly string[], evidence: readonly Evidence[]): Weights {
  const wordSets = evidence.map((item) => new Set(lineWords(`${item.file_path} ${item.content}`)));
  return new Map(
    terms.map((term) => {
      const fileCount = wordSets.filter((words) => words.has(term)).length;
      // A word in every piece hardly counts.
      return [term, Math.max(0.1, Math.log((wordSets.length + 1) / (fileCount + 0.5)))];
    }),
  );
}

const definition =
  /^\s*(?:(?:export|default|public|private|protected|static|abstract|async|final|pub(?:\([a-z]+\))?|unsafe|inline|const|override|virtual)\s+)*(?:def|class|function\*?|fn|func|struct|enum|trait|interface|type|impl|module|namespace|macro_rules!|sub|proc)\s+[\p{L}_$(]/u;
const assignment =
  /^\s*(?:(?:export|pub|static|final|const|let|var|val)\s+)*[\p{L}_$][\p{L}\p{N}_$.]*(?:\s*:[^=]+)?\s*=[^=]/u;
const heading = /^#{1,6}\s|^[=~-]{4,}$/;
const boilerplate =
  /^\s*(?:import\b|from\s+\S+\s+import\b|#include\b|use\s|package\s|require\b|\}|\{|\)|end\b|else\b|pass\b|return;?\s*$|"""\s*$|\*\/|\/\*\*?\s*$|#!|\/\/ *$)/;
const quoteLimit = 160;

/** Whether a line opens a docstring or a comment block. */
function opensDocumentation(line: string): boolean {
  return /^\s*(?:"""|'''|r"""|\/\*\*|\/\/\/|\/\/!|\* |# )\s*\S{2,}/.test(line);
}

function scoreLine(text: string, weights: Weights, names: ReadonlySet<string>): number {
  const trimmed = text.trim();
  if (trimmed.length < 4 || boilerplate.test(text)) return 0;
  const words = new Set(lineWords(text));
  let score = 0;
  for (const [term, weight] of weights) if (words.has(term)) score += weight;
  const lineNames = new Set([...text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)].map(([name]) => name));
  for (const name of names) if (lineNames.has(name)) score += nameWorth;
  // Long lines match more words just by their length.
  return score / (1 + Math.max(0, trimmed.length - 80) / 160);
}

/** Added to the score of a line for each name of the question in it. */
const nameWorth = 3;
/** The number of lines under a definition that count for it, and the share of their scores that counts. */
const bodyLines = 25;
const bodyShare = 0.4;

/** The additional score of a definition for its best body lines. */
function scoreBody(lines: readonly string[], scores: readonly number[], index: number): number {
  const indent = indentOf(lines[index] ?? '');
  const body: number[] = [];
  for (let n = index + 1; n < Math.min(lines.length, index + bodyLines); n += 1) {
    const line = lines[n] ?? '';
    if (line.trim() !== '' && indentOf(line) <= indent && /^\s*[\p{L}@#]/u.test(line)) break;
    body.push(scores[n] ?? 0);
  }
  const best = body.sort((a, b) => b - a).slice(0, 3);
  return bodyShare * best.reduce((sum, score) => sum + score, 0);
}

const indentOf = (line: string) => line.length - line.trimStart().length;

/** Number of lines of a Markdown file's front matter, which answers no question; 0 if there is none. */
export function frontMatterLength(
  { file_path, start_line }: Pick<Evidence, 'file_path' | 'start_line'>,
  lines: readonly string[],
): number {
  const isOpened = start_line === 1 && /\.mdx?$/i.test(file_path) && /^---\s*$/.test(lines[0] ?? '');
  if (!isOpened) return 0;
  const closingIndex = lines.findIndex((line, n) => n > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return closingIndex < 0 ? lines.length : closingIndex + 1;
}

/** The lines of a piece of evidence with a score above 0, in file order. */
export function tellingLines(
  item: Evidence,
  weights: Weights,
  names: ReadonlySet<string>,
): readonly TellingLine[] {
  const lines = item.content.split('\n');
  const frontLength = frontMatterLength(item, lines);
  const scores = lines.map((text, n) => (n < frontLength ? 0 : scoreLine(text, weights, names)));
  return lines.flatMap((text, n) => {
    const isDefinition = definition.test(text);
    let score = scores[n] ?? 0;
    if (isDefinition) score = score * 1.5 + scoreBody(lines, scores, n);
    else if (opensDocumentation(text) && definition.test(lines[n - 1] ?? '')) score *= 1.3;
    else if (assignment.test(text) || heading.test(text)) score *= 1.15;
    return score > 0 ? [{ line: item.start_line + n, text, score }] : [];
  });
}

/** The first line with content, for evidence without a word of the question; null if there is none. */
export function firstLine(item: Evidence): TellingLine | null {
  const lines = item.content.split('\n');
  const frontLength = frontMatterLength(item, lines);
  const n = lines.findIndex(
    (text, index) => index >= frontLength && text.trim().length > 3 && !boilerplate.test(text),
  );
  return n < 0 ? null : { line: item.start_line + n, text: lines[n] ?? '', score: 0 };
}

/**
 * Formats a line as a quotation: collapses white space, and keeps only the part of a long line that matches the
 * question.
 */
export function asQuote(text: string, question: string): string {
  return cutLongLine(text.trim().replace(/\s+/g, ' '), question, quoteLimit).trim();
}
