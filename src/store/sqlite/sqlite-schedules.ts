import type { Clock } from '../../core/index.ts';
import type { Database } from '../database.ts';
import type { QueueRows } from '../queue/queue-rows.ts';
import {
  createFireJob,
  createSwitchAct,
  noScheduleError,
  scheduleExistsError,
  toScheduleRow,
  toSwitchedJson,
} from '../sessions/schedule-rules.ts';
import { fireTopic, type ScheduleRow, type Schedules, toFire } from '../sessions/schedules.ts';
import { recordAct } from './sqlite-writes.ts';
import type { Synchronous } from './synchronous.ts';

export function sqliteSchedules(db: Database, queue: QueueRows, clock: Clock): Synchronous<Schedules> {
  function get(id: string): ScheduleRow {
    const row = db.get('SELECT * FROM schedules WHERE id = ?', id);
    if (row !== undefined) return toScheduleRow(row);
    throw noScheduleError(id);
  }

  return {
    add(schedule, next, by) {
      const { id, enabled, ...rest } = schedule;
      const sql = `
        INSERT INTO schedules (id, schedule, enabled, next, created) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING`;
      return db.atomic(() => {
        if (db.run(sql, id, JSON.stringify(rest), enabled ? 1 : 0, next, clock.now()) === 0)
          throw scheduleExistsError(id);
        recordAct(db, by, { act: 'schedule_added', on: id }, clock.now());
        return get(id);
      });
    },
    get,
    list: () => db.all('SELECT * FROM schedules ORDER BY id').map(toScheduleRow),
    remove(id, by) {
      get(id);
      db.atomic(() => {
        queue.removeGroup(fireTopic, id);
        db.run('DELETE FROM schedules WHERE id = ?', id);
        recordAct(db, by, { act: 'schedule_removed', on: id }, clock.now());
      });
    },
    enable(id, enabled, next, by) {
      return db.atomic(() => {
        const text = toSwitchedJson(get(id), enabled, clock.now());
        const sql = 'UPDATE schedules SET schedule = ?, enabled = ?, next = ? WHERE id = ?';
        db.run(sql, text, enabled ? 1 : 0, next, id);
        recordAct(db, by, createSwitchAct(id, enabled), clock.now());
        return get(id);
      });
    },
    due: (now) =>
      db
        .all('SELECT * FROM schedules WHERE enabled = 1 AND next <= ? ORDER BY next, id', now)
        .map(toScheduleRow),
    advance(id, expectedNext, fires, next) {
      return db.atomic(() => {
        const sql = 'UPDATE schedules SET next = ? WHERE id = ? AND next IS ? AND enabled = 1';
        if (db.run(sql, next, id, expectedNext) === 0) return false;
        queue.enqueue(fires.map((fire) => createFireJob(id, fire)));
        return true;
      });
    },
    fires(schedule, limit = 50) {
      return queue.list({ topic: fireTopic, group: schedule, max: limit }).jobs.map(toFire);
    },
    nextTime() {
      const row = db.get('SELECT min(next) AS at FROM schedules WHERE enabled = 1');
      const at = row?.['at'];
      return at === null || at === undefined ? null : Number(at);
    },
  };
}
