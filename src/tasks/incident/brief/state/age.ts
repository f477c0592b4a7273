/** When a state began. What began after the trouble did not cause it. */
import type { Movement } from '../movement.ts';
import type { StateSeen } from './condition.ts';

/** Clocks differ, series are sampled, and a message waits until somebody meets the state. Milliseconds. */
const slack = 2 * 60_000;

/**
 * States that build up before anybody tells of them: the series by which they do. All others begin at a moment, such as
 * the end of a certificate.
 */
const buildUps: readonly (readonly [of: (state: StateSeen) => boolean, series: RegExp])[] = [
  [({ condition }) => condition.resource === 'memory', /mem|heap|swap|rss/i],
  [({ condition }) => condition.resource === 'storage', /disk|storage|space|volume|filesystem|wal/i],
  [({ condition }) => condition.resource === 'connections', /conn|pool|session|client/i],
  [({ condition }) => condition.resource === 'cpu', /cpu|processor|load/i],
  [({ condition }) => condition.category === 'replication_lag', /lag|delay|behind|wal|slot|write|iops/i],
  [({ condition }) => condition.category === 'checkpoint_io_storm', /checkpoint|write|iops|disk|log|wal/i],
];

/**
 * The first sign of a state: the first message or event of it, or the moment at which a series that shows it left its
 * course. Milliseconds since the Unix epoch; null if no record of it has a time.
 */
export function firstSignOf(states: readonly StateSeen[], movements: readonly Movement[]): number | null {
  const times = states.flatMap((state) => [
    ...(state.first === null ? [] : [state.first]),
    ...turns(state, movements),
  ]);
  return times.length === 0 ? null : Math.min(...times);
}

function turns(state: StateSeen, movements: readonly Movement[]): readonly number[] {
  const { evidence, service, object, said } = state;
  const series = buildUps.find(([isOne]) => isOne(state))?.[1];
  return movements
    .filter(
      (one) =>
        (one.service === service || one.service === object) &&
        ((one.evidence === evidence && said.startsWith(`${one.metric} is at `)) ||
          series?.test(one.metric) === true),
    )
    .map(({ onset }) => onset);
}

/** When the series by which memory or a disk fills up left its course; null if none did. */
export function buildUpOf(states: readonly StateSeen[], movements: readonly Movement[]): number | null {
  const times = states
    .filter(({ condition }) => condition.resource === 'memory' || condition.resource === 'storage')
    .flatMap((state) => turns(state, movements));
  return times.length === 0 ? null : Math.min(...times);
}

export type Age = 'before' | 'after' | 'unknown';

/** Whether a state is older than the trouble. `movements`: all that are known, those after the alert too. */
export function ageOf(states: readonly StateSeen[], movements: readonly Movement[], onset: number): Age {
  const first = firstSignOf(states, movements);
  return first === null ? 'unknown' : first > onset + slack ? 'after' : 'before';
}
