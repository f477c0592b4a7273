/** Gauges that cross a limit which their name or unit implies: shares, free space, replication lag. */
import type { Series } from '../../../../core/index.ts';
import { type Facts, serviceOf, type WithEvidence } from '../facts.ts';
import type { Condition, StateSeen } from './condition.ts';
import { connections, lag, lowDisk, memory } from './conditions.ts';
import { readCounter } from './counters.ts';

type SeriesPoints = Series['points'];

interface Gauge {
  readonly name: RegExp;
  readonly condition: Condition;
  /** Whether the last part of the series is beyond the limit; `max` is a limit from another source. */
  readonly isBeyond: (points: SeriesPoints, max: number | null) => boolean;
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};
const lastLevel = (points: SeriesPoints): number =>
  median(points.slice(-Math.max(3, Math.floor(points.length / 5))).map(([, value]) => value));
const firstLevel = (points: SeriesPoints): number =>
  median(points.slice(0, Math.max(3, Math.floor(points.length / 4))).map(([, value]) => value));

/** Returns a test whether a series reached this share of its maximum. Values over 1.5 are percentages. */
const isAtShare =
  (limit: number) =>
  (points: SeriesPoints): boolean => {
    const scale = points.some(([, value]) => value > 1.5) ? 100 : 1;
    return (
      lastLevel(points) >= limit * scale &&
      lastLevel(points) <= 1.05 * scale &&
      firstLevel(points) < limit * scale
    );
  };
/** Returns a test whether a remaining amount (free disk, free connections) fell to this share and keeps falling. */
const isRunningOut =
  (maxShare: number) =>
  (points: SeriesPoints): boolean => {
    const lastMedian = median(points.slice(-3).map(([, value]) => value));
    const before = lastLevel(points);
    return (
      firstLevel(points) > 0 && lastMedian <= maxShare * firstLevel(points) && lastMedian <= before * 1.02
    );
  };

const root = (
  name: string,
  category: Condition['category'],
  remedy: string,
  resource?: Condition['resource'],
): Condition => ({
  name,
  category,
  role: 'root',
  remedy,
  ...(resource && { resource }),
});

const gauges: readonly Gauge[] = [
  {
    name: /(free|avail\w*|remaining).*(storage|disk|space|bytes_fs)|(storage|disk|filesystem|volume).*(free|avail|remaining)/i,
    condition: lowDisk,
    isBeyond: isRunningOut(0.2),
  },
  {
    name: /(disk|storage|filesystem|volume).*(used|usage|utili[sz]ation|percent|pct)/i,
    condition: lowDisk,
    isBeyond: isAtShare(0.95),
  },
  {
    name: /connections?.*(used|usage|utili[sz]ation|percent|pct|ratio)|connections?$|numbackends|connected_clients/i,
    condition: connections,
    isBeyond: (points, max) =>
      max !== null && lastLevel(points) >= 0.9 * max && firstLevel(points) < lastLevel(points),
  },
  {
    name: /replica\w*_?lag|lag_?(seconds|ms)?_?replica|seconds_behind|replication_?(lag|delay)/i,
    condition: lag,
    isBeyond: (points) => lastLevel(points) >= 30 && lastLevel(points) >= 5 * Math.max(1, firstLevel(points)),
  },
  {
    name: /(freeable|free|avail\w*)_?mem|mem\w*_?(free|avail)/i,
    condition: memory,
    isBeyond: isRunningOut(0.1),
  },
  {
    name: /mem\w*.*(utili[sz]ation|percent|pct|usage_ratio|used_ratio)/i,
    condition: memory,
    isBeyond: isAtShare(0.93),
  },
  {
    name: /(burst|credit)_?balance/i,
    condition: root(
      'credits that are used up',
      'resource_exhaustion',
      'Choose a class without credits, or lower the load.',
    ),
    isBeyond: (points) => lastLevel(points) <= 0.05 * firstLevel(points),
  },
  {
    name: /cpu.*(utili[sz]ation|percent|pct|usage|saturation)|^cpu$/i,
    condition: root(
      'a processor at its limit',
      'resource_exhaustion',
      'Find the work that takes the processor, or give it more.',
      'cpu',
    ),
    isBeyond: isAtShare(0.85),
  },
];

/** The state of a series at the limit that another series gives: `queue_length` and `queue_length_limit`. */
const atItsLimit = root(
  'a limit that is reached',
  'resource_exhaustion',
  'Find what uses it up, or raise the limit.',
);

/** An alert that says, without a number, that a resource is at its limit. */
const saysFull =
  /connection (limit|exhaustion)|(max|limit of|out of|no more) connections|connections? .{0,40}(refused|exhaust|maximum|limit)/i;

/** `932 of 1000`, `max_connections (500)`, `max_connections=500`. */
const limitInText = /connections?\D{0,20}(\d+) (?:of|\/) (\d+)|max_connections\D{1,4}(\d+)/i;

export function findGaugeStates(facts: Facts, alert = ''): readonly StateSeen[] {
  const texts = [...facts.lines.map(({ text }) => text), ...facts.patterns.map(({ example }) => example)];
  const limit = texts.flatMap((text) => {
    const match = limitInText.exec(text);
    return match === null ? [] : [Number(match[2] ?? match[3])];
  })[0];
  return [
    ...findEndedSeries(facts),
    ...facts.series.flatMap((series) => {
      if (series.points.length < 5) return [];
      const limitSeries = findLimit(series, facts);
      const limitHere = limitSeries ?? limit ?? (saysFull.test(alert) ? maxValue(series.points) : null);
      const gauge = gauges.find(
        ({ name, isBeyond }) => name.test(series.name) && isBeyond(series.points, limitHere),
      );
      if (gauge !== undefined) return [toStateSeen(series, gauge.condition)];
      const counterFinding = readCounter(series);
      if (counterFinding !== null)
        return [
          {
            ...toStateSeen(series, counterFinding.condition),
            first: counterFinding.since,
            quote: counterFinding.quote,
          },
        ];
      return limitSeries !== null &&
        limitSeries > 0 &&
        lastLevel(series.points) >= 0.98 * limitSeries &&
        firstLevel(series.points) < 0.9 * limitSeries
        ? [toStateSeen(series, atItsLimit)]
        : [];
    }),
  ];
}

const maxValue = (points: SeriesPoints): number => points.reduce((max, [, value]) => Math.max(max, value), 0);

const endedSeries: Condition = {
  name: 'a series that ended',
  category: 'unknown',
  role: 'effect',
  remedy: 'Look whether what told it is still there.',
};

/** A series counts as stopped if it misses this many of its own intervals while other series go on. */
const maxMissedSteps = 5;

function findEndedSeries({ series }: Facts): readonly StateSeen[] {
  const last = Math.max(...series.map(({ points }) => points.at(-1)?.[0] ?? -Infinity));
  return series.flatMap((series) => {
    const { points } = series;
    if (points.length < 5) return [];
    const step = (points.at(-1)![0] - points[0]![0]) / (points.length - 1);
    const at = points.at(-1)![0];
    return last - at > maxMissedSteps * step && last - at > 60_000
      ? [
          {
            ...toStateSeen(series, endedSeries),
            first: at + step,
            quote: `${series.name} has no value after ${new Date(at).toISOString()}`,
          },
        ]
      : [];
  });
}

/** The limit that another series gives: `max_connections` beside `connections`. */
function findLimit({ name, labels }: WithEvidence<Series>, { series }: Facts): number | null {
  const stem = (seriesName: string): string =>
    seriesName
      .toLowerCase()
      .replace(/^db_|(^|_)(max|limit|count|total|current|used|active|capacity|bytes)(?=_|$)/g, '');
  const limit =
    stem(name).length < 3
      ? undefined
      : series.find(
          (series) =>
            series.name !== name &&
            /(^|_)(max|limit|capacity)(_|$)/i.test(series.name) &&
            stem(series.name).includes(stem(name).slice(0, 8)) &&
            serviceOf(series) === serviceOf({ labels }),
        );
  return limit?.points.at(-1)?.[1] ?? null;
}

/** The id in the labels, such as `VolumeId`; null if there is none, or more than one. */
function findObjectId({ labels }: Series): string | null {
  const ids = Object.entries(labels).filter(([name]) => /(?:[a-z]I[dD]|_id|[iI]dentifier)$/.test(name));
  return ids.length === 1 ? ids[0]![1] : null;
}

function toStateSeen(series: WithEvidence<Series>, condition: Condition): StateSeen {
  const object = serviceOf(series);
  const [at] = series.points.at(-1)!;
  const value = series.points.at(-1)![1];
  return {
    condition,
    object: object ?? findObjectId(series) ?? 'the system',
    service: object,
    first: null,
    last: at,
    isCurrent: true,
    quote: `${series.name} is at ${value}`,
    evidence: series.evidence,
  };
}
