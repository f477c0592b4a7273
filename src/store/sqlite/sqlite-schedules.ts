import type { Clock } from '../../core/index.ts';
import type { Database } from '../database.ts';
import type { QueueRows } from '../queue/queue-rows.ts';
import {
  fireJob,
  noSchedule,
  scheduleRow,
  scheduleTaken,
  switchAct,
  textAfterSwitch,
} from '../sessions/schedule-rules.ts';
import { fireOf, fireTopic, type ScheduleRow, type Schedules } from '../sessions/schedules.ts';
import { keepAct } from './sqlite-writes.ts';
import type { Synchronous } from './synchronous.ts';

export function sqliteSchedules(db: Database, queue: QueueRows, clock: Clock): Synchronous<Schedules> {
  function get(id: string): ScheduleRow {
    const row = db.get('SELECT * FROM schedules WHERE id = ?', id);
    if (row !== undefined) return scheduleRow(row);
    throw noSchedule(id);
  }

  return {
    add(schedule, next, by) {
      const { id, enabled, ...rest } = schedule;
      const sql = `
        INSERT INTO schedules (id, schedule, enabled, next, created) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING`;
      return db.atomic(() => {
        if (db.run(sql, id, JSON.stringify(rest), enabled ? 1 : 0, next, clock.now()) === 0)
          throw scheduleTaken(id);
        keepAct(db, by, { act: 'schedule_added', on: id }, clock.now());
        return get(id);
      });
    },
    get,
    list: () => db.all('SELECT * FROM schedules ORDER BY id').map(scheduleRow),
    remove(id, by) {
      get(id);
      db.atomic(() => {
        queue.removeGroup(fireTopic, id);
        db.run('DELETE FROM schedules WHERE id = ?', id);
        keepAct(db, by, { act: 'schedule_removed', on: id }, clock.now());
      });
    },
    enable(id, enabled, next, by) {
      return db.atomic(() => {
        const text = textAfterSwitch(get(id), enabled, clock.now());
        const sql = 'UPDATE schedules SET schedule = ?, enabled = ?, next = ? WHERE id = ?';
        db.run(sql, text, enabled ? 1 : 0, next, id);
        keepAct(db, by, switchAct(id, enabled), clock.now());
        return get(id);
      });
    },
    due: (now) =>
      db
        .all('SELECT * FROM schedules WHERE enabled = 1 AND next <= ? ORDER BY next, id', now)
        .map(scheduleRow),
    advance(id, seen, fires, next) {
      return db.atomic(() => {
        const moved = 'UPDATE schedules SET next = ? WHERE id = ? AND next IS ? AND enabled = 1';
        if (db.run(moved, next, id, seen) === 0) return false;
        queue.enqueue(fires.map((fire) => fireJob(id, fire)));
        return true;
      });
    },
    fires(schedule, limit = 50) {
      return queue.list({ topic: fireTopic, group: schedule, max: limit }).jobs.map(fireOf);
    },
    nextAt() {
      const row = db.get('SELECT min(next) AS at FROM schedules WHERE enabled = 1');
      const at = row?.['at'];
      return at === null || at === undefined ? null : Number(at);
    },
  };
}
