import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lasted } from '../../parts/words.ts';
import type { Lane } from './rows.ts';

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

/** What ran when, side by side what ran at once. The tree below has the same for keys and ears. */
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
  const from = lanes.reduce((least, lane) => Math.min(least, lane.from), Number.POSITIVE_INFINITY);
  const to = lanes.reduce((most, lane) => Math.max(most, lane.to), 0);
  const count = Math.min(
    maxLanes,
    lanes.reduce((most, { lane }) => Math.max(most, lane + 1), 1),
  );
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
        aria-label={`${lanes.length} pieces of work over ${lasted(to - from)}, up to ${count} at once`}
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
        <span>{lasted(to - from)}</span>
      </figcaption>
    </figure>
  );
}

const away = ({ from, to }: Lane, at: number): number => (at < from ? from - at : at > to ? at - to : 0);
