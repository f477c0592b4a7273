import type { VNode } from 'preact';
import type { IncidentResult } from '../../../src/view.ts';
import { plainText } from '../../parts/words.ts';

const width = 900;

/** The window that was looked at, and what happened in it, on one axis of time. */
export function Series({
  window,
  moments,
}: {
  readonly id: string;
  readonly window: IncidentResult['window'];
  readonly moments: IncidentResult['timeline'];
}): VNode | null {
  if (window === null) return null;
  const { from, to, baseline_from } = window;
  const start = Math.min(baseline_from, from);
  const x = (at: number): number => ((at - start) / Math.max(1, to - start)) * width;
  const placed = moments
    .map(({ at, what }) => ({ at: Date.parse(at), what }))
    .filter(({ at }) => at >= start && at <= to);
  const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);
  return (
    <figure class="axis card">
      <svg
        viewBox={`0 0 ${width} 64`}
        role="img"
        aria-label={`From ${clock(start)} to ${clock(to)} UTC: ${placed.map(({ at, what }) => `${clock(at)} ${what}`).join('; ')}`}
      >
        <rect x="0" y="34" width={x(from)} height="8" class="calm" />
        <rect x={x(from)} y="34" width={width - x(from)} height="8" class="looked" />
        {placed.map(({ at, what }) => (
          <g>
            <line x1={x(at)} x2={x(at)} y1="20" y2="46" class="moment" />
            <title>{`${clock(at)} ${plainText(what)}`}</title>
          </g>
        ))}
        <text x="0" y="60">
          {clock(start)}
        </text>
        <text x={x(from)} y="60" text-anchor="middle">
          {start === from ? '' : clock(from)}
        </text>
        <text x={width} y="60" text-anchor="end">
          {clock(to)}
        </text>
      </svg>
      <figcaption class="small muted">{plainText(window.derivation)} (UTC)</figcaption>
    </figure>
  );
}
