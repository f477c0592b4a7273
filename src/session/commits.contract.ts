/**
 * A database that tells of each commit, and of the instant before it: what is durable and what is not differ by
 * nothing else. For tests that end a process there.
 */
import type { Database } from '../store/index.ts';

export type Side = 'before' | 'after';

/** Told twice for each commit: with everything written and nothing committed, and when it is committed. */
export type Told = (side: Side, what: string) => void;

const written = /^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+(\w+)/i;
const recursive = /\bUPDATE\s+(\w+)\s+SET\b/i;

/** The table that a statement writes to; undefined: it only reads. */
function tableOf(sql: string): string | undefined {
  const named = written.exec(sql)?.[1];
  if (named !== undefined) return named;
  return /^\s*WITH\b/i.test(sql) ? recursive.exec(sql)?.[1] : undefined;
}

/** What a commit is called: by the most telling of the tables that it writes to. */
const names: readonly (readonly [table: string, name: string])[] = [
  ['langgraph_checkpoints', 'checkpoint'],
  ['langgraph_writes', 'results of a step'],
  ['journal', 'recorded reply'],
  ['events', 'event of the run'],
  ['reservations', 'reservation'],
  ['accounts', 'pool'],
  ['runs', 'run'],
  ['threads', 'conversation'],
  ['leases', 'lease'],
];

function nameOf(tables: ReadonlySet<string>): string {
  const known = names.find(([table]) => tables.has(table));
  if (known !== undefined) return known[1];
  return [...tables].some((table) => !table.startsWith('balance')) ? 'write to the world' : 'pool';
}

export function tellingDatabase(db: Database, told: Told): Database {
  /** Of the transaction that is open; null if none is. */
  let open: Set<string> | null = null;

  function within<Value>(begin: (work: () => Value) => Value, work: () => Value): Value {
    if (open !== null) return begin(work);
    const tables = new Set<string>();
    open = tables;
    try {
      const value = begin(() => {
        const made = work();
        if (tables.size > 0) told('before', nameOf(tables));
        return made;
      });
      if (tables.size > 0) told('after', nameOf(tables));
      return value;
    } finally {
      open = null;
    }
  }

  /** One statement on its own is a commit of its own. */
  function each<Value>(sql: string, work: () => Value): Value {
    const table = tableOf(sql);
    open?.add(table ?? '');
    open?.delete('');
    if (open !== null || table === undefined) return work();
    const name = nameOf(new Set([table]));
    told('before', name);
    const value = work();
    told('after', name);
    return value;
  }

  return {
    ...db,
    all: (sql, ...values) => each(sql, () => db.all(sql, ...values)),
    get: (sql, ...values) => each(sql, () => db.get(sql, ...values)),
    run: (sql, ...values) => each(sql, () => db.run(sql, ...values)),
    insert: (sql, ...values) => each(sql, () => db.insert(sql, ...values)),
    atomic: (work) => within(db.atomic, work),
    undoable: (work) => within(db.undoable, work),
  };
}
