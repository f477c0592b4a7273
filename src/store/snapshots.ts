import type { Database } from './database.ts';
import type { Leases } from './leases.ts';
import type { Lease, Snapshots } from './store.ts';

export function sqliteSnapshots(db: Database, leases: Leases, lease: Lease): Snapshots {
  const { run } = lease;
  return {
    save(node, { cells, bytes }) {
      db.atomic(() => {
        leases.check(lease);
        const sql = `
          INSERT INTO snapshots (run, node, cells, bytes) VALUES (?, ?, ?, ?)
          ON CONFLICT (run, node) DO UPDATE SET cells = excluded.cells, bytes = excluded.bytes`;
        db.run(sql, run, node, cells, bytes);
      });
    },
    load(node) {
      const row = db.get('SELECT cells, bytes FROM snapshots WHERE run = ? AND node = ?', run, node);
      if (row === undefined) return null;
      return Object.freeze({ cells: Number(row['cells']), bytes: row['bytes'] as Uint8Array });
    },
    drop(node) {
      db.atomic(() => {
        leases.check(lease);
        db.run('DELETE FROM snapshots WHERE run = ? AND node = ?', run, node);
      });
    },
  };
}
