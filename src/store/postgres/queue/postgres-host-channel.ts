/** Messages between fronts and the host of a workspace, as rows that NOTIFY announces. */
import { randomUUID } from 'node:crypto';
import { SondeError } from '../../../core/index.ts';
import { throwLeaseLost } from '../../../core/pools.ts';
import type {
  HostBackup,
  HostChannel,
  HostedEvent,
  HostFile,
  HostNotice,
  HostSeat,
} from '../../host-channel.ts';
import type { PostgresOptions } from '../connection.ts';
import { openPostgres, type PostgresDatabase, type Row, type Statement } from '../database.ts';
import { escapeNul, unescapeNul } from '../escape-nul.ts';
import { postgresLeases } from '../runs/postgres-leases.ts';
import { writerVersion } from '../schema/schema.ts';
import { raisedCodes } from '../store-errors.ts';
import { openListener } from './listener.ts';

export interface HostChannelOptions extends PostgresOptions {
  /** How long a host keeps its seat without renewing it. Milliseconds; default 10 s. */
  readonly leaseMs?: number;
  /** Milliseconds between reads of the tables, for notices that were missed. */
  readonly pollMs?: number;
}

const seatName = 'host';
/** Maximum age of a question that is answered. Milliseconds. */
const maxAgeMs = 60_000;
const deleteAfterMs = 60 * 60_000;
const defaultPatienceMs = 15_000;

/** Connects at the first statement. Every promise may reject with `store_away`. */
export function openPostgresHostChannel(options: HostChannelOptions): HostChannel {
  const { schema = 'sonde', leaseMs = 10_000, pollMs = 1_000 } = options;
  const db = openPostgres(options);
  const listener = openListener(options);
  const leases = postgresLeases(db, { leaseMs });
  const seats = new Set<HostSeat>();

  async function notify(hostNotice: HostNotice): Promise<void> {
    await db.ask({
      name: 'notify',
      text: 'SELECT pg_notify($1, $2)',
      values: [schema, JSON.stringify(hostNotice)],
    });
  }

  return Object.freeze({
    async readAbout() {
      const row = await leases.read(seatName);
      if (leases.findLiveHolder(row) === null) return null;
      const [about] = await db.ask({ name: 'about', text: 'SELECT about FROM host_about', values: [] });
      return about === undefined ? null : JSON.parse(String(about['about']));
    },
    async takeSeat(about) {
      const previousRow = await leases.read(seatName);
      const sentAt = performance.now();
      const [row] = await db.ask(leases.take(seatName, leases.findDeadHolder(previousRow)));
      if (row === undefined) return null;
      const seat = createSeat({
        ...{ db, leases, leaseMs, pollMs, notify },
        fence: Number(row['fence']),
        heldUntil: sentAt + leaseMs,
        listen: listener.listen,
        onGone: () => void seats.delete(seat),
      });
      seats.add(seat);
      await seat.setAbout(about);
      return seat;
    },
    async file() {
      const [row] = await db.ask({ name: 'file', text: 'SELECT file FROM host_file', values: [] });
      return row === undefined ? null : (JSON.parse(String(row['file'])) as HostFile);
    },
    async readBackup() {
      const text = 'SELECT backup, now_ms() - at AS age FROM host_backup';
      const [row] = await db.ask({ name: 'backup', text, values: [] });
      return row === undefined
        ? null
        : { ...(JSON.parse(String(row['backup'])) as HostBackup), ageMs: Number(row['age']) };
    },
    async readEvents(thread, seq, max) {
      const text = 'SELECT * FROM thread_events WHERE thread = $1 AND seq > $2 ORDER BY seq LIMIT $3';
      return (await db.ask({ name: 'events after', text, values: [thread, seq, max] })).map(toHostedEvent);
    },
    wake: () => notify({ kind: 'posted' }),
    async ask(asked, patienceMs = defaultPatienceMs) {
      const id = randomUUID();
      const until = performance.now() + patienceMs;
      let look = Promise.withResolvers<void>();
      const off = listener.listen((hostNotice) => {
        if (hostNotice.kind === 'missed' || (hostNotice.kind === 'answered' && hostNotice.id === id))
          look.resolve();
      });
      try {
        await db.ask({
          name: 'ask the host',
          text: 'INSERT INTO host_questions (id, at, asked) VALUES ($1, now_ms(), $2) ON CONFLICT (id) DO NOTHING',
          values: [id, JSON.stringify(asked)],
        });
        await notify({ kind: 'asked' });
        for (;;) {
          const text = 'SELECT answer FROM host_questions WHERE id = $1';
          const answer = (await db.ask({ name: 'answer', text, values: [id] }))[0]?.['answer'];
          if (answer !== null && answer !== undefined) return JSON.parse(String(answer));
          if (performance.now() > until) throw noHostError();
          const pollTimer = setTimeout(look.resolve, pollMs);
          await look.promise;
          clearTimeout(pollTimer);
          look = Promise.withResolvers();
        }
      } finally {
        off();
      }
    },
    listen: listener.listen,
    async close() {
      await Promise.all([...seats].map((seat) => seat.release().catch(() => {})));
      await listener.close();
      await db.close();
    },
  } satisfies HostChannel);
}

interface SeatOptions {
  readonly db: PostgresDatabase;
  readonly leases: ReturnType<typeof postgresLeases>;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly fence: number;
  /** By `performance.now()`, which no change of the system clock affects. */
  readonly heldUntil: number;
  readonly listen: HostChannel['listen'];
  readonly notify: (said: HostNotice) => Promise<void>;
  readonly onGone: () => void;
}

function createSeat(options: SeatOptions): HostSeat {
  const { db, leases, leaseMs, pollMs, fence, listen, notify, onGone } = options;
  const lost = new AbortController();
  let heldUntil = options.heldUntil;
  let isGone = false;
  const stops: (() => void)[] = [];
  const leave = (): void => {
    isGone = true;
    for (const stop of stops.splice(0)) stop();
    onGone();
  };

  async function renew(): Promise<void> {
    const sentAt = performance.now();
    const [row] = await db.ask(leases.renew(seatName, fence));
    if (row !== undefined) heldUntil = sentAt + leaseMs;
    else if (!isGone) {
      leave();
      lost.abort();
    }
  }
  const renewing = setInterval(() => renew().catch(() => {}), leaseMs / 3);
  stops.push(() => clearInterval(renewing));

  /** Writes in one transaction under the lease of the seat. Rejects with `lease_lost`. */
  async function writeAll(statements: readonly Statement[]): Promise<void> {
    await db.transact([leases.require(seatName, fence), ...statements], (code) => {
      if (code === raisedCodes.leaseLost) throwLeaseLost(seatName, fence);
    });
  }
  const write = (name: string, text: string, values: readonly unknown[]): Promise<void> =>
    writeAll([{ name, text, values }]);

  return {
    isHeld: () => !isGone && performance.now() < heldUntil,
    lost: lost.signal,
    setAbout: (about) =>
      write(
        'say about',
        'INSERT INTO host_about VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET about = excluded.about',
        [JSON.stringify(about)],
      ),
    recordBackup: (backup, ageMs) =>
      write(
        'keep a backup',
        `INSERT INTO host_backup VALUES (1, now_ms() - $2::bigint, $1)
         ON CONFLICT (one) DO UPDATE SET at = excluded.at, backup = excluded.backup`,
        [JSON.stringify(backup), Math.round(ageMs)],
      ),
    recordFile: (file) =>
      write(
        'wrote',
        'INSERT INTO host_file VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET file = excluded.file',
        [JSON.stringify(file)],
      ),
    recordReferences({ runs, threads }) {
      const values = [[...runs].map(escapeNul), [...threads].map(escapeNul)];
      const all = `(SELECT 'run', unnest($1::text[]) UNION SELECT 'thread', unnest($2::text[]))`;
      return writeAll([
        {
          name: 'no longer rests on',
          text: `DELETE FROM pages_rest_on WHERE (kind, id) NOT IN ${all}`,
          values,
        },
        { name: 'rests on', text: `INSERT INTO pages_rest_on ${all} ON CONFLICT DO NOTHING`, values },
        {
          name: 'said on what it rests',
          text: 'INSERT INTO pages_told VALUES (1, now_ms()) ON CONFLICT (one) DO UPDATE SET at = excluded.at',
          values: [],
        },
      ]);
    },
    async keepEvent(thread, request, event) {
      const kept = [thread, escapeNul(request), event.kind, JSON.stringify(event)];
      const values = [fence, ...kept, randomUUID(), writerVersion];
      const text = 'SELECT keep_thread_event($1, $2, $3, $4, $5, $6, $7)';
      await db.transact([{ name: 'keep an event', text, values }], (code) => {
        if (code === raisedCodes.leaseLost) throwLeaseLost(seatName, fence);
      });
    },
    sendEvent: (thread, request, event) => notify({ kind: 'passing', thread, request, event }),
    async hasEvent(thread, request, kind) {
      const text = 'SELECT 1 FROM thread_events WHERE thread = $1 AND request = $2 AND kind = $3 LIMIT 1';
      return (
        (await db.ask({ name: 'kept event', text, values: [thread, escapeNul(request), kind] })).length > 0
      );
    },
    serve(answer) {
      /** Ids of questions whose answer is not stored yet. */
      const answering = new Set<string>();
      async function answerOne(id: string, asked: string): Promise<void> {
        try {
          const answerText = JSON.stringify((await answer(JSON.parse(asked))) ?? null);
          const text = 'UPDATE host_questions SET answer = $2 WHERE id = $1 AND answer IS NULL';
          await write('answer a question', text, [id, answerText]);
          await notify({ kind: 'answered', id });
        } finally {
          answering.delete(id);
        }
      }
      async function answerOpen(): Promise<void> {
        if (isGone) return;
        const rows = await db.ask({
          name: 'open questions',
          text: 'SELECT id, asked FROM host_questions WHERE answer IS NULL AND at > now_ms() - $1 ORDER BY at LIMIT 100',
          values: [maxAgeMs],
        });
        for (const { id, asked } of rows) {
          if (answering.has(String(id))) continue;
          answering.add(String(id));
          // If this fails, the question stays open, and the next read answers it again.
          answerOne(String(id), String(asked)).catch(() => {});
        }
      }
      const answerOpenSafely = (): void => void answerOpen().catch(() => {});
      const pollTimer = setInterval(answerOpenSafely, pollMs);
      const deleteTimer = setInterval(() => {
        const text = 'DELETE FROM host_questions WHERE at < now_ms() - $1';
        db.ask({ name: 'forget questions', text, values: [deleteAfterMs] }).catch(() => {});
      }, maxAgeMs);
      const off = listen(({ kind }) => {
        if (kind === 'asked' || kind === 'missed') answerOpenSafely();
      });
      stops.push(() => {
        clearInterval(pollTimer);
        clearInterval(deleteTimer);
        off();
      });
    },
    async release() {
      if (isGone) return;
      leave();
      await db.ask(leases.release([{ run: seatName, fence }]));
    },
  };
}

const toHostedEvent = (row: Row): HostedEvent => ({
  seq: Number(row['seq']),
  at: Number(row['at']),
  request: unescapeNul(String(row['request'])),
  event: JSON.parse(String(row['event'])) as HostedEvent['event'],
});

const noHostError = (): SondeError =>
  new SondeError('tool_failed', {
    message: 'No worker that hosts the workspace answers',
    remedy: 'Start one: sonde worker --workspaces NAME.',
  });
