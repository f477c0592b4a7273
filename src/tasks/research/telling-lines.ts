/** The lines of a piece of evidence that say most about a question: short enough to quote, able to stand alone. */
import type { Evidence } from '../../core/index.ts';
import { parts, stem } from './terms.ts';

export interface TellingLine {
  /** 1-based, in the file. */
  readonly line: number;
  readonly text: string;
  readonly score: number;
}

/** How much a term tells: rare over the evidence counts more. */
export type Weights = ReadonlyMap<string, number>;

const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/[\p{L}\p{N}_$]+/gu)].flatMap(([token]) => parts(token).map(stem));

/** Inverse document frequency of each term over the pieces of evidence. */
export function weightsOver(terms: readonly string[], evidence: readonly Evidence[]): Weights {
  const held = evidence.map((item) => new Set(wordsOf(`${item.file_path} ${item.content}`)));
  return new Map(
    terms.map((term) => {
      const having = held.filter((words) => words.has(term)).length;
      return [term, Math.log(1 + (held.length + 1) / (having + 0.5))];
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

/** The line that opens a docstring or a comment block right under or above a definition. */
function opensDoc(line: string): boolean {
  return /^\s*(?:"""|'''|r"""|\/\*\*|\/\/\/|\/\/!|\* |# )\s*\S{2,}/.test(line);
}

function scoreOf(text: string, above: string, weights: Weights, names: ReadonlySet<string>): number {
  const trimmed = text.trim();
  if (trimmed.length < 4 || plumbing.test(text)) return 0;
  const words = new Set(wordsOf(text));
  let score = 0;
  for (const [term, weight] of weights) if (words.has(term)) score += weight;
  const named = [...text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)].some(([name]) => names.has(name));
  if (named) score += 2;
  if (score === 0) return 0;
  if (definition.test(text)) score *= named ? 2 : 1.5;
  else if (opensDoc(text) && definition.test(above)) score *= 1.4;
  else if (assignment.test(text) || heading.test(text)) score *= 1.15;
  // A long line matches more by length alone.
  return score / (1 + Math.max(0, trimmed.length - 80) / 160);
}

/** The best lines of a piece of evidence, at most `most`, in the order of the file. */
export function tellingLines(
  item: Evidence,
  weights: Weights,
  names: ReadonlySet<string>,
  most: number,
): readonly TellingLine[] {
  const lines = item.content.split('\n');
  const scored = lines.map((text, n) => ({
    line: item.start_line + n,
    text,
    score: scoreOf(text, lines[n - 1] ?? '', weights, names),
  }));
  const best = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.line - b.line);
  // Nothing matches where vectors found it: its first line that says anything.
  const chosen =
    best.length > 0 ? best : scored.filter(({ text }) => text.trim().length > 3 && !plumbing.test(text));
  return chosen.slice(0, most).sort((a, b) => a.line - b.line);
}

/** A line as a quotation: one line, white space folded, cut where it is long. */
export function asQuote(text: string): string {
  const folded = text.trim().replace(/\s+/g, ' ');
  return folded.length > quoteLimit ? folded.slice(0, quoteLimit).trimEnd() : folded;
}
