import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lasted } from '../../parts/words.ts';
import type { Lane } from './rows.ts';
import { minShownMs, type Part, shifted, zoomed } from './zoom.ts';

const height = 9;
const gap = 2;
const maxLanes = 12;

const colours: Readonly<Record<string, string>> = {
  call: '--accent',
  action: '--line-strong',
  helper: '--line-strong',
  cell: '--good',
  node: '--warn',
};

/**
 * When each part of a run ran, with parallel ones side by side. The tree below shows the same to keyboards and screen
 * readers.
 */
export function Timeline({
  lanes,
  chosen,
  choose,
}: {
  readonly lanes: readonly Lane[];
  readonly chosen: string | null;
  readonly choose: (id: string) => void;
}): VNode | null {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const start = lanes.reduce((min, lane) => Math.min(min, lane.from), Number.POSITIVE_INFINITY);
  const end = lanes.reduce((max, lane) => Math.max(max, lane.to), 0);
  const all = lanes.reduce((max, { lane }) => Math.max(max, lane + 1), 1);
  const count = Math.min(maxLanes, all);
  /** The part that is shown; null: the whole, also while it grows. */
  const [part, setPart] = useState<Part | null>(null);
  const from = part?.from ?? start;
  const to = part?.to ?? end;
  const zoom = (by: number): void => {
    const piece = lanes.find(({ id }) => id === chosen);
    const isInPart = piece !== undefined && (part === null || (piece.from <= to && piece.to >= from));
    // Zooms around the chosen part if it is visible.
    setPart(
      zoomed({ from, to }, by, isInPart ? (piece.from + piece.to) / 2 : (from + to) / 2, {
        from: start,
        to: end,
      }),
    );
  };
  const shift = (by: number): void => setPart(shifted({ from, to }, by, { from: start, to: end }));
  const tall = count * (height + gap) + 4;

  useEffect(() => {
    const { current } = canvas;
    if (current === null) return;
    const watch = new ResizeObserver(() => setWidth(current.clientWidth));
    watch.observe(current);
    setWidth(current.clientWidth);
    return () => watch.disconnect();
  }, []);

  useEffect(() => {
    const { current } = canvas;
    const paint = current?.getContext('2d');
    if (current === null || paint === null || paint === undefined || width === 0) return;
    const ratio = window.devicePixelRatio;
    current.width = width * ratio;
    current.height = tall * ratio;
    paint.scale(ratio, ratio);
    const style = getComputedStyle(current);
    const scale = width / Math.max(1, to - from);
    for (const { id, kind, lane, failed, ...span } of lanes) {
      paint.fillStyle = style.getPropertyValue(
        id === chosen ? '--text' : failed ? '--bad' : (colours[kind] ?? '--muted'),
      );
      if (span.to < from || span.from > to) continue;
      const x = (span.from - from) * scale;
      const y = 2 + Math.min(lane, maxLanes - 1) * (height + gap);
      paint.fillRect(x, y, Math.max(1.5, (span.to - span.from) * scale - 0.5), height);
    }
  }, [lanes, chosen, width, tall, from, to]);

  if (lanes.length === 0) return null;
  return (
    <figure class="timeline">
      <canvas
        ref={canvas}
        role="img"
        style={{ height: `${tall}px` }}
        aria-label={`${lanes.length} pieces of work over ${lasted(end - start)}, up to ${all} at once`}
        onClick={({ offsetX, offsetY }) => {
          const at = from + (offsetX / Math.max(1, width)) * (to - from);
          const lane = Math.floor((offsetY - 2) / (height + gap));
          const near = lanes
            .filter((one) => Math.min(one.lane, maxLanes - 1) === lane)
            .toSorted((a, b) => away(a, at) - away(b, at))[0];
          if (near !== undefined) choose(near.id);
        }}
      />
      <figcaption class="row spread small muted">
        <span class="row legend">
          <span class="call">model</span>
          <span class="action">action</span>
          <span class="cell">cell</span>
          <span class="node">part</span>
        </span>
        {all > maxLanes && (
          <span>
            Up to {all} ran at once: the last row holds those beyond {maxLanes - 1}.
          </span>
        )}
        <span class="row">
          <button
            type="button"
            class="quiet small"
            aria-label="Earlier"
            disabled={from <= start}
            onClick={() => shift(-1)}
          >
            ←
          </button>
          <button
            type="button"
            class="quiet small"
            aria-label="Zoom out"
            disabled={part === null}
            onClick={() => zoom(2)}
          >
            −
          </button>
          <span>
            {part === null
              ? lasted(end - start)
              : `${lasted(to - from)}, from ${moment(from - start)} of ${lasted(end - start)}`}
          </span>
          <button
            type="button"
            class="quiet small"
            aria-label="Zoom in"
            disabled={to - from <= minShownMs}
            onClick={() => zoom(0.5)}
          >
            +
          </button>
          <button
            type="button"
            class="quiet small"
            aria-label="Later"
            disabled={to >= end}
            onClick={() => shift(1)}
          >
            →
          </button>
        </span>
      </figcaption>
    </figure>
  );
}

/** So exact that two parts of a run that was zoomed into differ. */
const moment = (ms: number): string => (ms < 60_000 ? `${(ms / 1_000).toFixed(3)} s` : lasted(ms));

const away = ({ from, to }: Lane, at: number): number => (at < from ? from - at : at > to ? at - to : 0);
