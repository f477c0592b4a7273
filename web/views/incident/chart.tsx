/** One series, drawn by uPlot. Marks are drawn over it; labels are HTML beside it. */
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { amountOf, hourOf, type IncidentSeries, type Mark, type SeriesLine, type Span } from './marks.ts';

interface Props {
  readonly line: SeriesLine;
  readonly axis: Span;
  readonly window: IncidentSeries['window'];
  readonly marks: readonly Mark[];
  /** The hours stand below the last one. */
  readonly isLast: boolean;
  /** Called with a description of the point under the pointer, which all charts share. */
  readonly onPoint: (text: string) => void;
}

/** Pixels: of the axis of values, and of what stays free behind the last point. */
export const leftPad = 58;
export const rightPad = 12;
const height = 84;
const withHours = 112;

export const markColours: Readonly<Record<Mark['kind'], string>> = {
  blamed: '--bad',
  failure: '--bad',
  onset: '--warn',
  alert: '--accent',
  change: '--line-strong',
};

export function Chart({ line, axis, window: seen, marks, isLast, onPoint }: Props): VNode {
  const box = useRef<HTMLDivElement>(null);
  const point = useRef(onPoint);
  point.current = onPoint;
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const colour = (name: string): string =>
      getComputedStyle(document.documentElement).getPropertyValue(name);
    const plot = new uPlot(
      {
        width: current.clientWidth,
        height: isLast ? withHours : height,
        ms: 1,
        padding: [6, rightPad, isLast ? 0 : 6, 0],
        legend: { show: false },
        cursor: { sync: { key: 'incident' }, y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: { x: { time: true, range: () => [axis.from, axis.to] } },
        axes: [
          {
            show: isLast,
            stroke: () => colour('--muted'),
            font: '11px Inter, sans-serif',
            size: 28,
            values: (_, splits) => splits.map(hourOf),
            grid: { show: false },
            ticks: { stroke: () => colour('--line'), width: 1 },
          },
          {
            stroke: () => colour('--muted'),
            font: '11px Inter, sans-serif',
            size: leftPad,
            space: 26,
            values: (_, splits) => splits.map((value) => amountOf(value, line.unit)),
            grid: { stroke: () => colour('--line'), width: 1 },
            ticks: { show: false },
          },
        ],
        series: [
          {},
          {
            stroke: () => colour(line.moved === null ? '--muted' : '--accent'),
            fill: () => (line.moved === null ? 'transparent' : colour('--accent-soft')),
            width: 1.6,
            points: { show: line.points.length < 3 },
          },
        ],
        hooks: {
          // Below the series: the calm that it is held against, and what happened.
          drawClear: [
            ({ ctx, bbox, valToPos }) => {
              if (seen === null) return;
              const end = valToPos(Math.max(axis.from, Math.min(seen.from, axis.to)), 'x', true);
              ctx.fillStyle = colour('--raised');
              ctx.fillRect(bbox.left, bbox.top, Math.max(0, end - bbox.left), bbox.height);
            },
          ],
          draw: [
            ({ ctx, bbox, valToPos }) => {
              ctx.save();
              ctx.lineWidth = Math.max(1, 1.5 * devicePixelRatio);
              for (const { at, kind } of marks) {
                if (at < axis.from || at > axis.to) continue;
                const x = valToPos(at, 'x', true);
                ctx.strokeStyle = colour(markColours[kind]);
                ctx.setLineDash(kind === 'onset' ? [5 * devicePixelRatio, 4 * devicePixelRatio] : []);
                ctx.beginPath();
                ctx.moveTo(x, bbox.top);
                // Marks of other changes are short, so that they do not hide the series.
                ctx.lineTo(x, bbox.top + bbox.height * (kind === 'change' ? 0.12 : 1));
                ctx.stroke();
              }
              ctx.restore();
            },
          ],
          setCursor: [
            ({ cursor: { idx } }) => {
              const found = idx === null || idx === undefined ? undefined : line.points[idx];
              if (found === undefined) return point.current('');
              point.current(`${amountOf(Number(found[1]), line.unit)} at ${hourOf(Number(found[0]))}`);
            },
          ],
        },
      },
      [line.points.map(([at]) => Number(at)), line.points.map(([, value]) => Number(value))],
      current,
    );
    const watch = new ResizeObserver(() =>
      plot.setSize({ width: current.clientWidth, height: isLast ? withHours : height }),
    );
    watch.observe(current);
    const redraw = (): void => plot.redraw(false);
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    return () => {
      watch.disconnect();
      theme.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [line, axis, seen, marks, isLast]);
  return <div ref={box} class="chart" aria-hidden="true" />;
}
