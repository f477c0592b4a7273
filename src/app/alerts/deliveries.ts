/** Which deliveries were kept: one that comes again counts once, and gets the answer that it got. */
import type { Clock } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';

export interface KeptDeliveries<Taken> {
  /** What became of its alerts; null: it is new, or does not say which it is. */
  find(delivery: string | null): readonly Taken[] | null;
  /** Within the transaction that keeps its alerts. */
  keep(delivery: string | null, taken: readonly Taken[]): void;
}

/** Longer than any sender tries. Milliseconds. */
const memoryMs = 90 * 24 * 3_600_000;

export function keptDeliveries<Taken>(db: Database, clock: Clock): KeptDeliveries<Taken> {
  return {
    find(delivery) {
      if (delivery === null) return null;
      const row = db.get('SELECT taken FROM alert_deliveries WHERE delivery = ?', delivery);
      return row === undefined ? null : (JSON.parse(String(row['taken'])) as readonly Taken[]);
    },
    keep(delivery, taken) {
      if (delivery === null) return;
      const now = clock.now();
      db.run('INSERT INTO alert_deliveries VALUES (?, ?, ?)', delivery, now, JSON.stringify(taken));
      db.run('DELETE FROM alert_deliveries WHERE received < ?', now - memoryMs);
    },
  };
}
