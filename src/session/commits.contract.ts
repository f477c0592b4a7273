/** A database that reports each commit, just before and after it. For tests that kill a process at these instants. */
import type { Database } from '../store/index.ts';

export type Side = 'before' | 'after';

/** Called twice for each commit: before it, when everything is written, and after it. */
export type OnCommit = (side: Side, commit: string) => void;

const writeForm = /^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+(\w+)/i;
const upsertForm = /\bUPDATE\s+(\w+)\s+SET\b/i;

/** The table that a statement writes to; undefined if it only reads. */
function findWrittenTable(sql: string): string | undefined {
  const named = writeForm.exec(sql)?.[1];
  if (named !== undefined) return named;
  return /^\s*WITH\b/i.test(sql) ? upsertForm.exec(sql)?.[1] : undefined;
}

/** The names of commits. The first of these tables that a commit writes to decides. */
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

function nameCommit(tables: ReadonlySet<string>): string {
  const known = names.find(([table]) => tables.has(table));
  if (known !== undefined) return known[1];
  return [...tables].some((table) => !table.startsWith('balance')) ? 'write to the world' : 'pool';
}

export function observeDatabase(db: Database, onCommit: OnCommit): Database {
  /** The tables of the open transaction; null if none is open. */
  let open: Set<string> | null = null;

  function inTransaction<Value>(begin: (work: () => Value) => Value, work: () => Value): Value {
    if (open !== null) return begin(work);
    const tables = new Set<string>();
    open = tables;
    try {
      const value = begin(() => {
        const made = work();
        if (tables.size > 0) onCommit('before', nameCommit(tables));
        return made;
      });
      if (tables.size > 0) onCommit('after', nameCommit(tables));
      return value;
    } finally {
      open = null;
    }
  }

  /** A statement outside of a transaction is a commit of its own. */
  function runSingle<Value>(sql: string, work: () => Value): Value {
    const table = findWrittenTable(sql);
    open?.add(table ?? '');
    open?.delete('');
    if (open !== null || table === undefined) return work();
    const name = nameCommit(new Set([table]));
    onCommit('before', name);
    const value = work();
    onCommit('after', name);
    return value;
  }

  return {
    ...db,
    all: (sql, ...values) => runSingle(sql, () => db.all(sql, ...values)),
    get: (sql, ...values) => runSingle(sql, () => db.get(sql, ...values)),
    run: (sql, ...values) => runSingle(sql, () => db.run(sql, ...values)),
    insert: (sql, ...values) => runSingle(sql, () => db.insert(sql, ...values)),
    atomic: (work) => inTransaction(db.atomic, work),
    undoable: (work) => inTransaction(db.undoable, work),
  };
}
