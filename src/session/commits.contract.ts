/**
 * A database that reports each commit, and the instant before it. For tests that kill a process at these instants.
 */
import type { Database } from '../store/index.ts';

export type Side = 'before' | 'after';

/** Called twice for each commit: before it, when everything is written, and after it. */
export type OnCommit = (side: Side, what: string) => void;

const writeForm = /^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+(\w+)/i;
const upsertForm = /\bUPDATE\s+(\w+)\s+SET\b/i;

/** The table that a statement writes to; undefined: it only reads. */
function tableOf(sql: string): string | undefined {
  const named = writeForm.exec(sql)?.[1];
  if (named !== undefined) return named;
  return /^\s*WITH\b/i.test(sql) ? upsertForm.exec(sql)?.[1] : undefined;
}

/** The names of commits: the first table that a commit writes to decides. */
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

export function observedDatabase(db: Database, onCommit: OnCommit): Database {
  /** Of the transaction that is open; null if none is. */
  let open: Set<string> | null = null;

  function inTransaction<Value>(begin: (work: () => Value) => Value, work: () => Value): Value {
    if (open !== null) return begin(work);
    const tables = new Set<string>();
    open = tables;
    try {
      const value = begin(() => {
        const made = work();
        if (tables.size > 0) onCommit('before', nameOf(tables));
        return made;
      });
      if (tables.size > 0) onCommit('after', nameOf(tables));
      return value;
    } finally {
      open = null;
    }
  }

  /** One statement on its own is a commit of its own. */
  function single<Value>(sql: string, work: () => Value): Value {
    const table = tableOf(sql);
    open?.add(table ?? '');
    open?.delete('');
    if (open !== null || table === undefined) return work();
    const name = nameOf(new Set([table]));
    onCommit('before', name);
    const value = work();
    onCommit('after', name);
    return value;
  }

  return {
    ...db,
    all: (sql, ...values) => single(sql, () => db.all(sql, ...values)),
    get: (sql, ...values) => single(sql, () => db.get(sql, ...values)),
    run: (sql, ...values) => single(sql, () => db.run(sql, ...values)),
    insert: (sql, ...values) => single(sql, () => db.insert(sql, ...values)),
    atomic: (work) => inTransaction(db.atomic, work),
    undoable: (work) => inTransaction(db.undoable, work),
  };
}
