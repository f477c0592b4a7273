import { type Clock, isSondeError, SondeError } from '../core/index.ts';
import type { Database, Row } from './database.ts';
import type { Leases } from './leases.ts';
import type { Fire, Schedule, ScheduleRow, Schedules } from './schedules.ts';

export function sqliteSchedules(db: Database, leases: Leases, clock: Clock): Schedules {
  function get(id: string): ScheduleRow {
    const row = db.get('SELECT * FROM schedules WHERE id = ?', id);
    if (row !== undefined) return scheduleRow(row);
    throw new SondeError('not_found', {
      message: `There is no schedule ${id} in ${db.path}`,
      remedy: 'List the schedules there are.',
    });
  }

  const waiting = (fire: string) =>
    db.get("SELECT 1 FROM schedule_fires WHERE id = ? AND state = 'waiting'", fire) !== undefined;

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
      db.run('DELETE FROM schedules WHERE id = ?', id);
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
    advance(id, seen, fires, next) {
      return db.atomic(() => {
        const moved = 'UPDATE schedules SET next = ? WHERE id = ? AND next IS ? AND enabled = 1';
        if (db.run(moved, next, id, seen) === 0) return false;
        for (const { key, due, at, payload } of fires)
          db.run(
            `INSERT INTO schedule_fires (id, schedule, due, at, payload, state) VALUES (?, ?, ?, ?, ?, 'waiting')
             ON CONFLICT (id) DO NOTHING`,
            `${id}/${key}`,
            id,
            due,
            at,
            JSON.stringify(payload ?? null),
          );
        return true;
      });
    },
    waiting: (now) =>
      db
        .all("SELECT * FROM schedule_fires WHERE state = 'waiting' AND at <= ? ORDER BY at, id", now)
        .map(fireRow),
    fires: (schedule, limit = 50) =>
      db
        .all(
          'SELECT * FROM schedule_fires WHERE schedule = ? ORDER BY due DESC, id DESC LIMIT ?',
          schedule,
          limit,
        )
        .map(fireRow),
    acquire(fire) {
      try {
        return db.atomic(() => (waiting(fire) ? leases.acquire(leaseKey(fire)) : null));
      } catch (error) {
        if (isSondeError(error, 'run_state')) return null;
        throw error;
      }
    },
    finish(lease, fire, outcome, note) {
      db.atomic(() => {
        leases.check({ run: leaseKey(fire), fence: lease.fence });
        db.run('UPDATE schedule_fires SET state = ?, note = ? WHERE id = ?', outcome, note ?? null, fire);
      });
      lease.release();
    },
    nextAt() {
      const row = db.get(`
        SELECT min(at) AS at FROM (
          SELECT min(next) AS at FROM schedules WHERE enabled = 1
          UNION ALL SELECT min(at) FROM schedule_fires WHERE state = 'waiting'
        )`);
      const at = row?.['at'];
      return at === null || at === undefined ? null : Number(at);
    },
  };
}

const leaseKey = (fire: string) => `fire/${fire}`;

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

function fireRow({ id, schedule, due, at, payload, state, note }: Row): Fire {
  return Object.freeze({
    id: String(id),
    schedule: String(schedule),
    due: Number(due),
    at: Number(at),
    payload: JSON.parse(String(payload)),
    state: String(state) as Fire['state'],
    note: note === null ? null : String(note),
  });
}
