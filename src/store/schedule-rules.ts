/** Rules of schedules, the same in every engine. */
import { SondeError } from '../core/index.ts';
import type { NewJob } from './queue/queue.ts';
import { fireTopic, type NewFire, type Schedule, type ScheduleRow } from './schedules.ts';

/** A fire as the job that it is. */
export const fireJob = (schedule: string, { key, due, at, payload }: NewFire): NewJob => ({
  topic: fireTopic,
  key: `${schedule}/${key}`,
  group: schedule,
  due: at,
  payload: { due, payload: payload ?? null },
});

export const noSchedule = (id: string, path: string): SondeError =>
  new SondeError('not_found', {
    message: `There is no schedule ${id} in ${path}`,
    remedy: 'List the schedules there are.',
  });

export const scheduleTaken = (id: string): SondeError =>
  new SondeError('run_state', {
    message: `There is a schedule ${id} already`,
    remedy: 'Remove it first, or take another id.',
  });

export function scheduleRow({
  id,
  schedule,
  enabled,
  next,
  created,
}: Readonly<Record<string, unknown>>): ScheduleRow {
  const rest = JSON.parse(String(schedule)) as Omit<Schedule, 'id' | 'enabled'>;
  return Object.freeze({
    id: String(id),
    ...rest,
    enabled: enabled === 1,
    next: next === null ? null : Number(next),
    created: Number(created),
  });
}
