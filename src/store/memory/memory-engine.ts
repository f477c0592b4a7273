/**
 * The store in memory, for tests and for work that need not survive. Every answer is asynchronous, as from a server,
 * and several stores may share their tables, as several processes share a database.
 */
import {
  type Clock,
  type LedgerLine,
  type LedgerTables,
  type LoggedEvent,
  resources,
} from '../../core/index.ts';
import { createLedgerTables, memoryRows, throwLeaseLost } from '../../core/pools.ts';
import type { Engine, LoadedRun } from '../engine.ts';
import { createBatchSender, openOutbox, type RunHold, type WaitingWrite } from '../outbox.ts';
import { leaseHeldError } from '../runs/run-rules.ts';
import type { RunRow, Snapshot } from '../store.ts';
import { createSharedAccounts } from '../team/shared-accounts.ts';
import { removeReplacedWrites, type Write } from '../writes.ts';
import { memoryRuns } from './memory-runs.ts';

interface LeaseRow {
  fence: number;
  /** Null: not held. */
  holder: symbol | null;
  expires: number;
}

export interface MemoryTables {
  readonly runs: Map<string, RunRow>;
  readonly leases: Map<string, LeaseRow>;
  readonly records: Map<string, Map<string, string>>;
  readonly events: Map<string, LoggedEvent[]>;
  readonly snapshots: Map<string, Map<string, Snapshot>>;
  readonly ledger: LedgerTables;
}

export function memoryTables(): MemoryTables {
  return {
    runs: new Map(),
    leases: new Map(),
    records: new Map(),
    events: new Map(),
    snapshots: new Map(),
    ledger: createLedgerTables(),
  };
}

export interface MemoryEngineOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Called before each request and before its answer. An exception simulates a lost connection. */
  readonly wire?: (way: 'there' | 'back') => Promise<void>;
}

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function memoryEngine(
  tables: MemoryTables,
  { clock, leaseMs, wire = nextTick }: MemoryEngineOptions,
): Engine {
  const ownHolder = Symbol('holder');
  const outbox = openOutbox();
  const rows = memoryRows(tables.ledger);

  async function ask<Value>(work: () => Value): Promise<Value> {
    await wire('there');
    const value = work();
    await wire('back');
    return value;
  }

  const isHeld = ({ run, fence }: Pick<RunHold, 'run' | 'fence'>): boolean => {
    const row = tables.leases.get(run);
    return row !== undefined && row.holder !== null && row.fence === fence;
  };
  const isAlive = (run: string): boolean => {
    const row = tables.leases.get(run);
    return row !== undefined && row.holder !== null && row.expires > clock.now();
  };
  const mayBeHeld = (run: string): boolean => tables.leases.get(run)?.holder != null;

  const send = createBatchSender(outbox, (batch) => ask(() => storeBatch(batch)));

  function storeBatch(batch: readonly WaitingWrite[]): readonly RunHold[] {
    const lost = [...new Set(batch.map(({ hold }) => hold))].filter((hold) => !isHeld(hold));
    const writes = batch.filter(({ hold }) => !lost.includes(hold)).map(({ write }) => write);
    for (const write of removeReplacedWrites(writes)) applyWrite(write);
    return lost;
  }

  function applyWrite(write: Write): void {
    switch (write.kind) {
      case 'record': {
        const runRecords = getOrCreateRows(tables.records, write.run, () => new Map<string, string>());
        if (!runRecords.has(write.key)) runRecords.set(write.key, write.value);
        return;
      }
      case 'append': {
        const loggedEvents = getOrCreateRows(tables.events, write.run, (): LoggedEvent[] => []);
        const { seq, at, key, event } = write;
        if (!loggedEvents.some((loggedEvent) => loggedEvent.key === key))
          loggedEvents.push(Object.freeze({ seq, at, key, event: JSON.parse(event) }));
        return;
      }
      case 'snapshot': {
        const runSnapshots = getOrCreateRows(tables.snapshots, write.run, () => new Map<string, Snapshot>());
        if (write.snapshot === null) runSnapshots.delete(write.node);
        else runSnapshots.set(write.node, write.snapshot);
        return;
      }
      case 'account':
        if (!tables.ledger.accounts.has(write.id)) tables.ledger.accounts.set(write.id, write.account);
        return;
      case 'line': {
        const { account, resource } = write.line;
        const otherLines = (tables.ledger.lines.get(account) ?? []).filter(
          (line) => line.resource !== resource,
        );
        tables.ledger.lines.set(account, sortLines([...otherLines, write.line]));
        return;
      }
      case 'reservation':
        tables.ledger.reservations.set(write.reservation.id, write.reservation);
        return;
      case 'drop':
        tables.ledger.reservations.delete(write.reservation);
        return;
      case 'finish': {
        const row = tables.runs.get(write.run);
        if (row !== undefined)
          tables.runs.set(write.run, Object.freeze({ ...row, status: 'finished', updated: write.at }));
      }
    }
  }

  function load(run: string, fence: number): LoadedRun {
    const isOwn = (id: string): boolean => id === run || id.startsWith(`${run}/`);
    const { accounts, lines, reservations } = tables.ledger;
    return {
      run,
      fence,
      records: new Map(tables.records.get(run)),
      events: [...(tables.events.get(run) ?? [])],
      accounts: [...accounts]
        .filter(([id]) => isOwn(id))
        .map(([id, account]) => ({ id, account, lines: lines.get(id) ?? [] })),
      reservations: [...reservations.values()].filter(
        ({ key, state }) => key.run === run && state === 'open',
      ),
    };
  }

  function takeLease(run: string): LoadedRun {
    if (isAlive(run)) throw leaseHeldError(run, process.pid);
    const fence = Math.max(tables.leases.get(run)?.fence ?? 0, rows.fence(run)) + 1;
    tables.leases.set(run, { fence, holder: ownHolder, expires: clock.now() + leaseMs });
    rows.setFence(run, fence);
    return load(run, fence);
  }

  const { insertRun, ...runs } = memoryRuns(tables, { clock, isAlive, keepWaiting: send, askRuns: ask });
  return {
    path: ':memory:',
    outbox,
    accounts: createSharedAccounts(rows, mayBeHeld),
    runs,
    async acquire(id) {
      const { id: run } = await runs.get(id);
      return ask(() => takeLease(run));
    },
    async begin(draft) {
      await send();
      return ask(() => ({ row: insertRun(draft), loaded: takeLease(draft.id) }));
    },
    async renew(hold) {
      await send();
      await ask(() => {
        if (!isHeld(hold)) throwLeaseLost(hold.run, hold.fence);
        tables.leases.get(hold.run)!.expires = clock.now() + leaseMs;
      });
    },
    async release(hold) {
      await send();
      await ask(() => {
        if (isHeld(hold)) tables.leases.get(hold.run)!.holder = null;
      });
    },
    isHeld: (hold) => ask(() => isHeld(hold)),
    flush: () => send(),
    events: (run, after) => ask(() => (tables.events.get(run) ?? []).filter(({ seq }) => seq > after)),
    lastEvent: (run) => ask(() => tables.events.get(run)?.at(-1) ?? null),
    records: (run) => ask(() => new Map(tables.records.get(run))),
    snapshot: (run, node) => ask(() => tables.snapshots.get(run)?.get(node) ?? null),
    async close() {
      await send();
      for (const row of tables.leases.values()) if (row.holder === ownHolder) row.holder = null;
    },
  };
}

const sortLines = (lines: readonly LedgerLine[]): readonly LedgerLine[] =>
  lines.toSorted((a, b) => resources.indexOf(a.resource) - resources.indexOf(b.resource));

function getOrCreateRows<Value>(table: Map<string, Value>, run: string, empty: () => Value): Value {
  const existing = table.get(run);
  if (existing !== undefined) return existing;
  const created = empty();
  table.set(run, created);
  return created;
}
