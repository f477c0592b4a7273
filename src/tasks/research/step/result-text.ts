/**
 * The result of an action as a model sees it. Text of the material is in marked blocks. A line that the model still
 * sees from before is not shown again.
 */
import { type Evidence, quoteMaterial } from '../../../core/index.ts';
import { estimateTokens } from '../../../model/index.ts';
import type { ActionDone } from '../actions/action.ts';
import { fitText, inFull, place } from '../dialogue/page.ts';

/** Maximum tokens of a listing, by an estimate that tends to be too high. */
const listingTokens = 1_500;
const maxNotes = 12;
/** Minimum number of lines to show of a piece that was requested by its location. */
const minLines = 20;
/** Minimum number of lines to show of any piece. If fewer lines fit, only the place of the piece is named. */
const fewLines = 4;

export interface Showing {
  /** Tokens that evidence in full may take. */
  readonly tokens: number;
  /** Ids of evidence that the model sees already. */
  readonly sees: ReadonlySet<string>;
  /** All evidence that the run holds. */
  readonly held: readonly Evidence[];
  /** The caller asked for exactly these lines: some are shown even if there is little room. */
  readonly asked: boolean;
}

export interface ResultText {
  readonly text: string;
  /** Ids of the evidence that is now shown in full. */
  readonly ids: readonly string[];
}

export function resultText(
  { summary, completeness, text, notes, evidence, memo, inText }: Omit<ActionDone, 'kind' | 'final'>,
  { tokens, sees, held, asked }: Showing,
): ResultText {
  const listed = new Set(inText);
  const seen = held.filter(({ id }) => sees.has(id));
  const full: string[] = [];
  const above: string[] = [];
  const ids: string[] = [];
  let left = tokens;
  for (const item of evidence.filter(({ id }) => !listed.has(id))) {
    const hidden = listSeenLines(item, seen);
    if (hidden.size > item.end_line - item.start_line) {
      above.push(`${item.id} ${place(item)}: shown above`);
      continue;
    }
    const { shown, cut } = fitPiece(item, hidden, left, asked ? minLines : 0);
    if (shown === null) {
      above.push(`${item.id} ${place(item)}: open_span shows it`);
      continue;
    }
    full.push(shown);
    left -= estimateTokens(shown);
    if (cut) continue;
    ids.push(item.id);
    seen.push(item);
  }
  const about = [text, ...notes.slice(0, maxNotes).map((note) => `note: ${note}`), ...above].filter(
    (part) => part !== '',
  );
  // No heading is needed if everything is shown in full.
  const isList = full.length === 0 && above.length === 0;
  const lines = [
    ...(isList ? [completeness === 'complete' ? `${summary} (complete)` : summary] : []),
    ...(memo === undefined ? [] : [quoteMaterial(memo, { source: 'memo of the analyst', trust: 'derived' })]),
    ...full,
    ...(about.length > 0 ? [quote(about.join('\n'))] : []),
  ];
  return { text: lines.join('\n'), ids };
}

/** The lines of a piece that the model sees already. */
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
 * The beginning of a piece, as much as fits. If the caller asked for this piece, at least `min` lines are shown, so
 * that it need not ask again.
 */
function fitPiece(
  item: Evidence,
  hidden: ReadonlySet<number>,
  tokens: number,
  min: number,
): { readonly shown: string | null; readonly cut: boolean } {
  const whole = inFull(item, { hidden });
  if (estimateTokens(whole) <= tokens) return { shown: whole, cut: false };
  const all = item.end_line - item.start_line + 1;
  const fits = Math.floor((all * tokens) / estimateTokens(whole));
  const lines = Math.max(min, fits);
  if (lines < fewLines && lines < all) return { shown: null, cut: true };
  return lines >= all ? { shown: whole, cut: false } : { shown: inFull(item, { hidden, lines }), cut: true };
}

function quote(text: string): string {
  return quoteMaterial(fitText(text, listingTokens), { source: 'listing', trust: 'untrusted' });
}
