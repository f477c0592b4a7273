/**
 * Alerts that came in, durable before anybody is told so. Alerts of one name, service and namespace are one
 * group, and a group is investigated once: a storm is many alerts and few investigations.
 */
import { type Clock, maskSecrets } from '../../core/index.ts';
import type { Database } from '../../store/index.ts';
import { alertsIn } from '../../tasks/index.ts';
import { alertsSchema } from './schema.ts';

export interface QueueOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Most groups that wait; an alert of another group is then not accepted. */
  readonly most: number;
  /** How long after its investigation an alert of the same group starts no other. Milliseconds. */
  readonly quietMs: number;
}

export type Receipt =
  | {
      readonly kind: 'accepted';
      readonly alerts: number;
      /** Groups that were opened by these, and alerts that joined one that was there. */
      readonly opened: number;
      readonly joined: number;
      /** Alerts that tell that something is over. */
      readonly resolved: number;
    }
  | { readonly kind: 'full'; readonly waiting: number };

export interface Group {
  readonly id: number;
  readonly name: string;
  readonly run: string | null;
  readonly attempts: number;
  /** The alert that opened it. */
  readonly sent: string;
}

export interface QueueCounts {
  readonly alerts: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
}

export interface AlertQueue {
  /** All of the alerts in what was sent, or none where one of them finds the queue full. */
  receive(sent: string): Receipt;
  /** The same for many at once, written together: all of it or, where it throws, nothing. */
  receiveAll(sent: readonly string[]): readonly Receipt[];
  /** The oldest group that waits, taken: `start` names its run within the same transaction. Null: none waits. */
  take(start: (group: Group) => string): Group | null;
  /** Groups that a crash left running. */
  interrupted(): readonly Group[];
  finish(group: number, state: 'done' | 'failed'): void;
  counts(): QueueCounts;
}

export function alertQueue({ db, clock, most, quietMs }: QueueOptions): AlertQueue {
  db.include(alertsSchema);

  const groupOf = (row: Readonly<Record<string, unknown>>): Group => ({
    id: Number(row['id']),
    name: String(row['name']),
    run: row['run'] === null ? null : String(row['run']),
    attempts: Number(row['attempts']),
    sent: String(row['sent']),
  });
  const withAlert =
    'SELECT g.id, g.name, g.run, g.attempts, (SELECT sent FROM alerts WHERE alert_group = g.id ORDER BY id LIMIT 1) AS sent FROM alert_groups g';
  const waiting = (): number =>
    Number(db.get("SELECT count(*) AS n FROM alert_groups WHERE state = 'waiting'")?.['n']);

  /** One that is open, or was investigated a moment ago. */
  function openGroup(name: string): number | null {
    const row = db.get(
      "SELECT id FROM alert_groups WHERE name = ? AND (state IN ('waiting', 'running') OR (state = 'done' AND updated > ?)) ORDER BY id DESC LIMIT 1",
      name,
      clock.now() - quietMs,
    );
    return row === undefined ? null : Number(row['id']);
  }

  const queue: AlertQueue = {
    receiveAll: (sent) => db.atomic(() => sent.map((one) => queue.receive(one))),
    receive(sent) {
      const now = clock.now();
      const text = maskSecrets(sent);
      const alerts = alertsIn(text);
      return db.atomic(() => {
        let [opened, joined, resolved, room] = [0, 0, 0, most - waiting()];
        const needed = new Set(
          alerts
            .filter(({ state }) => state === 'firing')
            .map(nameOf)
            .filter((name) => openGroup(name) === null),
        );
        if (needed.size > room) return { kind: 'full', waiting: most - room };
        for (const alert of alerts) {
          let group: number | null = null;
          if (alert.state === 'resolved') resolved += 1;
          else {
            const name = nameOf(alert);
            group = openGroup(name);
            if (group === null) {
              group = Number(
                db.get(
                  "INSERT INTO alert_groups (name, state, opened, updated) VALUES (?, 'waiting', ?, ?) RETURNING id",
                  name,
                  now,
                  now,
                )?.['id'],
              );
              opened += 1;
              room -= 1;
            } else joined += 1;
          }
          db.run(
            'INSERT INTO alerts (alert_group, fingerprint, received, sent) VALUES (?, ?, ?, ?)',
            group,
            alert.fingerprint,
            now,
            // Of a message with many alerts each keeps its own part where it can be told apart.
            alerts.length === 1 ? text : JSON.stringify(plainAlert(alert)),
          );
        }
        return { kind: 'accepted', alerts: alerts.length, opened, joined, resolved };
      });
    },
    take(start) {
      return db.atomic(() => {
        const row = db.get(`${withAlert} WHERE g.state = 'waiting' ORDER BY g.id LIMIT 1`);
        if (row === undefined) return null;
        const group = groupOf(row);
        const run = start(group);
        db.run(
          "UPDATE alert_groups SET state = 'running', run = ?, attempts = attempts + 1, updated = ? WHERE id = ?",
          run,
          clock.now(),
          group.id,
        );
        return { ...group, run };
      });
    },
    interrupted: () => db.all(`${withAlert} WHERE g.state = 'running' ORDER BY g.id`).map(groupOf),
    finish(group, state) {
      db.run('UPDATE alert_groups SET state = ?, updated = ? WHERE id = ?', state, clock.now(), group);
    },
    counts() {
      const row = db.get(`SELECT
        (SELECT count(*) FROM alerts) AS alerts,
        count(*) FILTER (WHERE state = 'waiting') AS waiting,
        count(*) FILTER (WHERE state = 'running') AS running,
        count(*) FILTER (WHERE state = 'done') AS done,
        count(*) FILTER (WHERE state = 'failed') AS failed
        FROM alert_groups`);
      const count = (name: string): number => Number(row?.[name] ?? 0);
      return {
        alerts: count('alerts'),
        waiting: count('waiting'),
        running: count('running'),
        done: count('done'),
        failed: count('failed'),
      };
    },
  };
  return queue;
}

type Known = ReturnType<typeof alertsIn>[number];

/** Who fires: not which of its many pods. */
const nameOf = ({ name, service, namespace, source, fingerprint }: Known): string =>
  source === 'text' ? `text ${fingerprint}` : [name, service ?? '', namespace ?? ''].join('\u0000');

/** In the form of plain JSON, which the intake reads back. */
const plainAlert = ({
  name,
  severity,
  service,
  namespace,
  metric,
  query,
  summary,
  error,
  labels,
  started,
  fingerprint,
}: Known) => ({
  alertname: name,
  severity,
  service,
  namespace,
  metric,
  query,
  summary,
  error,
  labels,
  fired_at: started === null ? null : new Date(started).toISOString(),
  fingerprint,
});
