/** How often the databases of this process wait for the disk: for tests that hold a ceiling. */
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { vi } from 'vitest';

/** Counts until `restore`: transactions, and statements that write outside of one. */
export function countCommits(): { readonly count: () => number; readonly restore: () => void } {
  let count = 0;
  const { exec, prepare } = DatabaseSync.prototype;
  const { run } = StatementSync.prototype;
  const writing = new WeakMap<StatementSync, DatabaseSync>();
  const spies = [
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      if (/^\s*COMMIT/i.test(sql)) count += 1;
      return exec.call(this, sql);
    }),
    vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
      this: DatabaseSync,
      sql,
      ...more
    ) {
      const statement = prepare.call(this, sql, ...more);
      if (/^\s*(INSERT|UPDATE|DELETE|REPLACE|WITH)/i.test(sql)) writing.set(statement, this);
      return statement;
    }),
    vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (this: StatementSync, ...values) {
      if (writing.get(this)?.isTransaction === false) count += 1;
      return run.apply(this, values as never);
    }),
  ];
  return {
    count: () => count,
    restore: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
