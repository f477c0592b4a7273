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

/** The positions of rows. Measured heights are kept by key when rows come and go. */
class Places {
  readonly #known = new Map<string, number>();
  #heights = new Float64Array(0);
  /** The top of each row, plus the end of the last one. */
  tops = new Float64Array(1);

  lay({ count, estimate, keyOf }: VirtualProps): void {
    this.#heights = new Float64Array(count);
    for (let n = 0; n < count; n += 1) this.#heights[n] = this.#known.get(keyOf(n)) ?? estimate(n);
    this.tops = new Float64Array(count + 1);
    this.#sum(0);
  }

  heightOf(index: number): number {
    return this.#heights[index] ?? 0;
  }

  /** After it: `settle`. */
  measure(index: number, key: string, height: number): void {
    this.#known.set(key, height);
    this.#heights[index] = height;
  }

  settle(first: number): void {
    this.#sum(first);
  }

  #sum(first: number): void {
    for (let n = first; n < this.#heights.length; n += 1)
      this.tops[n + 1] = this.tops[n]! + this.#heights[n]!;
  }
}

/** The row that has this place. */
function rowAt({ tops }: Places, y: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function VirtualList(props: VirtualProps): VNode {
  const { count, estimate, keyOf, row, label, reveal = null } = props;
  const box = useRef<HTMLDivElement>(null);
  const [places] = useState(() => new Places());
  const [view, setView] = useState({ top: 0, height: 800 });
  const [, setMeasured] = useState(0);
  useMemo(() => places.lay(props), [places, count, estimate, keyOf]);
  // A row that was drawn is the same one while the list scrolls: nothing in it is compared again.
  const drawn = useMemo(() => new Map<number, VNode>(), [row, count, keyOf]);
  const { tops } = places;
  const first = rowAt(places, view.top - beyond);
  const last = Math.min(count - 1, rowAt(places, view.top + view.height + beyond));

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

  // Keeps the visible rows in place when rows above them turn out higher or lower than estimated.
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    let moved = 0;
    let changed = count;
    for (const child of current.querySelectorAll<HTMLElement>(':scope > .rows > [data-row]')) {
      const index = Number(child.dataset['row']);
      const height = child.offsetHeight;
      const before = places.heightOf(index);
      if (Math.abs(height - before) < 0.5) continue;
      // Compared with the old position, before rows above it move.
      if (tops[index + 1]! <= current.scrollTop) moved += height - before;
      places.measure(index, keyOf(index), height);
      changed = Math.min(changed, index);
    }
    if (changed === count) return;
    places.settle(changed);
    if (moved !== 0) current.scrollTop += moved;
    setMeasured((n) => n + 1);
  });

  useEffect(() => {
    const { current } = box;
    if (reveal === null || current === null || reveal >= count) return;
    const [top, bottom] = [places.tops[reveal]!, places.tops[reveal + 1]!];
    if (top < current.scrollTop) current.scrollTop = top;
    else if (bottom > current.scrollTop + current.clientHeight)
      current.scrollTop = Math.min(top, bottom - current.clientHeight);
  }, [reveal]);

  for (const n of drawn.keys()) if (n < first || n > last) drawn.delete(n);
  const rows: VNode[] = [];
  for (let n = first; n <= last; n += 1) {
    const known = drawn.get(n) ?? (
      <div key={keyOf(n)} data-row={n} role="listitem" aria-setsize={count} aria-posinset={n + 1}>
        {row(n)}
      </div>
    );
    drawn.set(n, known);
    rows.push(known);
  }
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
