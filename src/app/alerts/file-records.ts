/** Stores alerts and deliveries in an SQLite file. */
import { type Clock, isSondeError } from '../../core/index.ts';
import { deliveryMemoryMs } from '../../store/alert-records.ts';
import type { AlertRecords, Database, GroupAlerts, KeptAlert, NewAlert } from '../../store/index.ts';
import { alertsSchema } from './schema.ts';

/** The key of the row that is written to test the file. No delivery has it, since their keys are hashes. */
const probeKey = 'ready';

export function fileRecords(db: Database, clock: Clock): AlertRecords {
  db.include(alertsSchema);

  const findDelivery = (delivery: string) =>
    db.get('SELECT taken FROM alert_deliveries WHERE delivery = ?', delivery);

  /** Stores one alert. If the database refuses it, returns the error, so that the others are kept. */
  function storeAlert({ group, fingerprint, sent, state }: NewAlert): KeptAlert {
    try {
      return db.undoable(() =>
        db.insert(
          'INSERT INTO alerts (alert_group, fingerprint, received, sent, state) VALUES (?, ?, ?, ?, ?)',
          ...[group, fingerprint, clock.now(), sent, state],
        ),
      );
    } catch (thrown) {
      if (isSondeError(thrown) || !(thrown instanceof Error)) throw thrown;
      return thrown;
    }
  }

  function storeDelivery(delivery: string, answer: unknown): void {
    const now = clock.now();
    db.run('INSERT INTO alert_deliveries VALUES (?, ?, ?)', delivery, now, JSON.stringify(answer));
    db.run('DELETE FROM alert_deliveries WHERE received < ?', now - deliveryMemoryMs);
  }

  function readGroup(group: number): GroupAlerts {
    const alerts = Number(db.get('SELECT count(*) AS n FROM alerts WHERE alert_group = ?', group)?.['n']);
    const openAlert = db.get(
      `SELECT 1 FROM alerts AS fired WHERE alert_group = ? AND state = 'firing' AND NOT EXISTS (
         SELECT 1 FROM alerts AS over WHERE over.alert_group = fired.alert_group
           AND over.fingerprint = fired.fingerprint AND over.id > fired.id AND over.state = 'resolved') LIMIT 1`,
      group,
    );
    const resolvedSql = "SELECT 1 FROM alerts WHERE alert_group = ? AND state = 'resolved' LIMIT 1";
    return { alerts, closed: openAlert === undefined && db.get(resolvedSql, group) !== undefined };
  }

  return {
    async keep(deliveries) {
      return db.atomic(() =>
        deliveries.map((newDelivery) => {
          const earlierAnswer =
            newDelivery.delivery === null ? undefined : findDelivery(newDelivery.delivery);
          if (earlierAnswer !== undefined)
            return { kind: 'repeated', answer: JSON.parse(String(earlierAnswer['taken'])) };
          const alerts = newDelivery.alerts.map(storeAlert);
          const answer = newDelivery.remember(alerts);
          if (newDelivery.delivery !== null && answer !== null) storeDelivery(newDelivery.delivery, answer);
          return { kind: 'kept', alerts };
        }),
      );
    },
    findKnown: async (deliveries) =>
      new Set(deliveries.filter((delivery) => findDelivery(delivery) !== undefined)),
    async findGroups(fingerprints) {
      const text = `SELECT alert_group FROM alerts WHERE fingerprint = ? AND alert_group IS NOT NULL
        ORDER BY id DESC LIMIT 1`;
      const groupPairs = fingerprints.map(
        (fingerprint) => [fingerprint, db.get(text, fingerprint)?.['alert_group']] as const,
      );
      return new Map(
        groupPairs.flatMap(([one, group]) => (group === undefined ? [] : [[one, Number(group)]])),
      );
    },
    summarizeGroups: async (groups) => new Map(groups.map((group) => [group, readGroup(group)])),
    countAlerts: async () => Number(db.get('SELECT count(*) AS n FROM alerts')?.['n']),
    async check() {
      db.run("INSERT OR REPLACE INTO alert_deliveries VALUES (?, ?, '[]')", probeKey, clock.now());
    },
  };
}
