import { type Clock, SondeError } from '../../core/index.ts';
import type { Database, Row } from '../database.ts';
import type { QueueRows } from '../queue/queue-rows.ts';
import { fireOf, fireTopic, type Schedule, type ScheduleRow, type Schedules } from '../schedules.ts';

export function sqliteSchedules(db: Database, queue: QueueRows, clock: Clock): Schedules {
  function get(id: string): ScheduleRow {
    const row = db.get('SELECT * FROM schedules WHERE id = ?', id);
    if (row !== undefined) return scheduleRow(row);
    throw new SondeError('not_found', {
      message: `There is no schedule ${id} in ${db.path}`,
      remedy: 'List the schedules there are.',
    });
  }

  return {
    add(schedule, next) {
      const { id, enabled, ...rest } = schedule;
      const sql = `
        INSERT INTO schedules (id, schedule, enabled, next, created) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING`;
      if (db.run(sql, id, JSON.stringify(rest), enabled ? 1 : 0, next, clock.now()) === 0)
        throw new SondeError('run_state', {
          message: `There is a schedule ${id} already`,
          remedy: 'Remove it first, or take another id.',
        });
      return get(id);
    },
    get,
    list: () => db.all('SELECT * FROM schedules ORDER BY id').map(scheduleRow),
    remove(id) {
      get(id);
      db.atomic(() => {
        queue.removeGroup(fireTopic, id);
        db.run('DELETE FROM schedules WHERE id = ?', id);
      });
    },
    enable(id, enabled, next) {
      get(id);
      db.run('UPDATE schedules SET enabled = ?, next = ? WHERE id = ?', enabled ? 1 : 0, next, id);
      return get(id);
    },
    due: (now) =>
      db
        .all('SELECT * FROM schedules WHERE enabled = 1 AND next <= ? ORDER BY next, id', now)
        .map(scheduleRow),
    async advance(id, seen, fires, next) {
      return db.atomic(() => {
        const moved = 'UPDATE schedules SET next = ? WHERE id = ? AND next IS ? AND enabled = 1';
        if (db.run(moved, next, id, seen) === 0) return false;
        queue.enqueue(
          fires.map(({ key, due, at, payload }) => ({
            topic: fireTopic,
            key: `${id}/${key}`,
            group: id,
            due: at,
            payload: { due, payload: payload ?? null },
          })),
        );
        return true;
      });
    },
    async fires(schedule, limit = 50) {
      return queue.list({ topic: fireTopic, group: schedule, max: limit }).jobs.map(fireOf);
    },
    nextAt() {
      const row = db.get('SELECT min(next) AS at FROM schedules WHERE enabled = 1');
      const at = row?.['at'];
      return at === null || at === undefined ? null : Number(at);
    },
  };
}

function scheduleRow({ id, schedule, enabled, next, created }: Row): ScheduleRow {
  const rest = JSON.parse(String(schedule)) as Omit<Schedule, 'id' | 'enabled'>;
  return Object.freeze({
    id: String(id),
    ...rest,
    enabled: enabled === 1,
    next: next === null ? null : Number(next),
    created: Number(created),
  });
}
