/** Gauges that cross a limit which their own name or unit implies: shares, what is free, how far a replica is behind. */
import type { Series } from '../../../../core/index.ts';
import { type Facts, type Seen, serviceOf } from '../facts.ts';
import type { Condition, StateSeen } from './condition.ts';

type Points = Series['points'];

interface Gauge {
  readonly name: RegExp;
  readonly condition: Condition;
  /** Whether its last part is beyond the limit; `most` is a limit from another source. */
  readonly isBeyond: (points: Points, max: number | null) => boolean;
}

const mid = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};
const lastPart = (points: Points): number =>
  mid(points.slice(-Math.max(3, Math.floor(points.length / 5))).map(([, value]) => value));
const firstPart = (points: Points): number =>
  mid(points.slice(0, Math.max(3, Math.floor(points.length / 4))).map(([, value]) => value));

/** A share of 1 or of 100, whichever its values are. */
const share =
  (limit: number) =>
  (points: Points): boolean => {
    const scale = points.some(([, value]) => value > 1.5) ? 100 : 1;
    return (
      lastPart(points) >= limit * scale &&
      lastPart(points) <= 1.05 * scale &&
      firstPart(points) < limit * scale
    );
  };
/** What is left of what there was, and still falls. */
const runsOut =
  (left: number) =>
  (points: Points): boolean => {
    const last = mid(points.slice(-3).map(([, value]) => value));
    const before = lastPart(points);
    return firstPart(points) > 0 && last <= left * firstPart(points) && last <= before * 1.02;
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
    condition: root(
      'storage that runs out',
      'storage_exhaustion',
      'Make the storage larger, and find what fills it.',
      'storage',
    ),
    isBeyond: runsOut(0.2),
  },
  {
    name: /(disk|storage|filesystem|volume).*(used|usage|utili[sz]ation|percent|pct)/i,
    condition: root(
      'storage that runs out',
      'storage_exhaustion',
      'Make the storage larger, and find what fills it.',
      'storage',
    ),
    isBeyond: share(0.95),
  },
  {
    name: /connections?.*(used|usage|utili[sz]ation|percent|pct|ratio)|connections?$|numbackends|connected_clients/i,
    condition: root(
      'connections that are used up',
      'connection_exhaustion',
      'Find who holds connections and give them back, or pool them.',
      'connections',
    ),
    isBeyond: (points, max) =>
      max === null ? false : lastPart(points) >= 0.9 * max && firstPart(points) < 0.9 * max,
  },
  {
    name: /replica\w*_?lag|lag_?(seconds|ms)?_?replica|seconds_behind|replication_?(lag|delay)/i,
    condition: root(
      'a replica that is behind',
      'replication_lag',
      'Find what the replica waits for: too many writes, a long transaction, its disk.',
    ),
    isBeyond: (points) => lastPart(points) >= 30 && lastPart(points) >= 5 * Math.max(1, firstPart(points)),
  },
  {
    name: /(freeable|free|avail\w*)_?mem|mem\w*_?(free|avail)/i,
    condition: root(
      'memory that is used up',
      'resource_exhaustion',
      'Find what takes the memory, or give it more.',
      'memory',
    ),
    isBeyond: runsOut(0.1),
  },
  {
    name: /mem\w*.*(utili[sz]ation|percent|pct|usage_ratio|used_ratio)/i,
    condition: root(
      'memory that is used up',
      'resource_exhaustion',
      'Find what takes the memory, or give it more.',
      'memory',
    ),
    isBeyond: share(0.93),
  },
  {
    name: /(burst|credit)_?balance/i,
    condition: root(
      'credits that are used up',
      'resource_exhaustion',
      'Choose a class without credits, or lower the load.',
    ),
    isBeyond: (points) => lastPart(points) <= 0.05 * firstPart(points),
  },
  {
    name: /cpu.*(utili[sz]ation|percent|pct|usage|saturation)|^cpu$/i,
    condition: root(
      'a processor at its limit',
      'resource_exhaustion',
      'Find the work that takes the processor, or give it more.',
      'cpu',
    ),
    isBeyond: share(0.85),
  },
];

/** `932 of 1000`, `max_connections (500)`, `max_connections=500`. */
const told = /connections?\D{0,20}(\d+) (?:of|\/) (\d+)|max_connections\D{1,4}(\d+)/i;

export function statesOfGauges(facts: Facts): readonly StateSeen[] {
  const texts = [...facts.lines.map(({ text }) => text), ...facts.patterns.map(({ example }) => example)];
  const limit = texts.flatMap((text) => {
    const match = told.exec(text);
    return match === null ? [] : [Number(match[2] ?? match[3])];
  })[0];
  return [
    ...findEnded(facts),
    ...facts.series.flatMap((series) => {
      if (series.points.length < 5) return [];
      const most = limitOf(series, facts) ?? limit ?? null;
      const met = gauges.find(
        ({ name, isBeyond }) => name.test(series.name) && isBeyond(series.points, most),
      );
      return met === undefined ? [] : [toStateSeen(series, met.condition)];
    }),
  ];
}

const silent: Condition = {
  name: 'a series that ended',
  category: 'unknown',
  role: 'effect',
  remedy: 'Look whether what told it is still there.',
};

/** It stopped while others of the same stretch go on: for so many of its own intervals. */
const stepsMissed = 5;

function findEnded({ series }: Facts): readonly StateSeen[] {
  const last = Math.max(...series.map(({ points }) => points.at(-1)?.[0] ?? -Infinity));
  return series.flatMap((one) => {
    const { points } = one;
    if (points.length < 5) return [];
    const step = (points.at(-1)![0] - points[0]![0]) / (points.length - 1);
    const at = points.at(-1)![0];
    return last - at > stepsMissed * step && last - at > 60_000
      ? [
          {
            ...toStateSeen(one, silent),
            first: at + step,
            said: `${one.name} has no value after ${new Date(at).toISOString()}`,
          },
        ]
      : [];
  });
}

/** A series that holds the limit: `max_connections` beside `connections`. */
function limitOf({ name, labels }: Seen<Series>, { series }: Facts): number | null {
  const stem = name.replace(/^db_|_?(count|total|current|used|active)$/gi, '');
  const limit = series.find(
    (one) =>
      one.name !== name &&
      /max|limit/i.test(one.name) &&
      one.name.toLowerCase().includes(stem.toLowerCase().slice(0, 8)) &&
      serviceOf(one) === serviceOf({ labels }),
  );
  return limit?.points.at(-1)?.[1] ?? null;
}

function toStateSeen(series: Seen<Series>, condition: Condition): StateSeen {
  const object = objectOf(series);
  const [at] = series.points.at(-1)!;
  const value = series.points.at(-1)![1];
  return {
    condition,
    object: object ?? 'the system',
    service: object,
    first: null,
    last: at,
    isNow: true,
    said: `${series.name} is at ${value}`,
    evidence: series.evidence,
  };
}

/** What a series is about, where no label is one of a service: the one that names an object. */
export const objectOf = ({ labels }: Pick<Series, 'labels'>): string | null =>
  serviceOf({ labels }) ??
  Object.entries(labels).find(([name]) =>
    /identifier|instance|host|node|cluster|database|name$/i.test(name),
  )?.[1] ??
  null;
