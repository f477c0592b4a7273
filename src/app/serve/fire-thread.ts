import { sha256 } from '../../core/index.ts';
import type { Fire, Schedule } from '../../store/index.ts';

/** The conversation of a fire: the one of its schedule, or a new one for this fire. */
export const findFireThread = ({
  fire,
  schedule,
}: {
  readonly fire: Pick<Fire, 'id'>;
  readonly schedule: Pick<Schedule, 'id' | 'thread'>;
}): string => schedule.thread ?? `${schedule.id}-${sha256(fire.id).slice(0, 10)}`;
