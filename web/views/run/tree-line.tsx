import type { VNode } from 'preact';
import { count, lasted, money, plainText } from '../../parts/words.ts';
import type { TreeRow } from './rows.ts';

interface Props {
  readonly row: TreeRow;
  readonly isChosen: boolean;
  readonly isClosed: boolean;
  readonly choose: (id: string) => void;
  readonly toggle: (id: string) => void;
}

export function TreeLine({
  row: { node, depth, children },
  isChosen,
  isClosed,
  choose,
  toggle,
}: Props): VNode {
  const { id, kind, title, outcome, started, ended, spent } = node;
  return (
    <div
      class={`tree-line ${isChosen ? 'is-chosen' : ''}`}
      style={{ paddingLeft: `${8 + Math.min(depth, 12) * 16}px` }}
    >
      {children > 0 ? (
        <button
          type="button"
          class="quiet fold"
          aria-expanded={!isClosed}
          aria-label={`${isClosed ? 'Open' : 'Close'} ${title}`}
          onClick={() => toggle(id)}
        >
          {isClosed ? '▸' : '▾'}
        </button>
      ) : (
        <span class="fold" />
      )}
      <button type="button" class="quiet line" aria-pressed={isChosen} onClick={() => choose(id)}>
        <span
          class={`dot ${kind} ${outcome === 'error' || outcome === 'killed' ? 'is-bad' : outcome === null ? 'is-open' : ''}`}
        />
        <span class="line-title">{plainText(title)}</span>
        <span class="line-cost muted">
          {spent.tokens !== undefined && spent.tokens > 0 && <span>{count(spent.tokens)} tok</span>}
          {spent.usd !== undefined && spent.usd > 0 && <span>{money(spent.usd)}</span>}
          {ended !== null && <span>{lasted(ended - started)}</span>}
        </span>
      </button>
    </div>
  );
}
