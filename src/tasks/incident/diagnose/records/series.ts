/** Parses series from their documents: the name, the movement, and the listed points. */
import type { SeriesRecord } from '../../../../gate/index.ts';

/**
 * A metric may contain braces itself, as in `depth{queue=mail}`: the labels are the last braces, with quoted values.
 */
const seriesForm =
  /^(\S*?)(?:\{([\w.:-]+=".*")\})?: (?:(up|down) since (\S+) \(\w+\), (\S+) -> (\S+), farthest (\S+) at ([^\s,]+)(?:, calm again ([^\s,]+))?, confidence [\d.]+|no change found; (\S+) to (\S+)); \d+ points$/;
const computedForm = /^(?:(\S+) )?(\S+): (up|down) since (\S+) \(\w+\), from (\S+) to (\S+)$/;
const pointForm = /(\d{2}:\d{2}:\d{2}) (\S+)/g;

export function parseSeries(lines: readonly string[]): {
  readonly series: readonly SeriesRecord[];
  readonly others: readonly string[];
} {
  const series: SeriesRecord[] = [];
  const others: string[] = [];
  for (let n = 0; n < lines.length; n += 1) {
    const line = lines[n]!;
    const is = seriesForm.exec(line);
    if (is !== null) {
      const below = lines[n + 1]?.startsWith('  ') === true ? lines[n + 1]! : '';
      if (below !== '') n += 1;
      series.push(readSeries(is, below));
      continue;
    }
    const sum = computedForm.exec(line);
    if (sum === null) {
      if (line !== 'computed from all points:') others.push(line);
      continue;
    }
    const [, service, metric, word, onset, from, to] = sum;
    const direction = parseDirection(word, from, to);
    const move = [Number(from), Number(to)] as const;
    const at = series.findIndex(
      (seriesRecord) =>
        seriesRecord.metric === metric &&
        seriesRecord.direction === direction &&
        (service === undefined || seriesRecord.labels.includes(`"${service}"`)),
    );
    if (at >= 0) {
      const found = series[at]!;
      series[at] = { ...found, moves: [...found.moves, move], onsets: [...found.onsets, onset!] };
    } else
      series.push({
        ...{ kind: 'series', metric: metric!, labels: service ?? '', direction, onsets: [onset!], turns: [] },
        ...{ isOver: false, moves: [move], points: [] },
      });
  }
  return { series, others };
}

function readSeries(match: RegExpExecArray, below: string): SeriesRecord {
  const [
    ,
    metric = '',
    labels = '',
    told,
    onset,
    from,
    to,
    extreme,
    extremeAt,
    calmAgain,
    minValue,
    maxValue,
  ] = match;
  const points = [...below.matchAll(pointForm)].map(([, clock, value]) => [clock!, Number(value)] as const);
  return {
    kind: 'series',
    metric,
    labels,
    direction: parseDirection(told, from, to),
    onsets: onset === undefined ? [] : [onset],
    turns: [extremeAt, calmAgain].filter((time) => time !== undefined),
    isOver: calmAgain !== undefined,
    moves:
      from === undefined
        ? minValue === undefined
          ? []
          : [[Number(minValue), Number(maxValue)]]
        : [
            [Number(from), Number(to)],
            [Number(from), Number(extreme)],
          ],
    points,
  };
}

/** Older documents state a direction that differs from their values. */
function parseDirection(
  given: string | undefined,
  from: string | undefined,
  to: string | undefined,
): 'up' | 'down' | null {
  if (given === undefined) return null;
  const moved = Number(to) - Number(from);
  return (moved === 0 || Number.isNaN(moved) ? given === 'up' : moved > 0) ? 'up' : 'down';
}
