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
  place: MemoryTables,
  { clock, leaseMs, wire = nextTick }: MemoryEngineOptions,
): Engine {
  const me = Symbol('holder');
  const outbox = openOutbox();
  const rows = memoryRows(place.ledger);

  async function ask<Value>(work: () => Value): Promise<Value> {
    await wire('there');
    const value = work();
    await wire('back');
    return value;
  }

  const isHeld = ({ run, fence }: Pick<RunHold, 'run' | 'fence'>): boolean => {
    const row = place.leases.get(run);
    return row !== undefined && row.holder !== null && row.fence === fence;
  };
  const isAlive = (run: string): boolean => {
    const row = place.leases.get(run);
    return row !== undefined && row.holder !== null && row.expires > clock.now();
  };
  const mayBeHeld = (run: string): boolean => place.leases.get(run)?.holder != null;

  const send = createBatchSender(outbox, (batch) => ask(() => keep(batch)));

  function keep(batch: readonly WaitingWrite[]): readonly RunHold[] {
    const lost = [...new Set(batch.map(({ hold }) => hold))].filter((hold) => !isHeld(hold));
    const writes = batch.filter(({ hold }) => !lost.includes(hold)).map(({ write }) => write);
    for (const write of removeReplacedWrites(writes)) apply(write);
    return lost;
  }

  function apply(write: Write): void {
    switch (write.kind) {
      case 'record': {
        const own = getOrCreateRows(place.records, write.run, () => new Map<string, string>());
        if (!own.has(write.key)) own.set(write.key, write.value);
        return;
      }
      case 'append': {
        const loggedEvents = getOrCreateRows(place.events, write.run, (): LoggedEvent[] => []);
        const { seq, at, key, event } = write;
        if (!loggedEvents.some((loggedEvent) => loggedEvent.key === key))
          loggedEvents.push(Object.freeze({ seq, at, key, event: JSON.parse(event) }));
        return;
      }
      case 'snapshot': {
        const own = getOrCreateRows(place.snapshots, write.run, () => new Map<string, Snapshot>());
        if (write.snapshot === null) own.delete(write.node);
        else own.set(write.node, write.snapshot);
        return;
      }
      case 'account':
        if (!place.ledger.accounts.has(write.id)) place.ledger.accounts.set(write.id, write.account);
        return;
      case 'line': {
        const { account, resource } = write.line;
        const otherLines = (place.ledger.lines.get(account) ?? []).filter(
          (line) => line.resource !== resource,
        );
        place.ledger.lines.set(account, sortLines([...otherLines, write.line]));
        return;
      }
      case 'reservation':
        place.ledger.reservations.set(write.reservation.id, write.reservation);
        return;
      case 'drop':
        place.ledger.reservations.delete(write.reservation);
        return;
      case 'finish': {
        const row = place.runs.get(write.run);
        if (row !== undefined)
          place.runs.set(write.run, Object.freeze({ ...row, status: 'finished', updated: write.at }));
      }
    }
  }

  function load(run: string, fence: number): LoadedRun {
    const isOwn = (id: string): boolean => id === run || id.startsWith(`${run}/`);
    const { accounts, lines, reservations } = place.ledger;
    return {
      run,
      fence,
      records: new Map(place.records.get(run)),
      events: [...(place.events.get(run) ?? [])],
      accounts: [...accounts]
        .filter(([id]) => isOwn(id))
        .map(([id, account]) => ({ id, account, lines: lines.get(id) ?? [] })),
      reservations: [...reservations.values()].filter(
        ({ key, state }) => key.run === run && state === 'open',
      ),
    };
  }

  function take(run: string): LoadedRun {
    if (isAlive(run)) throw leaseHeldError(run, process.pid);
    const fence = Math.max(place.leases.get(run)?.fence ?? 0, rows.fence(run)) + 1;
    place.leases.set(run, { fence, holder: me, expires: clock.now() + leaseMs });
    rows.setFence(run, fence);
    return load(run, fence);
  }

  const { insertRun, ...runs } = memoryRuns(place, { clock, isAlive, keepWaiting: send, askRuns: ask });
  return {
    path: ':memory:',
    outbox,
    accounts: createSharedAccounts(rows, mayBeHeld),
    runs,
    async acquire(id) {
      const { id: run } = await runs.get(id);
      return ask(() => take(run));
    },
    async begin(draft) {
      await send();
      return ask(() => ({ row: insertRun(draft), loaded: take(draft.id) }));
    },
    async renew(hold) {
      await send();
      await ask(() => {
        if (!isHeld(hold)) throwLeaseLost(hold.run, hold.fence);
        place.leases.get(hold.run)!.expires = clock.now() + leaseMs;
      });
    },
    async release(hold) {
      await send();
      await ask(() => {
        if (isHeld(hold)) place.leases.get(hold.run)!.holder = null;
      });
    },
    isHeld: (hold) => ask(() => isHeld(hold)),
    flush: () => send(),
    events: (run, after) => ask(() => (place.events.get(run) ?? []).filter(({ seq }) => seq > after)),
    lastEvent: (run) => ask(() => place.events.get(run)?.at(-1) ?? null),
    records: (run) => ask(() => new Map(place.records.get(run))),
    snapshot: (run, node) => ask(() => place.snapshots.get(run)?.get(node) ?? null),
    async close() {
      await send();
      for (const row of place.leases.values()) if (row.holder === me) row.holder = null;
    },
  };
}

const sortLines = (lines: readonly LedgerLine[]): readonly LedgerLine[] =>
  lines.toSorted((a, b) => resources.indexOf(a.resource) - resources.indexOf(b.resource));

function getOrCreateRows<Value>(table: Map<string, Value>, run: string, empty: () => Value): Value {
  const known = table.get(run);
  if (known !== undefined) return known;
  const fresh = empty();
  table.set(run, fresh);
  return fresh;
}
