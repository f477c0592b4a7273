import { sha256 } from '../../core/index.ts';
import type { Fire, Schedule } from '../../store/index.ts';

/** The conversation of a fire: the schedule's own, or one that is its alone. */
export const threadOfFire = ({
  fire,
  schedule,
}: {
  readonly fire: Pick<Fire, 'id'>;
  readonly schedule: Pick<Schedule, 'id' | 'thread'>;
}): string => schedule.thread ?? `${schedule.id}-${sha256(fire.id).slice(0, 10)}`;
