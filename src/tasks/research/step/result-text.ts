/**
 * Formats the result of an action for a model. Text of the material is in marked blocks. A line that the model still
 * sees is not shown again.
 */
import { type Evidence, quoteMaterial } from '../../../core/index.ts';
import { estimateTokens } from '../../../model/index.ts';
import type { ActionDone } from '../actions/action.ts';
import { fitText, formatPlace, showPiece } from '../dialogue/page.ts';

/** Maximum tokens of a listing, by an estimate that tends to be too high. */
const maxListingTokens = 1_500;
const maxNotes = 12;
/** Minimum number of lines to show of a piece of evidence that was requested by its location. */
const minRequestedLines = 20;
/** Minimum number of lines to show of any other piece. If fewer lines fit, only the place of the piece is named. */
const minShownLines = 4;

export interface ResultView {
  /** Maximum tokens of evidence shown in full. */
  readonly tokens: number;
  /** Ids of evidence that the model sees already. */
  readonly seenIds: ReadonlySet<string>;
  /** All evidence that the run holds. */
  readonly runEvidence: readonly Evidence[];
  /** True if the model asked for exactly these lines: some are shown even if few tokens remain. */
  readonly isRequested: boolean;
}

export interface ResultText {
  readonly text: string;
  /** Ids of the evidence that is now shown in full. */
  readonly ids: readonly string[];
}

export function resultText(
  { summary, completeness, text, notes, evidence, memo, inText }: Omit<ActionDone, 'kind' | 'final'>,
  { tokens, seenIds, runEvidence, isRequested }: ResultView,
): ResultText {
  const listed = new Set(inText);
  const seen = runEvidence.filter(({ id }) => seenIds.has(id));
  const shownTexts: string[] = [];
  const placeLines: string[] = [];
  const ids: string[] = [];
  let remainingTokens = tokens;
  for (const item of evidence.filter(({ id }) => !listed.has(id))) {
    const hidden = listSeenLines(item, seen);
    if (hidden.size > item.end_line - item.start_line) {
      placeLines.push(`${item.id} ${formatPlace(item)}: shown above`);
      continue;
    }
    const { shown, cut } = fitPiece(item, hidden, remainingTokens, isRequested ? minRequestedLines : 0);
    if (shown === null) {
      placeLines.push(`${item.id} ${formatPlace(item)}: open_span shows it`);
      continue;
    }
    shownTexts.push(shown);
    remainingTokens -= estimateTokens(shown);
    if (cut) continue;
    ids.push(item.id);
    seen.push(item);
  }
  const listing = [text, ...notes.slice(0, maxNotes).map((note) => `note: ${note}`), ...placeLines].filter(
    (part) => part !== '',
  );
  // The summary is needed only if neither evidence nor a place is shown.
  const needsHeading = shownTexts.length === 0 && placeLines.length === 0;
  const lines = [
    ...(needsHeading ? [completeness === 'complete' ? `${summary} (complete)` : summary] : []),
    ...(memo === undefined ? [] : [quoteMaterial(memo, { source: 'memo of the analyst', trust: 'derived' })]),
    ...shownTexts,
    ...(listing.length > 0 ? [quoteListing(listing.join('\n'))] : []),
  ];
  return { text: lines.join('\n'), ids };
}

/** The lines of a piece of evidence that the model sees already. */
function listSeenLines(item: Evidence, evidence: readonly Evidence[]): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const { id, file_path, commit, start_line, end_line } of evidence) {
    if (file_path !== item.file_path || commit !== item.commit) continue;
    // Several pieces of one long line can show different parts of it.
    if (start_line === end_line && id !== item.id) continue;
    const end = Math.min(end_line, item.end_line);
    for (let line = Math.max(start_line, item.start_line); line <= end; line += 1) lines.add(line);
  }
  return lines;
}

/**
 * The beginning of a piece of evidence, as much as fits into `tokens`, but at least `min` lines. `shown` is null if too
 * few lines would fit.
 */
function fitPiece(
  item: Evidence,
  hidden: ReadonlySet<number>,
  tokens: number,
  min: number,
): { readonly shown: string | null; readonly cut: boolean } {
  const wholeText = showPiece(item, { hidden });
  if (estimateTokens(wholeText) <= tokens) return { shown: wholeText, cut: false };
  const lineCount = item.end_line - item.start_line + 1;
  const fittingLines = Math.floor((lineCount * tokens) / estimateTokens(wholeText));
  const shownLines = Math.max(min, fittingLines);
  if (shownLines < minShownLines && shownLines < lineCount) return { shown: null, cut: true };
  return shownLines >= lineCount
    ? { shown: wholeText, cut: false }
    : { shown: showPiece(item, { hidden, lines: shownLines }), cut: true };
}

function quoteListing(text: string): string {
  return quoteMaterial(fitText(text, maxListingTokens), { source: 'listing', trust: 'untrusted' });
}
