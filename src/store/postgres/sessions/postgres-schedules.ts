import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../core/index.ts';
import type { Queue } from '../../queue/queue.ts';
import {
  createFireJob,
  createSwitchAct,
  noScheduleError,
  scheduleExistsError,
  toScheduleRow,
  toSwitchedJson,
} from '../../sessions/schedule-rules.ts';
import { fireTopic, type Schedules, toFire } from '../../sessions/schedules.ts';
import type { PostgresDatabase, Statement } from '../database.ts';
import { recordAct } from '../team/postgres-audit.ts';

const selectSchedule = (id: string): Statement => ({
  name: 'schedule',
  text: 'SELECT * FROM schedules WHERE id = $1',
  values: [id],
});

const createExistsCondition = (id: string) => ({
  name: 'a schedule',
  test: 'EXISTS (SELECT 1 FROM schedules WHERE id = $1::text)',
  values: [id],
});

export function postgresSchedules(db: PostgresDatabase, queue: Queue, clock: Clock): Schedules {
  async function get(id: string) {
    const [row] = await db.ask(selectSchedule(id));
    if (row === undefined) throw noScheduleError(id);
    return toScheduleRow(row);
  }

  return {
    async add(schedule, next, by) {
      const { id, enabled, ...rest } = schedule;
      const attempt = randomUUID();
      const [, rows] = await db.transact([
        {
          name: 'add a schedule',
          text: `INSERT INTO schedules (id, schedule, enabled, next, created, made_by) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (id) DO NOTHING`,
          values: [id, JSON.stringify(rest), enabled ? 1 : 0, next, clock.now(), attempt],
        },
        selectSchedule(id),
        ...recordAct(
          by,
          { act: 'schedule_added', on: id },
          {
            name: 'own schedule',
            test: 'EXISTS (SELECT 1 FROM schedules WHERE id = $1::text AND made_by = $2::text)',
            values: [id, attempt],
          },
        ),
      ]);
      if (rows![0]?.['made_by'] !== attempt) throw scheduleExistsError(id);
      return toScheduleRow(rows![0]!);
    },
    get,
    list: async () =>
      (await db.ask({ name: 'schedules', text: 'SELECT * FROM schedules ORDER BY id', values: [] })).map(
        toScheduleRow,
      ),
    async remove(id, by) {
      await get(id);
      await db.transact([
        ...recordAct(by, { act: 'schedule_removed', on: id }, createExistsCondition(id)),
        {
          name: 'drop fires',
          text: 'DELETE FROM queue_jobs WHERE topic = $1 AND job_group = $2',
          values: [fireTopic, id],
        },
        { name: 'drop a schedule', text: 'DELETE FROM schedules WHERE id = $1', values: [id] },
      ]);
    },
    async enable(id, enabled, next, by) {
      const schedule = toSwitchedJson(await get(id), enabled, clock.now());
      const text = 'UPDATE schedules SET schedule = $4, enabled = $2, next = $3 WHERE id = $1';
      await db.transact([
        { name: 'enable a schedule', text, values: [id, enabled ? 1 : 0, next, schedule] },
        ...recordAct(by, createSwitchAct(id, enabled), createExistsCondition(id)),
      ]);
      return get(id);
    },
    async due(now) {
      const text = 'SELECT * FROM schedules WHERE enabled = 1 AND next <= $1 ORDER BY next, id';
      return (await db.ask({ name: 'due schedules', text, values: [now] })).map(toScheduleRow);
    },
    async advance(id, expectedNext, fires, next) {
      const row = await get(id).catch(() => null);
      if (row === null || !row.enabled || row.next !== expectedNext) return false;
      // The fires come first: after a crash at this point the schedule is still due, and the fires are not added
      // twice, since their keys are known.
      if (fires.length > 0) await queue.enqueue(fires.map((fire) => createFireJob(id, fire)));
      const changedRows = await db.ask({
        name: 'move a schedule',
        text: `UPDATE schedules SET next = $2 WHERE id = $1 AND enabled = 1
          AND (next IS NOT DISTINCT FROM $3 OR next IS NOT DISTINCT FROM $2) RETURNING id`,
        values: [id, next, expectedNext],
      });
      return changedRows.length > 0;
    },
    async fires(schedule, limit = 50) {
      return (await queue.list({ topic: fireTopic, group: schedule, max: limit })).jobs.map(toFire);
    },
    async nextTime() {
      const text = 'SELECT min(next) AS at FROM schedules WHERE enabled = 1';
      const at = (await db.ask({ name: 'next schedule', text, values: [] }))[0]?.['at'];
      return at === null || at === undefined ? null : Number(at);
    },
  };
}
