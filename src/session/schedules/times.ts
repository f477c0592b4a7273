/** Computes when a schedule fires. */
import { Cron } from 'croner';
import { messageOf, SondeError, sha256 } from '../../core/index.ts';
import type { Trigger } from '../../store/index.ts';

/** The next time after `after`; null if there is none. Throws `bad_argument` for an invalid text. */
export function nextTime(trigger: Trigger, after: number): number | null {
  switch (trigger.kind) {
    case 'event':
      return null;
    case 'interval': {
      const { everyMs } = trigger;
      if (!Number.isSafeInteger(everyMs) || everyMs < minIntervalMs)
        throw new SondeError('bad_argument', {
          message: `An interval of ${everyMs} ms`,
          remedy: `Give whole milliseconds, at least ${minIntervalMs}.`,
        });
      // Counted from the epoch, so that every process finds the same times.
      return (Math.floor(after / everyMs) + 1) * everyMs;
    }
    case 'cron':
      return withCron(trigger, (times) => times.nextRun(new Date(after))?.getTime() ?? null);
  }
}

/** The last `max` times from `from` to `until`, both included, oldest first; `from` is one of them. */
export function listTimes(trigger: Trigger, from: number, until: number, max: number): readonly number[] {
  if (trigger.kind === 'event' || until < from) return [];
  if (trigger.kind === 'interval') {
    const { everyMs } = trigger;
    const count = Math.min(max, Math.floor((until - from) / everyMs) + 1);
    const lastTime = from + Math.floor((until - from) / everyMs) * everyMs;
    return Array.from({ length: count }, (_, nth) => lastTime - (count - 1 - nth) * everyMs);
  }
  // The library counts in whole seconds, and leaves out the time it counts from.
  const after = new Date(Math.floor(until / 1000) * 1000 + 1000);
  return withCron(trigger, (times) => times.previousRuns(max, after))
    .map((time) => time.getTime())
    .filter((time) => time >= from && time <= until)
    .sort((a, b) => a - b);
}

function withCron<Value>(
  { expression, zone }: Extract<Trigger, { kind: 'cron' }>,
  work: (times: Cron) => Value,
): Value {
  try {
    return work(new Cron(expression, { timezone: zone, paused: true, mode: '5-part' }));
  } catch (error) {
    throw new SondeError('bad_argument', {
      message: `${JSON.stringify(expression)} in the zone ${zone} is not a valid time: ${messageOf(error)}`,
      remedy: 'Write five fields of cron, such as `0 9 * * 1-5`, and a zone such as Europe/Berlin.',
      cause: error,
    });
  }
}

/** Minimum milliseconds between two times. */
const minIntervalMs = 1000;

/** Between 0 and `jitterMs`: spread over schedules and times, and always the same for the same schedule and time. */
export function jitterOf(schedule: string, due: number, jitterMs: number): number {
  if (jitterMs <= 0) return 0;
  return Number.parseInt(sha256(`${schedule}\0${due}`).slice(0, 12), 16) % (Math.floor(jitterMs) + 1);
}
