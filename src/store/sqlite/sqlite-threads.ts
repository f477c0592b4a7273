import type { Clock } from '../../core/index.ts';
import type { Database } from '../database.ts';
import type { Leases } from '../runs/sqlite-leases.ts';
import type { Checkpoints } from '../sessions/checkpoints.ts';
import {
  checkId,
  existsError,
  leaseKey,
  missingError,
  toChannelRow,
  toThreadRow,
} from '../sessions/thread-rules.ts';
import type { ChannelRow, Channels, ThreadLease, ThreadRow, Threads } from '../sessions/threads.ts';
import type { Synchronous } from './synchronous.ts';

export function sqliteChannels(db: Database, clock: Clock): Synchronous<Channels> {
  function get(id: string): ChannelRow {
    const row = db.get('SELECT * FROM channels WHERE id = ?', id);
    if (row === undefined) throw missingError('channel', id, db.path);
    return toChannelRow(row);
  }

  return {
    create({ id, title = '' }) {
      checkId('channel', id);
      const sql = 'INSERT INTO channels (id, title, created) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING';
      if (db.run(sql, id, title, clock.now()) === 0) throw existsError('channel', id);
      return get(id);
    },
    get,
    list: () => db.all('SELECT * FROM channels ORDER BY id').map(toChannelRow),
    remove(id) {
      if (db.run('DELETE FROM channels WHERE id = ?', id) === 0) throw missingError('channel', id, db.path);
    },
  };
}

export function sqliteThreads(
  db: Database,
  leases: Leases,
  checkpoints: Synchronous<Checkpoints>,
  channels: Synchronous<Channels>,
  clock: Clock,
): Synchronous<Threads> {
  const find = (id: string) => db.get('SELECT * FROM threads WHERE id = ?', id);

  function get(id: string): ThreadRow {
    const row = find(id);
    if (row === undefined) throw missingError('thread', id, db.path);
    return toThreadRow(row);
  }

  return {
    create({ id, title = '', channel = null }) {
      checkId('thread', id);
      return db.atomic(() => {
        if (channel !== null) channels.get(channel);
        const sql = `
          INSERT INTO threads (id, title, channel, created, updated) VALUES (?1, ?2, ?3, ?4, ?4)
          ON CONFLICT (id) DO NOTHING`;
        if (db.run(sql, id, title, channel, clock.now()) === 0) throw existsError('thread', id);
        return get(id);
      });
    },
    get,
    has: (id) => find(id) !== undefined,
    list({ channel, limit = 50 } = {}) {
      const where = channel === undefined ? 'WHERE ? IS NULL' : 'WHERE channel IS ?';
      const sql = `SELECT * FROM threads ${where} ORDER BY updated DESC, id DESC LIMIT ?`;
      return db.all(sql, channel ?? null, limit).map(toThreadRow);
    },
    touch(lease, { title, channel } = {}) {
      return db.atomic(() => {
        leases.check(lease);
        const current = get(lease.thread);
        if (channel !== undefined && channel !== null) channels.get(channel);
        db.run(
          'UPDATE threads SET title = ?, channel = ?, updated = ? WHERE id = ?',
          title ?? current.title,
          channel === undefined ? current.channel : channel,
          clock.now(),
          lease.thread,
        );
        return get(lease.thread);
      });
    },
    acquire(id): ThreadLease {
      const run = leaseKey(get(id).id);
      const leaseId = { run, fence: leases.acquire(run) };
      return Object.freeze({
        ...leaseId,
        thread: id,
        renew: async () => leases.renew(leaseId),
        release: async () => leases.release(leaseId),
      });
    },
    isHeld: (id) => leases.hasLiveHolder(leaseKey(get(id).id)),
    remove(lease) {
      db.atomic(() => {
        checkpoints.remove(lease);
        db.run('DELETE FROM threads WHERE id = ?', lease.thread);
      });
      leases.release(lease);
    },
  };
}
