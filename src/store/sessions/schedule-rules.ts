/** Rules of schedules that all engines share. */
import { SondeError } from '../../core/index.ts';
import type { Act } from '../audit.ts';
import type { NewJob } from '../queue/queue.ts';
import { type FirePayload, fireTopic, type NewFire, type Schedule, type ScheduleRow } from './schedules.ts';

/** The job of a fire. */
export const createFireJob = (schedule: string, { key, due, at, payload, byHand }: NewFire): NewJob => ({
  topic: fireTopic,
  key: `${schedule}/${key}`,
  group: schedule,
  due: at,
  payload: { due, payload: payload ?? null, ...(byHand && { by_hand: byHand }) } satisfies FirePayload,
});

export const noScheduleError = (id: string): SondeError =>
  new SondeError('not_found', {
    message: `There is no schedule ${id}`,
    remedy: 'List the schedules there are.',
  });

export const scheduleExistsError = (id: string): SondeError =>
  new SondeError('run_state', {
    message: `There is a schedule ${id} already`,
    remedy: 'Remove it first, or take another id.',
  });

/**
 * The JSON of a schedule that is enabled or disabled. Enabling sets `since`, so that events from before start nothing.
 */
export function toSwitchedJson(row: ScheduleRow, enabled: boolean, now: number): string {
  const { id: _, enabled: wasEnabled, next: __, created: ___, ...rest } = row;
  return JSON.stringify(enabled && !wasEnabled ? { ...rest, since: now } : rest);
}

export const createSwitchAct = (id: string, enabled: boolean): Act => ({
  act: enabled ? 'schedule_enabled' : 'schedule_disabled',
  on: id,
});

export function toScheduleRow({
  id,
  schedule,
  enabled,
  next,
  created,
}: Readonly<Record<string, unknown>>): ScheduleRow {
  const storedSchedule = JSON.parse(String(schedule)) as Omit<Schedule, 'id' | 'enabled'> & {
    readonly since?: number;
  };
  return Object.freeze({
    id: String(id),
    ...storedSchedule,
    enabled: enabled === 1,
    next: next === null ? null : Number(next),
    created: Number(created),
    since: storedSchedule.since ?? Number(created),
  });
}
