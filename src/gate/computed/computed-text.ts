/**
 * Claims in a text that a cell composed: which figures the cell computed, and what the lines must still show. Pure.
 */
import type { ComputedAnswer, ComputedValue, TextSpan } from '../../core/index.ts';
import { type Figure, findFigures } from '../claim/figures.ts';
import { decide } from '../decide/decide.ts';
import type { Decision } from '../decide/decide-text.ts';
import type { Claim } from '../gate.ts';
import { splitAtJoints } from '../lines/clauses.ts';
import type { Source } from '../lines/source.ts';
import { collapseSpaces } from '../words/normal.ts';
import { isNegated } from '../words/turns.ts';
import { findUnbacked } from './derivation.ts';
import { decideValue } from './values.ts';

export interface ComputedFigures {
  /** Computed figures of the claim, in order: at least one. */
  readonly figures: readonly Figure[];
  /** How the first figure was computed, and from which lines. */
  readonly why: string;
  /** Words of the answer that are backed by its computation; absent if that was not checked. */
  readonly words?: readonly string[];
}

/** The computed figures of a claim; null if it has none, and is checked like any other. */
export function findComputedFigures(text: string, computed: ComputedAnswer): ComputedFigures | null {
  if (computed.again !== 'same') return null;
  const claimText = collapseSpaces(text);
  const texts = computed.values.filter(
    ({ stretch, flow }) =>
      stretch !== undefined &&
      (flow === 'material' || flow === 'lost') &&
      claimText.includes(collapseSpaces(stretch)),
  );
  const found = findFigures(text).flatMap((figure) => {
    const value = texts.find(({ stretch }) => containsFigure(stretch!, figure));
    return value === undefined ? [] : [{ figure, value }];
  });
  const [first] = found;
  if (first === undefined) return null;
  const { words } = computed;
  const why = decideValue(first.value, computed).why ?? '';
  return { figures: found.map(({ figure }) => figure), why, ...(words !== undefined && { words }) };
}

/** Whether the cell returned the figure itself, or a text with the figure in it. */
const containsFigure = (stretch: NonNullable<ComputedValue['stretch']>, figure: Figure): boolean =>
  findFigures(stretch).some(({ number }) => number === figure.number);

/**
 * Decides a claim with computed figures. The computed figures need no lines. A clause with another figure, or with a
 * denial, must be shown by the lines as in any claim. `source` is null if the claim has no lines.
 */
export function decideComputed(
  text: string,
  { figures, why, words }: ComputedFigures,
  source: Source | null,
): Pick<Claim, 'verdict' | 'why'> {
  const isComputed = ({ start }: Figure): boolean => figures.some((figure) => figure.start === start);
  const uncomputed = findFigures(text).filter((figure) => !isComputed(figure));
  const spans = splitClauses(text).filter(
    ({ start, end }) =>
      uncomputed.some((figure) => figure.start >= start && figure.start < end) ||
      isNegated(text.slice(start, end)),
  );
  const unbacked = words === undefined ? null : findUnbackedStatement(text, figures, words, spans, source);
  if (spans.length === 0) return unbacked ?? { verdict: 'computed', why };
  const decisions = spans.map(({ start, end }): Decision => {
    const clause = maskFigures(text.slice(start, end), figures, start);
    return source === null
      ? { verdict: 'unclear', why: `There is no source to check "${clause}" against.` }
      : decide(clause, source);
  });
  const worst = decisions.reduce((a, b) => (rankVerdict(b) < rankVerdict(a) ? b : a));
  if (worst.verdict === 'shown' && unbacked !== null) return unbacked;
  if (worst.verdict === 'shown') return { verdict: 'computed', why: `${why} The lines show the rest.` };
  return { verdict: worst.verdict, why: `${worst.why ?? ''} Computed: ${listTexts(figures)}.`.trim() };
}

/**
 * Statements of clauses without an open figure that neither the cell nor the cited lines contain. Null if there is
 * none.
 */
function findUnbackedStatement(
  text: string,
  figures: readonly Figure[],
  words: readonly string[],
  spans: readonly TextSpan[],
  source: Source | null,
): Pick<Claim, 'verdict' | 'why'> | null {
  for (const span of splitClauses(text)) {
    if (spans.some(({ start }) => start === span.start)) continue;
    const lacking = findUnbacked(text, span, figures, words);
    if (lacking.length === 0) continue;
    const clause = maskFigures(text.slice(span.start, span.end), figures, span.start);
    if (source !== null && decide(clause, source).verdict === 'shown') continue;
    const listed = lacking
      .slice(0, 4)
      .map((word) => `"${word}"`)
      .join(', ');
    return {
      verdict: 'unclear',
      why: `Computed: ${listTexts(figures)}; neither the cell nor the lines it read mention ${listed}.`,
    };
  }
  return null;
}

/** The clauses of a text. A clause with a figure and no words is joined to the one before: `from page 2 (20 kg)`. */
function splitClauses(text: string): readonly TextSpan[] {
  const found: TextSpan[] = [];
  for (const span of splitAtJoints(text)) {
    const before = found.at(-1);
    const isBare = !/\p{L}{3,}/u.test(text.slice(span.start, span.end));
    if (before === undefined || !isBare) found.push(span);
    else found[found.length - 1] = { start: before.start, end: span.end };
  }
  return found;
}

const rankVerdict = ({ verdict }: Decision): number =>
  (['contradicted', 'not shown', 'unclear', 'shown'] as const).indexOf(verdict);

/** The clause with its computed figures masked: the lines must show the rest. */
function maskFigures(clause: string, figures: readonly Figure[], from: number): string {
  let result = clause;
  for (const { start, end } of figures.toReversed())
    if (start >= from && end <= from + clause.length)
      result = `${result.slice(0, start - from)}those${result.slice(end - from)}`;
  return result;
}

export const listTexts = (figures: readonly Pick<Figure, 'text'>[]): string =>
  [...new Set(figures.map(({ text }) => text))].join(', ');
