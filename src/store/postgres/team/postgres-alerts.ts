/** Alerts and deliveries in PostgreSQL. Several fronts may receive a delivery, and only one of them stores it. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../core/index.ts';
import {
  type AlertRecords,
  deliveryMemoryMs,
  type KeptDelivery,
  type NewDelivery,
} from '../../alert-records.ts';
import type { PostgresDatabase, Statement } from '../database.ts';
import { escapeNul, unescapeNul } from '../escape-nul.ts';

/** `clock`: replaces the clock of the database in tests. */
export function postgresAlerts(db: PostgresDatabase, clock?: Clock): AlertRecords {
  const now = (): number | null => clock?.now() ?? null;

  /** Reserves ids for new alerts, in ascending order. */
  async function reserveNumbers(count: number): Promise<readonly number[]> {
    const text = `SELECT nextval(pg_get_serial_sequence('alerts', 'id')) AS id FROM generate_series(1, $1::int)`;
    const rows = count === 0 ? [] : await db.ask({ name: 'numbers of alerts', text, values: [count] });
    return rows.map(({ id }) => Number(id)).toSorted((a, b) => a - b);
  }

  async function readReplies(deliveries: readonly string[]) {
    const text = 'SELECT delivery, taken, attempt FROM alert_deliveries WHERE delivery = ANY ($1::text[])';
    const rows = await db.ask({ name: 'deliveries', text, values: [deliveries] });
    return new Map(rows.map(({ delivery, taken, attempt }) => [String(delivery), { taken, attempt }]));
  }

  interface NumberedDelivery {
    readonly one: NewDelivery;
    readonly ids: readonly number[];
    /** The reply to repeat, as JSON; null: the delivery is not remembered. */
    readonly answer: string | null;
  }

  function buildStatements(
    numberedDeliveries: readonly NumberedDelivery[],
    attempt: string,
  ): readonly Statement[] {
    const remembered = numberedDeliveries.filter(({ answer }) => answer !== null);
    const rows = numberedDeliveries.flatMap(({ one, ids, answer }) =>
      one.alerts.map((alert, nth) => ({ ...alert, id: ids[nth], of: answer === null ? null : one.delivery })),
    );
    return [
      {
        name: 'keep deliveries',
        text: `INSERT INTO alert_deliveries (delivery, received, taken, attempt)
          SELECT delivery, coalesce($3::bigint, now_ms()), taken, $4
          FROM unnest($1::text[], $2::text[]) AS a (delivery, taken) ORDER BY delivery ON CONFLICT DO NOTHING`,
        values: [
          remembered.map(({ one }) => one.delivery),
          remembered.map(({ answer }) => answer),
          now(),
          attempt,
        ],
      },
      {
        name: 'keep alerts',
        text: `INSERT INTO alerts (id, alert_group, fingerprint, received, sent, state)
          SELECT a.id, a.alert_group, a.fingerprint, coalesce($7::bigint, now_ms()), a.sent, a.state
          FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
            AS a (id, alert_group, fingerprint, sent, state, delivery)
          LEFT JOIN alert_deliveries d ON d.delivery = a.delivery
          WHERE a.delivery IS NULL OR d.attempt = $8 ON CONFLICT DO NOTHING`,
        values: [
          rows.map(({ id }) => id),
          rows.map(({ group }) => group),
          rows.map(({ fingerprint }) => escapeNul(fingerprint)),
          rows.map(({ sent }) => JSON.stringify(sent)),
          rows.map(({ state }) => state),
          rows.map(({ of }) => of),
          now(),
          attempt,
        ],
      },
      {
        name: 'forget deliveries',
        text: 'DELETE FROM alert_deliveries WHERE received < coalesce($1::bigint, now_ms()) - $2',
        values: [now(), deliveryMemoryMs],
      },
    ];
  }

  async function keep(deliveries: readonly NewDelivery[]): Promise<readonly KeptDelivery[]> {
    const deliveryIds = deliveries.map(({ delivery }) => delivery).filter((one) => one !== null);
    const earlierReplies = await readReplies(deliveryIds);
    const replies = new Map([...earlierReplies].map(([delivery, { taken }]) => [delivery, String(taken)]));
    const ids = await reserveNumbers(deliveries.reduce((sum, { alerts }) => sum + alerts.length, 0));
    const attempt = randomUUID();
    const newDeliveries: NumberedDelivery[] = [];
    let usedIds = 0;
    const planned = deliveries.map((one): NumberedDelivery | null => {
      if (one.delivery !== null && replies.has(one.delivery)) return null;
      const alertIds = ids.slice(usedIds, usedIds + one.alerts.length);
      usedIds += alertIds.length;
      const reply = one.delivery === null ? null : one.remember(alertIds);
      const answer = reply === null ? null : JSON.stringify(reply);
      // A second delivery with this id in the same batch is a repetition.
      if (one.delivery !== null && answer !== null) replies.set(one.delivery, answer);
      const numbered = { one, ids: alertIds, answer };
      newDeliveries.push(numbered);
      return numbered;
    });
    if (newDeliveries.length > 0) await db.transact(buildStatements(newDeliveries, attempt));
    // Another front may have stored the same delivery meanwhile.
    const storedReplies = await readReplies(deliveryIds);
    return deliveries.map(({ delivery }, nth): KeptDelivery => {
      const numberedDelivery = planned[nth]!;
      const storedReply = delivery === null ? undefined : storedReplies.get(delivery);
      const isOwn =
        numberedDelivery !== null && (numberedDelivery.answer === null || storedReply?.attempt === attempt);
      if (isOwn) return { kind: 'kept', alerts: numberedDelivery.ids };
      return { kind: 'repeated', answer: JSON.parse(String(storedReply?.taken ?? replies.get(delivery!))) };
    });
  }

  return {
    keep,
    findKnown: async (deliveries) =>
      new Set(deliveries.length === 0 ? [] : (await readReplies(deliveries)).keys()),
    async findGroups(fingerprints) {
      if (fingerprints.length === 0) return new Map();
      const text = `SELECT DISTINCT ON (fingerprint) fingerprint, alert_group FROM alerts
        WHERE fingerprint = ANY ($1::text[]) AND alert_group IS NOT NULL ORDER BY fingerprint, id DESC`;
      const rows = await db.ask({ name: 'groups told', text, values: [fingerprints.map(escapeNul)] });
      return new Map(
        rows.map((row) => [unescapeNul(String(row['fingerprint'])), Number(row['alert_group'])]),
      );
    },
    async summarizeGroups(groups) {
      if (groups.length === 0) return new Map();
      const rows = await db.ask({
        name: 'alerts of groups',
        text: `SELECT g.id, count(a.id) AS alerts,
            coalesce(bool_or(a.state = 'resolved'), false) AND NOT coalesce(bool_or(a.state = 'firing' AND NOT EXISTS (
              SELECT 1 FROM alerts over WHERE over.alert_group = a.alert_group AND over.fingerprint = a.fingerprint
                AND over.id > a.id AND over.state = 'resolved')), false) AS closed
          FROM unnest($1::bigint[]) AS g (id) LEFT JOIN alerts a ON a.alert_group = g.id GROUP BY g.id`,
        values: [[...new Set(groups)]],
      });
      return new Map(
        rows.map(({ id, alerts, closed }) => [
          Number(id),
          { alerts: Number(alerts), closed: closed === true },
        ]),
      );
    },
    async countAlerts() {
      const [row] = await db.ask({
        name: 'all alerts',
        text: 'SELECT count(*) AS n FROM alerts',
        values: [],
      });
      return Number(row?.['n']);
    },
    async check() {
      // No real delivery has this id, since their ids are hashes.
      const values = [`ready ${randomUUID()}`];
      await db.transact([
        {
          name: 'write as a check',
          text: `INSERT INTO alert_deliveries (delivery, received, taken) VALUES ($1, 0, '[]')`,
          values,
        },
        { name: 'end a check', text: 'DELETE FROM alert_deliveries WHERE delivery = $1', values },
      ]);
    },
  };
}
