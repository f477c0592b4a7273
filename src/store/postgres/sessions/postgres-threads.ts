import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../core/index.ts';
import { throwLeaseLost } from '../../../core/pools.ts';
import { leaseHeldError } from '../../runs/run-rules.ts';
import {
  checkId,
  existsError,
  leaseKey,
  missingError,
  toChannelRow,
  toThreadRow,
} from '../../sessions/thread-rules.ts';
import type { Channels, ThreadLease, Threads } from '../../sessions/threads.ts';
import type { Lease } from '../../store.ts';
import type { PostgresDatabase, Row } from '../database.ts';
import type { PostgresLeases } from '../runs/postgres-leases.ts';
import { writerVersion } from '../schema/schema.ts';
import { raisedCodes } from '../store-errors.ts';

const columns = 'id, title, channel, created, updated';

export function postgresChannels(db: PostgresDatabase, clock: Clock): Channels {
  async function get(id: string) {
    const text = 'SELECT id, title, created FROM channels WHERE id = $1';
    const [row] = await db.ask({ name: 'channel', text, values: [id] });
    if (row === undefined) throw missingError('channel', id, db.path);
    return toChannelRow(row);
  }

  return {
    async create({ id, title = '' }) {
      checkId('channel', id);
      const attempt = randomUUID();
      const [, rows] = await db.transact([
        {
          name: 'create a channel',
          text: `INSERT INTO channels (id, title, created, made_by) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
          values: [id, title, clock.now(), attempt],
        },
        { name: 'own channel', text: 'SELECT * FROM channels WHERE id = $1', values: [id] },
      ]);
      if (rows![0]?.['made_by'] !== attempt) throw existsError('channel', id);
      return toChannelRow(rows![0]!);
    },
    get,
    list: async () =>
      (
        await db.ask({
          name: 'channels',
          text: 'SELECT id, title, created FROM channels ORDER BY id',
          values: [],
        })
      ).map(toChannelRow),
    async remove(id) {
      await get(id);
      await db.ask({ name: 'drop a channel', text: 'DELETE FROM channels WHERE id = $1', values: [id] });
    },
  };
}

export interface ThreadPorts {
  readonly clock: Clock;
  readonly leases: PostgresLeases;
  readonly channels: Channels;
  /** The fences of leases that this process has taken, by lease key. */
  readonly taken: Map<string, number>;
}

export function postgresThreads(
  db: PostgresDatabase,
  { clock, leases, channels, taken }: ThreadPorts,
): Threads {
  const find = async (id: string): Promise<Row | undefined> =>
    (await db.ask({ name: 'thread', text: `SELECT ${columns} FROM threads WHERE id = $1`, values: [id] }))[0];

  async function get(id: string) {
    const row = await find(id);
    if (row === undefined) throw missingError('thread', id, db.path);
    return toThreadRow(row);
  }

  async function release({ run, fence }: Pick<Lease, 'run' | 'fence'>): Promise<void> {
    await db.ask(leases.release([{ run, fence }]));
    if (taken.get(run) === fence) taken.delete(run);
  }

  return {
    async create({ id, title = '', channel = null }) {
      checkId('thread', id);
      if (channel !== null) await channels.get(channel);
      const attempt = randomUUID();
      const [, rows] = await db.transact([
        {
          name: 'create a thread',
          text: `INSERT INTO threads (id, title, channel, created, updated, made_by)
            SELECT $1, $2, $3, $4, $4, $5 FROM store_schema WHERE oldest <= $6 ON CONFLICT (id) DO NOTHING`,
          values: [id, title, channel, clock.now(), attempt, writerVersion],
        },
        {
          name: 'own thread',
          text: `SELECT ${columns}, made_by FROM threads WHERE id = $1`,
          values: [id],
        },
      ]);
      if (rows![0]?.['made_by'] !== attempt) throw existsError('thread', id);
      return toThreadRow(rows![0]!);
    },
    get,
    has: async (id) => (await find(id)) !== undefined,
    async list({ channel, limit = 50 } = {}) {
      const where = channel === undefined ? '' : 'WHERE channel IS NOT DISTINCT FROM $2';
      const rows = await db.ask({
        name: `threads ${where}`,
        text: `SELECT ${columns} FROM threads ${where} ORDER BY updated DESC, id DESC LIMIT $1`,
        values: [limit, ...(channel === undefined ? [] : [channel])],
      });
      return rows.map(toThreadRow);
    },
    async touch(lease, { title, channel } = {}) {
      const current = await get(lease.thread);
      if (channel !== undefined && channel !== null) await channels.get(channel);
      const values = [
        title ?? current.title,
        channel === undefined ? current.channel : channel,
        clock.now(),
        lease.thread,
      ];
      const [, rows] = await transactUnderLease(db, leases, lease, [
        {
          name: 'touch a thread',
          text: `UPDATE threads SET title = $1, channel = $2, updated = $3 WHERE id = $4 RETURNING ${columns}`,
          values,
        },
      ]);
      if (rows?.[0] === undefined) throw missingError('thread', lease.thread, db.path);
      return toThreadRow(rows[0]);
    },
    async acquire(id): Promise<ThreadLease> {
      const run = leaseKey((await get(id)).id);
      const deadHolder = leases.findDeadHolder(await leases.read(run));
      const [row] = await db.ask(leases.take(run, deadHolder));
      if (row === undefined) throw leaseHeldError(run, Number((await leases.read(run))?.['pid']));
      const leaseId = { run, fence: Number(row['fence']) };
      taken.set(run, leaseId.fence);
      return Object.freeze({
        ...leaseId,
        thread: id,
        async renew() {
          if ((await db.ask(leases.renew(run, leaseId.fence))).length === 0)
            throwLeaseLost(run, leaseId.fence);
        },
        release: () => release(leaseId),
      });
    },
    isHeld: async (id) => leases.findLiveHolder(await leases.read(leaseKey((await get(id)).id))) !== null,
    async remove(lease) {
      await transactUnderLease(db, leases, lease, [
        ...dropThread(lease.thread),
        {
          name: 'drop a thread',
          text: 'DELETE FROM threads WHERE id = $1',
          values: [lease.thread],
        },
      ]);
      await release(lease);
    },
  };
}

/** Statements that delete everything that checkpoints of the thread have stored. */
export const dropThread = (thread: string) =>
  ['checkpoints', 'writes', 'lists', 'pieces'].map((table) => ({
    name: `drop ${table}`,
    text: `DELETE FROM langgraph_${table} WHERE thread_id = $1`,
    values: [thread],
  }));

/** Sends statements under a lease. They must be safe to send twice. Rejects with `lease_lost`. */
export function transactUnderLease(
  db: PostgresDatabase,
  leases: PostgresLeases,
  { run, fence }: Pick<Lease, 'run' | 'fence'>,
  statements: Parameters<PostgresDatabase['transact']>[0],
) {
  return db.transact([leases.require(run, fence), ...statements], (code) => {
    if (code === raisedCodes.leaseLost) throwLeaseLost(run, fence);
  });
}
