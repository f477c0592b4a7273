/** Finds counters that begin to rise, and targets that were up and are down: their names say what happened. */
import type { Series } from '../../../../core/index.ts';
import type { Condition } from './condition.ts';
import * as conditions from './conditions.ts';

interface Counter {
  readonly name: RegExp;
  readonly condition: Condition;
}

/** Counters that rise only when something is refused, killed or lost. */
const counters: readonly Counter[] = [
  { name: /evicted_?keys|evictions?(_total)?$|cache_evict/i, condition: conditions.memory },
  { name: /oom_?kill|oom_events|memory_alarm|mem_alarm/i, condition: conditions.memory },
  { name: /disk_?(free_)?alarm/i, condition: conditions.lowDisk },
  {
    name: /rejected_?conn|conn\w*_?(rejected|refused)|aborted_connects|connection_errors_max|listen_?(overflow|drop)|conntrack\w*drop/i,
    condition: conditions.connections,
  },
  { name: /deadlocks?(_total|_per\w*)?$|lock_(wait_)?timeouts?/i, condition: conditions.locks },
  {
    name: /(disk|io|device|media|ecc|smart)_?errors?|uncorrectable|checksum_(errors|failures)/i,
    condition: conditions.hardware,
  },
  { name: /replication_(errors|broken)|slave_errors/i, condition: conditions.replication },
  { name: /thrott(led|les)|rate_?limited/i, condition: conditions.throttled },
  { name: /wraparound|xid_exhaust/i, condition: conditions.wraparound },
];

const targetDown: Condition = {
  name: 'a target that is down',
  category: 'infrastructure',
  role: 'root',
  remedy: 'Look why it is down, and whether it was meant to be.',
};
const linkDown: Condition = { ...conditions.replication, name: 'a replica without its primary' };

/** Metrics that are 1 while all is well. */
const upNames: readonly Counter[] = [
  {
    name: /(master|primary|replication)_?link|slave_(io|sql)_running|replica_connected/i,
    condition: linkDown,
  },
  {
    name: /^(up|\w*_up|healthy|\w*_healthy|is_(up|alive|ready)|probe_success|alive|running)$/i,
    condition: targetDown,
  },
];

/** Metrics of the time left until a certificate expires. */
const timeLeft: Counter = {
  name: /(cert\w*|tls|ssl)\w*(expir|remaining|left|not_after|valid)/i,
  condition: conditions.certificate,
};

export interface CounterFinding {
  readonly condition: Condition;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  readonly quote: string;
}

/** Minimum points before a counter rises, and after it: with fewer, it may be a single event. */
const minPointsBefore = 4;
const minPointsAfter = 2;

export function readCounter({ name, points }: Series): CounterFinding | null {
  const [first] = points;
  if (first === undefined) return null;
  const riseIndex = points.findIndex(([, value]) => value !== first[1]);
  const toFinding = (condition: Condition, at: number): CounterFinding => ({
    condition,
    since: points[at]![0],
    quote: `${name} went from ${first[1]} to ${points.at(-1)![1]}`,
  });
  const upCounter = upNames.find((counter) => counter.name.test(name));
  if (upCounter !== undefined) {
    const downIndex = points.findLastIndex(([, value]) => value >= 1) + 1;
    return first[1] >= 1 &&
      downIndex >= minPointsBefore - 1 &&
      points.length - downIndex >= minPointsAfter &&
      points[downIndex]![1] < 0.5
      ? toFinding(upCounter.condition, downIndex)
      : null;
  }
  if (timeLeft.name.test(name)) {
    const endIndex = points.findIndex(([, value]) => value <= 0);
    return endIndex >= 0 && points.at(-1)![1] <= 0 ? toFinding(timeLeft.condition, endIndex) : null;
  }
  const counter = counters.find((counter) => counter.name.test(name));
  if (counter === undefined || riseIndex < minPointsBefore) return null;
  const afterRise = points.slice(riseIndex);
  const isMore = afterRise.filter(([, value]) => value > first[1]).length >= minPointsAfter;
  // A counter that falls back at once counted a single event.
  return isMore && afterRise.at(-1)![1] > first[1] ? toFinding(counter.condition, riseIndex) : null;
}
