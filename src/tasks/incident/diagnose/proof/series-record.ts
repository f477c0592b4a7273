/** A series as the documents show it: what it is, how it moved, and the points that are written out. */
import { type Held, heldOf } from './held.ts';

export interface SeriesRecord extends Held {
  readonly kind: 'series';
  readonly metric: string;
  /** By the values before and after; null: no change was found in it. */
  readonly direction: 'up' | 'down' | null;
  /** ISO 8601. */
  readonly onset: string | null;
  /** The same as it was worked out over other stretches. */
  readonly onsets: readonly string[];
  /** Other times that were worked out: of its extreme and its end. */
  readonly turns: readonly string[];
  readonly isOver: boolean;
  /** What it went from and to, as often as that was worked out. */
  readonly moves: readonly (readonly [from: number, to: number])[];
  /** Time of day and value. */
  readonly points: readonly (readonly [clock: string, value: number])[];
}

const shown =
  /^([^\s{]*)(?:\{(.*)\})?: (?:(up|down) since (\S+) \(\w+\), (\S+) -> (\S+), farthest (\S+) at ([^\s,]+)(?:, calm again ([^\s,]+))?, confidence [\d.]+|no change found; (\S+) to (\S+)); \d+ points$/;
const computed = /^(?:(\S+) )?(\S+): (up|down) since (\S+) \(\w+\), from (\S+) to (\S+)$/;
const point = /(\d{2}:\d{2}:\d{2}) (\S+)/g;

export function seriesIn(lines: readonly string[]): {
  readonly series: readonly SeriesRecord[];
  readonly others: readonly string[];
} {
  const series: SeriesRecord[] = [];
  const others: string[] = [];
  for (let n = 0; n < lines.length; n += 1) {
    const line = lines[n]!;
    const is = shown.exec(line);
    if (is !== null) {
      const below = lines[n + 1]?.startsWith('  ') === true ? lines[n + 1]! : '';
      if (below !== '') n += 1;
      series.push(ofShown(is, below));
      continue;
    }
    const sum = computed.exec(line);
    if (sum === null) {
      if (line !== 'computed from all points:') others.push(line);
      continue;
    }
    const [, service, metric, told, onset, from, to] = sum;
    const direction = directionOf(told, from, to);
    const at = series.findIndex(
      (one) =>
        one.metric === metric &&
        one.direction === direction &&
        (service === undefined || one.text.includes(`"${service}"`)),
    );
    const move = [Number(from), Number(to)] as const;
    if (at >= 0) {
      const one = series[at]!;
      series[at] = {
        ...one,
        ...heldOf(`${one.text} ${onset} ${from} ${to}`),
        moves: [...one.moves, move],
        onsets: [...one.onsets, onset!],
      };
    } else
      series.push({
        kind: 'series',
        metric: metric!,
        direction,
        onset: onset!,
        onsets: [onset!],
        turns: [],
        isOver: false,
        moves: [move],
        points: [],
        ...heldOf(`${service ?? ''} ${metric} ${onset} ${from} ${to}`),
      });
  }
  return { series, others };
}

function ofShown(match: RegExpExecArray, below: string): SeriesRecord {
  const [, metric = '', labels = '', direction, onset, from, to, far, farAt, over, least, most] = match;
  const points = [...below.matchAll(point)].map(([, clock, value]) => [clock!, Number(value)] as const);
  const numbers = [from, to, far, least, most, ...points.map(([, value]) => String(value))];
  const turns = [farAt, over].filter((one) => one !== undefined);
  const text = [metric, labels, ...numbers, onset, ...turns, ...points.map(([clock]) => clock)]
    .filter((part) => part !== undefined)
    .join(' ');
  return {
    kind: 'series',
    metric,
    direction: directionOf(direction, from, to),
    onset: onset ?? null,
    onsets: onset === undefined ? [] : [onset],
    turns,
    isOver: over !== undefined,
    moves:
      from === undefined
        ? []
        : [
            [Number(from), Number(to)],
            [Number(from), Number(far)],
          ],
    points,
    ...heldOf(text),
  };
}

/** Documents were recorded that tell another way than their values. */
function directionOf(
  told: string | undefined,
  from: string | undefined,
  to: string | undefined,
): 'up' | 'down' | null {
  if (told === undefined) return null;
  const moved = Number(to) - Number(from);
  return (moved === 0 || Number.isNaN(moved) ? told === 'up' : moved > 0) ? 'up' : 'down';
}
