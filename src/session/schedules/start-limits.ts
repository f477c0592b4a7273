/** Checks whether a limit holds back a due schedule. */
import type { Amounts } from '../../core/index.ts';
import type { Job, Schedule, ScheduleLimits } from '../../store/index.ts';

/** A start that the limits of its schedule admitted. It is stored with the job, so that the next process knows it. */
export interface AdmittedStart {
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** The limits of the turn, which may be narrower than those of its schedule. */
  readonly limits: Amounts;
}

export const readStarted = ({ kept }: Pick<Job, 'kept'>): AdmittedStart | null =>
  (kept as Partial<AdmittedStart> | null)?.started === undefined ? null : (kept as AdmittedStart);

/** The beginning of the day that contains `now`, in the given zone. Milliseconds since the epoch. */
export function dayStart(now: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  }).formatToParts(now);
  const partOf = (type: string): number => Number(parts.find((each) => each.type === type)?.value ?? 0);
  return now - ((partOf('hour') * 60 + partOf('minute')) * 60 + partOf('second')) * 1000 - (now % 1000);
}

export const zoneOf = ({ trigger }: Pick<Schedule, 'trigger'>): string =>
  trigger.kind === 'cron' ? trigger.zone : Intl.DateTimeFormat().resolvedOptions().timeZone;

export interface TodayUse {
  readonly started: number;
  /** The cost of its turns today: spent, and still reserved. */
  readonly usd: number;
}

/** Null if the turn may start. */
export function reasonToHold(
  { perDay, usdPerDay }: ScheduleLimits,
  { started, usd }: TodayUse,
): string | null {
  if (perDay !== undefined && started >= perDay)
    return `held by --max-per-day ${perDay}: ${started} ${started === 1 ? 'turn' : 'turns'} started today`;
  if (usdPerDay !== undefined && usd >= usdPerDay)
    return `held by --max-usd-per-day ${usdPerDay}: $${usd.toFixed(2)} of today are spent or reserved`;
  return null;
}
