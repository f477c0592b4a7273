/** The store in PostgreSQL. A worker's writes are sent as one transaction, in one round trip, under its fences. */
import { type Clock, isSondeError, systemClock } from '../../../core/index.ts';
import { throwLeaseLost } from '../../../core/pools.ts';
import { createStore } from '../../create-store.ts';
import type { Engine } from '../../engine.ts';
import { createBatchSender, openOutbox, type RunHold, type WaitingWrite } from '../../outbox.ts';
import { createRunRow } from '../../runs/run-columns.ts';
import { leaseHeldError } from '../../runs/run-rules.ts';
import type { Store } from '../../store.ts';
import type { PostgresOptions } from '../connection.ts';
import { openPostgres, type PostgresDatabase, type Row } from '../database.ts';
import { writerVersion } from '../schema/schema.ts';
import { codeOf, raisedCodes } from '../store-errors.ts';
import { recordAct } from '../team/postgres-audit.ts';
import { type Beginning, type BegunRow, beginRuns } from './begin-runs.ts';
import { postgresAccounts } from './postgres-accounts.ts';
import { postgresLeases } from './postgres-leases.ts';
import {
  selectAccounts,
  selectEvents,
  selectLastEvent,
  selectOpenReservations,
  selectRecords,
  selectSnapshot,
  toAccounts,
  toEvents,
  toRecords,
  toReservations,
} from './postgres-reads.ts';
import { createMadeCondition, postgresRuns } from './postgres-runs.ts';
import { keepWrites } from './statements.ts';

export interface PostgresStoreOptions extends PostgresOptions {
  /** For the times of runs and events. */
  readonly clock?: Clock;
  /** How long a lease lasts without renewal; default 12 s, so that the runs of a lost machine are taken over soon. */
  readonly leaseMs?: number;
  /** Only runs of this team are listed and found. */
  readonly runsOf?: string;
  /** Replaces the clock of the database for leases, in tests. */
  readonly leaseClock?: Clock;
}

/** Connects at the first statement. Every promise may reject with `store_away`. */
export function openPostgresStore(options: PostgresStoreOptions): Store {
  const { clock = systemClock } = options;
  const db = openPostgres(options);
  const store = createStore(postgresEngine(db, options), clock);
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
  /** Runs that the next transaction will create. */
  const beginners: Beginner[] = [];
  const send = createBatchSender(outbox, keep, () => beginners.length > 0);
  const { createRefusal, ...runs } = postgresRuns(db, {
    clock,
    leases,
    keepWaiting: send,
    ...(runsOf !== undefined && { runsOf }),
  });
  /** The fences of leases that this store has taken, by run. */
  const takenFences = new Map<string, number>();
  /** The number of the last commit. */
  let turn = 0;
  /** Holds to release in the same transaction as their last writes. */
  const holdsToRelease = new Set<RunHold>();

  /** Sends the waiting writes and the new runs in one transaction. */
  async function keep(batch: readonly WaitingWrite[]): Promise<Iterable<RunHold>> {
    turn += 1;
    const newRuns = beginners.splice(0);
    try {
      return await keepTogether(batch, newRuns);
    } catch (thrown) {
      const isSingleRun = batch.length === 0 && newRuns.length === 1;
      if (newRuns.length === 0 || isSingleRun || isSondeError(thrown, 'store_away'))
        return refuse(newRuns, thrown);
      // One of the new runs may be the cause: sends the writes without new runs, then each new run alone.
      const lost = await keepTogether(batch, []).catch((secondError: unknown) =>
        refuse(newRuns, secondError),
      );
      for (const newRun of newRuns) await keepTogether([], [newRun]).catch(newRun.onRefused);
      return lost;
    }
  }

  function refuse(newRuns: readonly Beginner[], thrown: unknown): never {
    for (const { onRefused } of newRuns) onRefused(thrown);
    throw thrown;
  }

  /** Stores the writes of all holds that are valid, and returns the lost ones. */
  async function keepTogether(
    batch: readonly WaitingWrite[],
    newRuns: readonly Beginner[],
  ): Promise<Iterable<RunHold>> {
    const lost = new Set<RunHold>();
    const times = { leaseMs, at: clock.now(), leaseAt: leaseClock?.now() ?? null };
    const begin = newRuns.length === 0 ? null : beginRuns(newRuns, times);
    for (;;) {
      const validWrites = batch.filter(({ hold }) => !lost.has(hold));
      if (validWrites.length === 0 && begin === null) return lost;
      const holds = [...new Map(validWrites.map(({ hold }) => [nameOf(hold), hold])).values()];
      const writes = validWrites.map(({ write }) => write);
      const { gone, made } = await commit(holds, writes, begin);
      if (gone.length === 0) {
        const begun = begin?.read(made);
        for (const { run, onBegun } of newRuns) onBegun(begun?.get(run.id) ?? null, times.at);
        return lost;
      }
      for (const { hold } of validWrites) if (gone.includes(nameOf(hold))) lost.add(hold);
    }
  }

  /** `gone`: the names of lost holds; if there are any, nothing was stored. */
  async function commit(
    holds: readonly RunHold[],
    writes: Parameters<typeof keepWrites>[0],
    begin: ReturnType<typeof beginRuns> | null,
  ): Promise<{ readonly gone: readonly string[]; readonly made: readonly Row[] }> {
    let lostNames: readonly string[] = [];
    let made: readonly Row[] | undefined;
    const turnStatement = {
      name: 'take a turn',
      text: 'SELECT take_turn($1::text[], $2::bigint[], $3, $4)',
      values: [holds.map(({ run }) => run), holds.map(({ fence }) => fence), turn, writerVersion],
    };
    const releasedHolds = holds.filter((hold) => holdsToRelease.has(hold));
    const releaseStatements = releasedHolds.length === 0 ? [] : [leases.release(releasedHolds)];
    const statements = holds.length === 0 ? [] : [turnStatement, ...keepWrites(writes), ...releaseStatements];
    const begins = begin === null ? [] : [...begin.statements, begin.made];
    try {
      made = (
        await db.transact([...statements, ...begins], (code, thrown) => {
          if (code === raisedCodes.leaseLost)
            lostNames = JSON.parse(String((thrown as { detail?: string }).detail));
        })
      ).at(-1);
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code !== raisedCodes.keptBefore && code !== raisedCodes.leaseLost) throw thrown;
    }
    if (lostNames.length === 0) for (const hold of releasedHolds) holdsToRelease.delete(hold);
    if (begin === null || lostNames.length > 0) return { gone: lostNames, made: [] };
    // The commit was stored before, and its answer was lost.
    return { gone: lostNames, made: made ?? (await db.ask(begin.made)) };
  }

  /** The run's full id and its lease. Takes one round trip if `id` is the full id. */
  async function findRunWithLease(id: string): Promise<readonly [string, Row | undefined]> {
    const [found, lease] = await db.transact([
      { name: 'run by id', text: 'SELECT id FROM runs WHERE id = $1', values: [id] },
      leases.selectLease(id),
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
      const [run, leaseRow] = await findRunWithLease(id);
      const deadHolder = leases.findDeadHolder(leaseRow);
      const [fences, , events, records, accounts, reservations] = await db.transact([
        leases.take(run, deadHolder),
        // Raises the version, so that a concurrent change of these accounts fails and is decided again.
        {
          name: 'take own accounts',
          text: `INSERT INTO account_roots AS r (root, version) SELECT run, 1 FROM leases WHERE run = $1
            ON CONFLICT (root) DO UPDATE SET version = r.version + 1`,
          values: [run],
        },
        ...[selectEvents(run, 0), selectRecords(run), selectAccounts(run), selectOpenReservations(run)],
      ]);
      const fence = fences![0]?.['fence'];
      if (fence === undefined) throw leaseHeldError(run, Number((await leases.read(run))?.['pid']));
      takenFences.set(run, Number(fence));
      return {
        run,
        fence: Number(fence),
        records: toRecords(records!),
        events: toEvents(events!),
        accounts: toAccounts(accounts!),
        reservations: toReservations(reservations!),
      };
    },
    async begin(draft, by) {
      const params = JSON.stringify(draft.params);
      const { begun, at } = await new Promise<{ readonly begun: BegunRow | null; readonly at: number }>(
        (resolve, reject) => {
          beginners.push({
            run: draft,
            extraStatements: recordAct(
              by,
              { act: 'run_started', on: draft.id },
              createMadeCondition(draft.id, params),
            ),
            onBegun: (row, time) => resolve({ begun: row, at: time }),
            onRefused: reject,
          });
          // The error reaches every new run by `onRefused`.
          send().catch(() => {});
        },
      );
      if (begun === null) throw await createRefusal(draft.id);
      const { id: run } = draft;
      const { fence } = begun;
      takenFences.set(run, fence);
      const [accounts, reservations] = begun.hasAccounts
        ? await db.transact([selectAccounts(run), selectOpenReservations(run)])
        : [[], []];
      return {
        row: createRunRow(draft, at),
        loaded: {
          ...{ run, fence, records: new Map(), events: [] },
          accounts: toAccounts(accounts!),
          reservations: toReservations(reservations!),
        },
      };
    },
    async renew(hold) {
      await send();
      const { run, fence } = hold;
      if ((await db.ask(leases.renew(run, fence))).length === 0) throwLeaseLost(run, fence);
    },
    async release(hold) {
      const { run, fence } = hold;
      holdsToRelease.add(hold);
      try {
        await send();
        if (holdsToRelease.has(hold)) await db.ask(leases.release([hold]));
      } finally {
        holdsToRelease.delete(hold);
      }
      if (takenFences.get(run) === fence) takenFences.delete(run);
    },
    async isHeld({ run, fence }) {
      const row = await leases.read(run);
      return row !== undefined && row['host'] !== null && row['fence'] === fence;
    },
    flush: () => send(),
    events: async (run, after) => toEvents(await db.ask(selectEvents(run, after))),
    lastEvent: async (run) => toEvents(await db.ask(selectLastEvent(run)))[0] ?? null,
    records: async (run) => toRecords(await db.ask(selectRecords(run))),
    async snapshot(run, node) {
      const [row] = await db.ask(selectSnapshot(run, node));
      if (row === undefined) return null;
      return Object.freeze({ cells: Number(row['cells']), bytes: new Uint8Array(row['bytes'] as Buffer) });
    },
    async close() {
      try {
        await send();
      } finally {
        await leases.releaseAll(takenFences);
        takenFences.clear();
      }
    },
  };
}

/** A run that is to begin, with the callbacks of its caller. */
interface Beginner extends Beginning {
  /** `begun` null: the id is taken, or the store's schema is newer than this program. */
  readonly onBegun: (begun: BegunRow | null, at: number) => void;
  readonly onRefused: (thrown: unknown) => void;
}

/** The name of a hold in the errors of `take_turn`. */
const nameOf = ({ run, fence }: RunHold): string => `${fence} ${run}`;
