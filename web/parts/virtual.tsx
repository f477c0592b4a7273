/** A long list of which only what can be seen is there. Rows may be of any height: they are measured when they come. */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

export interface VirtualProps {
  readonly count: number;
  /** Pixels, before a row was measured. */
  readonly estimate: (index: number) => number;
  readonly keyOf: (index: number) => string;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  /** Brought into sight when it changes. */
  readonly reveal?: number | null;
  readonly class?: string;
}

/** Pixels above and below what is seen. */
const beyond = 300;

interface Heights {
  /** By key: what was measured. */
  readonly known: Map<string, number>;
  /** Of the top of each row; one more than there are. */
  tops: Float64Array;
}

function placed({ count, estimate, keyOf }: VirtualProps, known: ReadonlyMap<string, number>): Float64Array {
  const tops = new Float64Array(count + 1);
  for (let n = 0; n < count; n += 1) tops[n + 1] = tops[n]! + (known.get(keyOf(n)) ?? estimate(n));
  return tops;
}

/** The row that has this place. */
function rowAt(tops: Float64Array, y: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function VirtualList(props: VirtualProps): VNode {
  const { count, keyOf, row, label, reveal = null } = props;
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef<Heights>({ known: new Map(), tops: new Float64Array(1) });
  const [view, setView] = useState({ top: 0, height: 800 });
  const [measured, setMeasured] = useState(0);
  const tops = useMemo(() => {
    heights.current.tops = placed(props, heights.current.known);
    return heights.current.tops;
  }, [count, measured, props.estimate, props.keyOf]);
  const first = rowAt(tops, view.top - beyond);
  const last = Math.min(count - 1, rowAt(tops, view.top + view.height + beyond));

  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const look = (): void => setView({ top: current.scrollTop, height: current.clientHeight });
    look();
    current.addEventListener('scroll', look, { passive: true });
    const watch = new ResizeObserver(look);
    watch.observe(current);
    return () => {
      current.removeEventListener('scroll', look);
      watch.disconnect();
    };
  }, []);

  // What stands above what is seen may turn out higher or lower than was thought: what is seen stays where it is.
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    let moved = 0;
    let changed = false;
    for (const child of current.querySelectorAll<HTMLElement>(':scope > .rows > [data-row]')) {
      const index = Number(child.dataset['row']);
      const key = keyOf(index);
      const height = child.offsetHeight;
      const before = tops[index + 1]! - tops[index]!;
      if (heights.current.known.get(key) === height) continue;
      heights.current.known.set(key, height);
      if (Math.abs(height - before) < 0.5) continue;
      changed = true;
      if (tops[index + 1]! <= current.scrollTop) moved += height - before;
    }
    if (!changed) return;
    if (moved !== 0) current.scrollTop += moved;
    setMeasured((n) => n + 1);
  });

  useEffect(() => {
    const { current } = box;
    if (reveal === null || current === null || reveal >= count) return;
    const { tops: now } = heights.current;
    const [top, bottom] = [now[reveal]!, now[reveal + 1]!];
    if (top < current.scrollTop) current.scrollTop = top;
    else if (bottom > current.scrollTop + current.clientHeight)
      current.scrollTop = Math.min(top, bottom - current.clientHeight);
  }, [reveal]);

  const rows: VNode[] = [];
  if (count > 0)
    for (let n = first; n <= last; n += 1)
      rows.push(
        <div key={keyOf(n)} data-row={n} role="listitem" aria-setsize={count} aria-posinset={n + 1}>
          {row(n)}
        </div>,
      );
  return (
    <div class={`virtual ${props.class ?? ''}`} ref={box} tabIndex={0} role="region" aria-label={label}>
      <div style={{ height: `${tops[first] ?? 0}px` }} />
      <div class="rows" role="list" aria-label={label}>
        {rows}
      </div>
      <div style={{ height: `${Math.max(0, tops[count]! - (tops[Math.min(count, last + 1)] ?? 0))}px` }} />
    </div>
  );
}
