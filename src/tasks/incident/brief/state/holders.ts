/** Finds the database sessions and replication slots that others wait for, in rows of the database's statistics. */
import type { Condition, StateSeen } from './condition.ts';

type Row = Readonly<Record<string, unknown>>;

const openTransaction: Condition = {
  name: 'a transaction that is left open',
  category: 'connection_exhaustion',
  role: 'root',
  remedy: 'End the session, and give its role idle_in_transaction_session_timeout.',
  settings: /idle_in_transaction/i,
  bringsAbout: /^(locks that|connections that|statements that|workers that|numbers that|a part that)/,
};
const idleSlot: Condition = {
  name: 'a replication slot that nobody reads',
  category: 'storage_exhaustion',
  role: 'root',
  remedy: 'Drop the slot, or start its reader again; set max_slot_wal_keep_size.',
  settings: /max_slot_wal|slot/i,
  bringsAbout: /^(a disk that|storage that|a machine or a server|a server that|a limit that)/,
};

/** A session that is idle for less than this, in milliseconds, may still be working. */
const minIdleMs = 2 * 60_000;
/** The minimum lag of an idle slot, in bytes: more than that of an ordinary slow reader. */
const minRetainedBytes = 1024 ** 3;

export function findHolders(rows: readonly Row[], evidence: string): readonly StateSeen[] {
  return [...findOpenTransaction(rows), ...findIdleSlots(rows)].map((holderState) => ({
    ...holderState,
    isCurrent: true,
    evidence,
  }));
}

type HolderState = Omit<StateSeen, 'isCurrent' | 'evidence'>;

/** Only the oldest open transactions: later ones may be waiting for them. */
function findOpenTransaction(rows: readonly Row[]): readonly HolderState[] {
  const times = rows.flatMap((row) => Object.values(row).flatMap((value) => parseTime(value) ?? []));
  const now = Math.max(...times);
  const [oldest] = rows
    .filter(({ pid, state }) => pid !== undefined && /^idle in transaction/i.test(String(state)))
    .map((row) => ({ row, since: parseTime(row['xact_start']) }))
    .filter(({ since }) => since !== null && now - since >= minIdleMs)
    .toSorted((a, b) => a.since! - b.since!);
  if (oldest === undefined) return [];
  const { row, since } = oldest;
  const sessionNames = [row['usename'] ?? row['user'], row['application_name']].filter(
    (part) => typeof part === 'string',
  );
  return [
    {
      condition: openTransaction,
      object: `pg_session/${String(row['pid'])}`,
      service: null,
      first: since,
      last: null,
      quote:
        `${sessionNames.join(', ')} is ${String(row['state'])} since ${new Date(since!).toISOString()}: ${String(row['query'] ?? '')}`.slice(
          0,
          160,
        ),
    },
  ];
}

/** Reads the size from a column whose name ends with its unit. */
function readBytes(row: Row): number {
  for (const [name, value] of Object.entries(row)) {
    const unit = /^(?:retained|lag)\w*_(bytes|[kmg]i?b)$/i.exec(name)?.[1]?.toLowerCase();
    if (unit !== undefined && (typeof value === 'number' || typeof value === 'string'))
      return Number(value) * (unitBytes[unit[0]!] ?? 1);
  }
  return 0;
}
const unitBytes: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

function findIdleSlots(rows: readonly Row[]): readonly HolderState[] {
  return rows.flatMap((row) => {
    const bytes = readBytes(row);
    const isIdle = row['active'] === false || /^(f|false)$/i.test(String(row['active']));
    return typeof row['slot_name'] === 'string' && isIdle && bytes >= minRetainedBytes
      ? [
          {
            condition: idleSlot,
            object: `replication_slot/${row['slot_name']}`,
            service: null,
            first: null,
            last: null,
            quote: `${row['slot_name']} is not active and keeps ${Math.round(bytes / minRetainedBytes)} GiB of the log`,
          },
        ]
      : [];
  });
}

const parseTime = (value: unknown): number | null => {
  const at = typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
};
