/**
 * The prompt that a model sees of a research run. Its size is bounded. All text of the material is in marked blocks;
 * the rest was written by this program, by the user, or by the model itself.
 */
import { type AllAmounts, type Evidence, escapePath, quoteMaterial } from '../../../core/index.ts';
import { estimateTokens } from '../../../model/tokens/tokens.ts';
import type { Limits } from '../limits.ts';
import type { ResearchState } from '../state.ts';

/** Maximum tokens of evidence in full, and of the list of the rest, by an estimate that tends to be too high. */
const fullTokens = 6_000;
const listTokens = 1_500;

/** The head of a text that fits, cut at a line end. */
export function fitText(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const lines = text.split('\n');
  let kept = '';
  for (const line of lines) {
    if (estimateTokens(`${kept}${line}`) > tokens - 12) break;
    kept += `${line}\n`;
  }
  return `${kept === '' ? text.slice(0, tokens * 2) : kept}[cut here: ${text.length} characters in all]`;
}

export const place = (item: Evidence) => `${escapePath(item.file_path)}:${item.start_line}-${item.end_line}`;

const maxLineLength = 400;

interface PageView {
  /** Line numbers that are shown elsewhere on the page. */
  readonly hidden?: ReadonlySet<number>;
  /** Number of lines shown from the first one on, if not all are shown. */
  readonly lines?: number;
}

/** A piece of evidence with its line numbers. */
export function inFull(item: Evidence, { hidden = new Set(), lines: max = Infinity }: PageView = {}): string {
  const shown: string[] = [];
  const all = item.content.split('\n');
  let above = 0;
  for (const [n, line] of all.slice(0, max).entries()) {
    const number = item.start_line + n;
    if (hidden.has(number)) {
      if (above === 0) shown.push('');
      above += 1;
      shown[shown.length - 1] = `… ${number - above + 1}-${number} shown above`;
      continue;
    }
    above = 0;
    shown.push(`${number}| ${line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line}`);
  }
  if (all.length > max)
    shown.push(`… ${item.start_line + max}-${item.end_line} do not fit here: open them by themselves`);
  return quoteMaterial(shown.join('\n'), { source: `${item.id} ${place(item)}`, trust: 'untrusted' });
}

/** The newest step's evidence first; within a step in the order it was given, which is the order of relevance. */
function byRecency({ evidence, turns }: ResearchState): readonly Evidence[] {
  const at = new Map<string, number>();
  for (const [n, turn] of turns.entries())
    for (const [rank, id] of turn.evidence.entries()) at.set(id, (turns.length - n) * 1_000 + rank);
  return [...evidence].sort((a, b) => (at.get(a.id) ?? 0) - (at.get(b.id) ?? 0));
}

/**
 * Whether a piece lies within a longer one. Such a piece shows nothing more, and the model might cite it though only
 * the longer piece contains the deciding line.
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

/** Evidence held: as much as fits in full, the rest as a list of ids. */
export function evidencePage(state: ResearchState, tokens = fullTokens): string {
  if (state.evidence.length === 0) return 'None yet.';
  const full: string[] = [];
  const stubs: string[] = [];
  let left = tokens;
  for (const item of byRecency(state)) {
    const stub = `${item.id} ${place(item)}`;
    const whole = state.evidence.find((other) => isWithin(item, other));
    const shown = whole === undefined ? inFull(item) : '';
    const cost = estimateTokens(shown);
    if (whole !== undefined) stubs.push(`${stub}, part of ${whole.id}`);
    else if (cost <= left) {
      full.push(shown);
      left -= cost;
    } else stubs.push(stub);
  }
  if (stubs.length === 0) return full.join('\n');
  const list = quoteMaterial(fitText(stubs.join('\n'), Math.min(listTokens, Math.max(200, tokens))), {
    source: 'evidence held, listed without its text; open_span shows it again',
    trust: 'untrusted',
  });
  return [...full, list].join('\n');
}

const round = (amount: number) => Math.max(0, Math.floor(amount)).toLocaleString('en-US');

/** The remaining budget, for the model. The current step is included. */
export function budgetPage(step: number, limits: Limits, left: AllAmounts): string {
  const steps = limits.steps - step + 1;
  const parts = [`step ${step} of ${limits.steps}: ${steps} left, the last of them for the answer`];
  if (Number.isFinite(left.tokens)) parts.push(`${round(left.tokens)} tokens`);
  if (Number.isFinite(left.usd)) parts.push(`$${left.usd.toFixed(3)}`);
  if (Number.isFinite(left.wall_ms)) parts.push(`${round(left.wall_ms / 1000)} s`);
  return parts.join('; ');
}

/** Characters of a question that models are shown: its beginning and its end. What lies between is material. */
const questionStart = 5_000;
const questionEnd = 2_500;

export function questionPage({ question }: Pick<ResearchState, 'question'>): string {
  if (question.length <= questionStart + questionEnd) return question;
  const left = question.length - questionStart - questionEnd;
  const start = question.slice(0, questionStart).toWellFormed();
  return `${start}\n… (${left} characters left out) …\n${question.slice(-questionEnd).toWellFormed()}`;
}
