/** The store in PostgreSQL: the writes of a worker are sent as one transaction in one round trip, under its fences. */
import { type Clock, systemClock } from '../../core/index.ts';
import { throwLeaseLost } from '../../core/pools.ts';
import type { Engine } from '../engine.ts';
import { type Hold, openOutbox, sending, type Waiting } from '../outbox.ts';
import { refuseHeldBy } from '../run-rules.ts';
import type { Store } from '../store.ts';
import { storeOver } from '../store-over.ts';
import type { PostgresOptions } from './connection.ts';
import { openPostgres, type PostgresDatabase, type Row } from './database.ts';
import { postgresAccounts } from './postgres-accounts.ts';
import { postgresLeases } from './postgres-leases.ts';
import {
  accountsOf,
  eventsOf,
  lastEventOf,
  openOf,
  readAccounts,
  readEvents,
  readRecords,
  readReservations,
  recordsOf,
  snapshotOf,
} from './postgres-reads.ts';
import { postgresRuns } from './postgres-runs.ts';
import { writerVersion } from './schema.ts';
import { keepWrites } from './statements.ts';
import { codeOf, raised } from './trouble.ts';

export interface PostgresStoreOptions extends PostgresOptions {
  /** For the times of runs and events. */
  readonly clock?: Clock;
  /** How long a lease lasts without renewal; default 12 s, so that others soon take over the runs of a lost machine. */
  readonly leaseMs?: number;
  /** Only runs of this team are listed and found. */
  readonly runsOf?: string;
  /** For tests: decides when leases end, in place of the database's own clock. */
  readonly leaseClock?: Clock;
}

/** Connects at the first statement. Every promise may reject with `store_away`. */
export function openPostgresStore(options: PostgresStoreOptions): Store {
  const { clock = systemClock } = options;
  const db = openPostgres(options);
  const store = storeOver(postgresEngine(db, options), clock);
  return Object.freeze({
    ...store,
    async close() {
      try {
        await store.close();
      } finally {
        await db.close();
      }
    },
  } satisfies Store);
}

function postgresEngine(
  db: PostgresDatabase,
  { clock = systemClock, leaseMs = 12_000, leaseClock, runsOf }: PostgresStoreOptions,
): Engine {
  const outbox = openOutbox();
  const leases = postgresLeases(db, { leaseMs, ...(leaseClock && { clock: leaseClock }) });
  const send = sending(outbox, keep);
  const runs = postgresRuns(db, {
    clock,
    leases,
    keepWaiting: send,
    ...(runsOf !== undefined && { runsOf }),
  });
  /** The fence of each run that was taken here. */
  const taken = new Map<string, number>();
  /** The number of the last commit. */
  let turn = 0;
  /** Holds that are released in the transaction of their last writes. */
  const leaving = new Set<Hold>();

  /** Stores the writes of all runs that are still held, and returns the others. */
  async function keep(batch: readonly Waiting[]): Promise<Iterable<Hold>> {
    turn += 1;
    const lost = new Set<Hold>();
    for (;;) {
      const rest = batch.filter(({ hold }) => !lost.has(hold));
      if (rest.length === 0) return lost;
      const holds = [...new Map(rest.map(({ hold }) => [nameOf(hold), hold])).values()];
      const gone = await commit(
        holds,
        rest.map(({ write }) => write),
      );
      if (gone.length === 0) return lost;
      for (const { hold } of rest) if (gone.includes(nameOf(hold))) lost.add(hold);
    }
  }

  /** Returns the names of the holds that are lost; if there are any, nothing was stored. */
  async function commit(holds: readonly Hold[], writes: Parameters<typeof keepWrites>[0]) {
    let gone: readonly string[] = [];
    const first = {
      name: 'take a turn',
      text: 'SELECT take_turn($1::text[], $2::bigint[], $3, $4)',
      values: [holds.map(({ run }) => run), holds.map(({ fence }) => fence), turn, writerVersion],
    };
    const last = holds.filter((hold) => leaving.has(hold));
    const released = last.map(({ run, fence }) => leases.release(run, fence));
    try {
      await db.transact([first, ...keepWrites(writes), ...released], (code, thrown) => {
        if (code === raised.leaseLost) gone = JSON.parse(String((thrown as { detail?: string }).detail));
      });
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code !== raised.keptBefore && code !== raised.leaseLost) throw thrown;
    }
    if (gone.length === 0) for (const hold of last) leaving.delete(hold);
    return gone;
  }

  /** Takes one round trip if the full id is given. */
  async function runWithLease(id: string): Promise<readonly [string, Row | undefined]> {
    const [found, lease] = await db.transact([
      { name: 'run by id', text: 'SELECT id FROM runs WHERE id = $1', values: [id] },
      leases.leaseOf(id),
    ]);
    if (found!.length > 0) return [id, lease![0]];
    const { id: run } = await runs.get(id);
    return [run, await leases.read(run)];
  }

  return {
    path: db.path,
    outbox,
    accounts: postgresAccounts(db, leases),
    runs,
    async acquire(id) {
      const [run, before] = await runWithLease(id);
      const dead = leases.deadHolder(before);
      const [fences, , events, records, accounts, reservations] = await db.transact([
        leases.take(run, dead),
        // A process that is just changing the run's accounts finds a newer version, and decides again.
        {
          name: 'take own accounts',
          text: `INSERT INTO account_roots AS r (root, version) SELECT run, 1 FROM leases WHERE run = $1
            ON CONFLICT (root) DO UPDATE SET version = r.version + 1`,
          values: [run],
        },
        ...[eventsOf(run, 0), recordsOf(run), accountsOf(run), openOf(run)],
      ]);
      const fence = fences![0]?.['fence'];
      if (fence === undefined) throw refuseHeldBy(run, Number((await leases.read(run))?.['pid']));
      taken.set(run, Number(fence));
      return {
        run,
        fence: Number(fence),
        records: readRecords(records!),
        events: readEvents(events!),
        accounts: readAccounts(accounts!),
        reservations: readReservations(reservations!),
      };
    },
    async renew(hold) {
      await send();
      const { run, fence } = hold;
      if ((await db.ask(leases.renew(run, fence))).length === 0) throwLeaseLost(run, fence);
    },
    async release(hold) {
      const { run, fence } = hold;
      leaving.add(hold);
      try {
        await send();
        if (leaving.has(hold)) await db.ask(leases.release(run, fence));
      } finally {
        leaving.delete(hold);
      }
      if (taken.get(run) === fence) taken.delete(run);
    },
    async isHeld({ run, fence }) {
      const row = await leases.read(run);
      return row !== undefined && row['host'] !== null && row['fence'] === fence;
    },
    flush: () => send(),
    events: async (run, after) => readEvents(await db.ask(eventsOf(run, after))),
    lastEvent: async (run) => readEvents(await db.ask(lastEventOf(run)))[0] ?? null,
    records: async (run) => readRecords(await db.ask(recordsOf(run))),
    async snapshot(run, node) {
      const [row] = await db.ask(snapshotOf(run, node));
      if (row === undefined) return null;
      return Object.freeze({ cells: Number(row['cells']), bytes: new Uint8Array(row['bytes'] as Buffer) });
    },
    async close() {
      try {
        await send();
      } finally {
        await Promise.all(
          [...taken].map(([run, fence]) => db.ask(leases.release(run, fence)).catch(() => {})),
        );
        taken.clear();
      }
    },
  };
}

/** The name of a hold in the errors of `take_turn`. */
const nameOf = ({ run, fence }: Hold): string => `${fence} ${run}`;
