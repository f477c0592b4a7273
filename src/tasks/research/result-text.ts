/**
 * What a model is shown of what an action gave. Text of the material stands in marked blocks; evidence that was shown
 * before, and still is, is named and not shown again.
 */
import type { Evidence } from '../../core/index.ts';
import { estimateTokens } from '../../model/index.ts';
import { quoteMaterial } from '../../session/index.ts';
import type { ActionDone } from './actions/action.ts';
import { fitted, inFull, isWithin, place } from './page.ts';

/** Of a listing, and of what is only named. Tokens, by the estimate that errs high. */
const listingTokens = 1_500;
const mostNotes = 12;

export interface Showing {
  /** Tokens that evidence in full may take. */
  readonly tokens: number;
  /** What the model sees already. */
  readonly sees: ReadonlySet<string>;
  /** All that is held, to tell what is part of what. */
  readonly held: readonly Evidence[];
}

export interface Shown {
  readonly text: string;
  /** Ids of what is shown in full here. */
  readonly ids: readonly string[];
}

export function resultText(
  { summary, completeness, text, notes, evidence, memo }: Omit<ActionDone, 'kind' | 'final'>,
  { tokens, sees, held }: Showing,
): Shown {
  const full: string[] = [];
  const named: string[] = [];
  const ids: string[] = [];
  let left = tokens;
  for (const item of evidence) {
    const stub = `${item.id} ${place(item)} (${item.provenance})`;
    const whole = [...held, ...evidence].find((other) => isWithin(item, other));
    const shown = inFull(item);
    const cost = estimateTokens(shown);
    if (sees.has(item.id)) named.push(`${stub}: shown above`);
    else if (whole !== undefined) named.push(`${stub}: part of ${whole.id}`);
    else if (cost > left) named.push(`${stub}: not shown, open_span reads it`);
    else {
      full.push(shown);
      ids.push(item.id);
      left -= cost;
    }
  }
  const about = [text, ...notes.slice(0, mostNotes).map((note) => `note: ${note}`)].filter(
    (part) => part !== '',
  );
  const lines = [
    `${summary} (${completeness})`,
    ...(about.length > 0 ? [quoted(about.join('\n'), 'what was listed')] : []),
    ...(memo === undefined ? [] : [quoteMaterial(memo, { source: 'memo of the analyst', trust: 'derived' })]),
    ...full,
    ...(named.length > 0 ? [quoted(named.join('\n'), 'evidence without its text')] : []),
  ];
  return { text: lines.join('\n'), ids };
}

function quoted(text: string, source: string): string {
  return quoteMaterial(fitted(text, listingTokens), { source, trust: 'untrusted' });
}
