/**
 * Formats evidence, question and budget for a model, each with a maximum size. All text of the material is in marked
 * blocks; the rest was written by this program, by the user, or by the model itself.
 */
import { type AllAmounts, type Evidence, escapePath, quoteMaterial } from '../../../core/index.ts';
import { estimateTokens } from '../../../model/tokens/tokens.ts';
import type { Limits } from '../limits.ts';
import type { ResearchState } from '../state.ts';

/** Maximum tokens of evidence in full, and of the list of other evidence, by an estimate that tends to be too high. */
const maxFullTokens = 6_000;
const maxListTokens = 1_500;

/** The beginning of a text that fits into a number of tokens, cut at a line end. */
export function fitText(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const lines = text.split('\n');
  let head = '';
  for (const line of lines) {
    if (estimateTokens(`${head}${line}`) > tokens - 12) break;
    head += `${line}\n`;
  }
  return `${head === '' ? text.slice(0, tokens * 2) : head}[cut here: ${text.length} characters in all]`;
}

export const formatPlace = (item: Evidence) =>
  `${escapePath(item.file_path)}:${item.start_line}-${item.end_line}`;

const maxLineLength = 400;

interface PieceView {
  /** Numbers of lines that are shown above, and so are left out here. */
  readonly hidden?: ReadonlySet<number>;
  /** Maximum number of lines to show, from the first one on. Default: all. */
  readonly lines?: number;
}

/** The lines of a piece of evidence, with their numbers, in a marked block. */
export function showPiece(
  item: Evidence,
  { hidden = new Set(), lines: maxLines = Infinity }: PieceView = {},
): string {
  const shown: string[] = [];
  const lines = item.content.split('\n');
  let hiddenCount = 0;
  for (const [n, line] of lines.slice(0, maxLines).entries()) {
    const number = item.start_line + n;
    if (hidden.has(number)) {
      if (hiddenCount === 0) shown.push('');
      hiddenCount += 1;
      shown[shown.length - 1] = `… ${number - hiddenCount + 1}-${number} shown above`;
      continue;
    }
    hiddenCount = 0;
    shown.push(`${number}| ${line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line}`);
  }
  if (lines.length > maxLines)
    shown.push(`… ${item.start_line + maxLines}-${item.end_line} do not fit here: open them by themselves`);
  return quoteMaterial(shown.join('\n'), { source: `${item.id} ${formatPlace(item)}`, trust: 'untrusted' });
}

/** Evidence of the newest step first; within a step by relevance, which is the order of the action's result. */
function sortByRecency({ evidence, turns }: ResearchState): readonly Evidence[] {
  const order = new Map<string, number>();
  for (const [n, turn] of turns.entries())
    for (const [rank, id] of turn.evidence.entries()) order.set(id, (turns.length - n) * 1_000 + rank);
  return [...evidence].sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
}

/**
 * Whether a piece lies within a longer one. It is not shown beside the longer one: it adds nothing, and the model might
 * cite it though only the longer piece contains the deciding line.
 */
export function isWithin(item: Evidence, other: Evidence): boolean {
  return (
    item.file_path === other.file_path &&
    item.commit === other.commit &&
    other.start_line <= item.start_line &&
    other.end_line >= item.end_line &&
    other.end_line - other.start_line > item.end_line - item.start_line
  );
}

/** The run's evidence: as much as fits in full, the rest as a list of ids. */
export function evidencePage(state: ResearchState, tokens = maxFullTokens): string {
  if (state.evidence.length === 0) return 'None yet.';
  const shownTexts: string[] = [];
  const stubs: string[] = [];
  let remainingTokens = tokens;
  for (const item of sortByRecency(state)) {
    const stub = `${item.id} ${formatPlace(item)}`;
    const container = state.evidence.find((other) => isWithin(item, other));
    const shown = container === undefined ? showPiece(item) : '';
    const cost = estimateTokens(shown);
    if (container !== undefined) stubs.push(`${stub}, part of ${container.id}`);
    else if (cost <= remainingTokens) {
      shownTexts.push(shown);
      remainingTokens -= cost;
    } else stubs.push(stub);
  }
  if (stubs.length === 0) return shownTexts.join('\n');
  const list = quoteMaterial(fitText(stubs.join('\n'), Math.min(maxListTokens, Math.max(200, tokens))), {
    source: 'evidence held, listed without its text; open_span shows it again',
    trust: 'untrusted',
  });
  return [...shownTexts, list].join('\n');
}

const formatAmount = (amount: number) => Math.max(0, Math.floor(amount)).toLocaleString('en-US');

/** The remaining budget, for the model. The current step is included. */
export function budgetPage(step: number, limits: Limits, left: AllAmounts): string {
  const steps = limits.steps - step + 1;
  const parts = [`step ${step} of ${limits.steps}: ${steps} left, the last of them for the answer`];
  if (Number.isFinite(left.tokens)) parts.push(`${formatAmount(left.tokens)} tokens`);
  if (Number.isFinite(left.usd)) parts.push(`$${left.usd.toFixed(3)}`);
  if (Number.isFinite(left.wall_ms)) parts.push(`${formatAmount(left.wall_ms / 1000)} s`);
  return parts.join('; ');
}

/** Characters of a long question that models see: from its beginning and from its end. */
const shownStartLength = 5_000;
const shownEndLength = 2_500;

export function questionPage({ question }: Pick<ResearchState, 'question'>): string {
  if (question.length <= shownStartLength + shownEndLength) return question;
  const omittedLength = question.length - shownStartLength - shownEndLength;
  const start = question.slice(0, shownStartLength).toWellFormed();
  return `${start}\n… (${omittedLength} characters left out) …\n${question.slice(-shownEndLength).toWellFormed()}`;
}
