/**
 * Alerts that came in, on the disk before the sender is answered. Alerts of one rule and place are one group, and a
 * group is investigated once: a storm is many alerts and few investigations. What ended and fires again is a new group.
 */

import { type Clock, isSondeError, messageOf, plainMask, type SystemMask, sha256 } from '../../core/index.ts';
import type { Database, Enqueued, Job, Queue } from '../../store/index.ts';
import {
  type Alert,
  alertLimits,
  alertLine,
  cutAlert,
  deliveryIn,
  groupKey,
  partsOf,
  type Sender,
} from '../../tasks/incident/index.ts';
import { keptDeliveries } from './deliveries.ts';
import { type GroupPayload, groupTopic, isClosed, runOf } from './groups.ts';
import { alertsSchema } from './schema.ts';

export interface QueueOptions {
  readonly db: Database;
  /** The queue of the groups, in the same database. */
  readonly queue: Queue;
  readonly clock: Clock;
  /** Hides the secrets in what is sent; where it is absent all secrets get the same mark. */
  readonly mask?: SystemMask;
  /** Most groups that wait; an alert of another group is then not accepted. */
  readonly most: number;
  /** How long after its investigation an alert of the same group starts no other. Milliseconds. */
  readonly quietMs: number;
  /** The labels that make groups, in place of the places that are known; null: these. */
  readonly groupBy?: readonly string[] | null;
}

export interface TakenAlert {
  /** Its place in the message, from 0. */
  readonly index: number;
  readonly id: number;
  /** Null: what it tells the end of, or what it is a note about, is not known here. */
  readonly group: number | null;
  readonly sender: Sender;
  readonly state: 'opened' | 'joined' | 'resolved' | 'noted';
}

export interface Refused {
  readonly index: number;
  /** The last one, where it is about several in a row. */
  readonly through?: number;
  readonly code: 'empty' | 'unreadable' | 'full' | 'too_many' | 'not_kept';
  readonly message: string;
}

/** What became of each alert in a message: it is in one of the two. */
export interface Receipt {
  readonly taken: readonly TakenAlert[];
  readonly refused: readonly Refused[];
  /** The whole message was kept when it came before: this is what it was answered then, and nothing was done. */
  readonly repeated?: true;
}

/** What a message comes to before anything is written. */
export interface Prepared {
  readonly alerts: readonly (Ready | NotOne)[];
  readonly more: number;
  /** Which delivery it is, hashed; null: it does not say, and counts each time. */
  readonly delivery: string | null;
}

export interface Arrival {
  readonly sender?: string | undefined;
  /** What its sender proved to have sent; where absent, what the message says of itself counts. */
  readonly delivery?: string | undefined;
}

/** What is no alert, and why. */
type NotOne = Pick<Refused, 'code' | 'message'>;

interface Ready {
  readonly alert: Alert;
  readonly sent: string;
  readonly key: string;
}

/** Where the alerts of some messages go. */
interface Groups {
  /** What became of those that fire. */
  readonly opened: ReadonlyMap<Ready, Enqueued>;
  readonly newest: ReadonlyMap<string, Job>;
}

export interface AlertQueue {
  /** Reads what was sent, by the sender that is named or by its form. Never throws. */
  prepare(sent: string, arrival?: Arrival): Prepared;
  /**
   * Writes several messages at once. A group is kept before its alerts, so that no alert lacks one; where it
   * rejects, the same messages sent again join the groups that are there.
   */
  receive(prepared: readonly Prepared[]): Promise<readonly Receipt[]>;
}

export function alertQueue(options: QueueOptions): AlertQueue {
  const { db, queue, clock, mask = plainMask, most, quietMs, groupBy = null } = options;
  db.include(alertsSchema);
  const deliveries = keptDeliveries<TakenAlert>(db, clock);

  const groupFor = ({ alert, sent, key }: Ready, before: Job | null) => ({
    topic: groupTopic,
    key,
    payload: {
      title: alertLine(alert),
      sent,
      ...(before !== null && { before: runOf(before) }),
    } satisfies GroupPayload,
    // One that is open, or was investigated a moment ago, takes more alerts; one that is over takes none.
    quietMs: before !== null && isClosed(db, before.id) ? 0 : quietMs,
  });

  function keep({ alert, sent }: Ready, group: number | null): number {
    return db.insert(
      'INSERT INTO alerts (alert_group, fingerprint, received, sent, state) VALUES (?, ?, ?, ?, ?)',
      group,
      alert.fingerprint,
      clock.now(),
      sent,
      alert.state,
    );
  }

  /** Where its beginning is, if it was told in other words: a title was changed, or a note says less. */
  function groupTold({ fingerprint, source }: Alert): number | null {
    if (!withIds.has(source)) return null;
    const found = db.get(
      'SELECT alert_group FROM alerts WHERE fingerprint = ? AND alert_group IS NOT NULL ORDER BY id DESC LIMIT 1',
      fingerprint,
    );
    return found === undefined ? null : Number(found['alert_group']);
  }

  function take(ready: Ready, index: number, { opened, newest }: Groups): TakenAlert | Refused {
    const group = opened.get(ready);
    const sender = ready.alert.source;
    if (group === undefined) {
      const known = newest.get(ready.key)?.id ?? groupTold(ready.alert);
      const state = ready.alert.state === 'note' ? 'noted' : 'resolved';
      return { index, id: keep(ready, known), group: known, sender, state };
    }
    if (group.kind === 'full')
      return { index, code: 'full', message: `${most} groups wait already; send it again later` };
    const { id } = group.job;
    return {
      index,
      id: keep(ready, id),
      group: id,
      sender,
      state: group.kind === 'added' ? 'opened' : 'joined',
    };
  }

  /** Whatever is wrong with one undoes nothing of the others, unless nothing can be written at all. */
  function takeOne(ready: Ready | NotOne, index: number, groups: Groups): TakenAlert | Refused {
    if ('code' in ready) return { index, ...ready };
    try {
      return db.undoable(() => take(ready, index, groups));
    } catch (thrown) {
      if (isSondeError(thrown)) throw thrown;
      return { index, code: 'not_kept', message: `It could not be kept: ${messageOf(thrown)}`.slice(0, 300) };
    }
  }

  function write({ alerts, more, delivery }: Prepared, groups: Groups): Receipt {
    const before = deliveries.find(delivery);
    if (before !== null) return { taken: before, refused: [], repeated: true };
    const all = alerts.map((ready, index) => takeOne(ready, index, groups));
    const last = alerts.length + more - 1;
    const refused = [
      ...all.filter((one) => 'code' in one),
      ...(more > 0 ? [tooMany(alerts.length, last)] : []),
    ];
    const taken = all.filter((one) => 'id' in one);
    // What was refused may come again, and then the rest comes with it.
    if (refused.length === 0) deliveries.keep(delivery, taken);
    return { taken, refused };
  }

  /** Of an alert that was not kept nothing is investigated, unless others have joined it. */
  async function withdraw(receipts: readonly Receipt[], { opened }: Groups): Promise<void> {
    if (!receipts.some(({ refused }) => refused.some(({ code }) => code === 'not_kept'))) return;
    for (const group of opened.values())
      if (
        group.kind === 'added' &&
        db.get('SELECT 1 FROM alerts WHERE alert_group = ? LIMIT 1', group.job.id) === undefined
      )
        await queue.cancel(group.job.id).catch(() => {});
  }

  /** The newest group of each key that is told of; a storm tells of few. */
  async function newestOf(all: readonly Ready[]): Promise<Groups['newest']> {
    const newest = new Map<string, Job>();
    for (const key of new Set(all.map((ready) => ready.key))) {
      const job = await queue.get(groupTopic, key);
      if (job !== null) newest.set(key, job);
    }
    return newest;
  }

  async function receive(prepared: readonly Prepared[]): Promise<readonly Receipt[]> {
    const all = prepared
      .filter(({ delivery }) => deliveries.find(delivery) === null)
      .flatMap(({ alerts }) => alerts)
      .filter((ready): ready is Ready => !('code' in ready));
    const firing = all.filter(({ alert }) => alert.state === 'firing');
    const before = await newestOf(all);
    const enqueued = await queue.enqueue(
      firing.map((ready) => groupFor(ready, before.get(ready.key) ?? null)),
      { maxWaiting: most },
    );
    const opened = new Map(firing.map((ready, n) => [ready, enqueued[n]!]));
    const newest = new Map(before);
    for (const [{ key }, group] of opened) if (group.kind !== 'full') newest.set(key, group.job);
    const groups: Groups = { opened, newest };
    const receipts = db.atomic(() => prepared.map((one) => write(one, groups)));
    await withdraw(receipts, groups);
    return receipts;
  }

  return {
    prepare(sent, { sender, delivery } = {}) {
      const { parts, more } = partsOf(mask.system(sent));
      const named = delivery ?? deliveryIn(sent);
      return {
        delivery: named === null ? null : sha256(named),
        alerts: parts.map((part) => {
          if (part.kind === 'empty') return nothing;
          const { alert } = part;
          // Each of these senders has a form of its own; words without one are not theirs.
          if (alert.source === 'text' && sender !== undefined && sender !== 'text') return unreadable(sender);
          return { alert, sent: cutAlert(part.sent), key: groupKey(alert, { labels: groupBy, sender }) };
        }),
        more,
      };
    },
    receive,
  };
}

/** Their fingerprint is the id of an incident, whatever else they say of it. */
const withIds: ReadonlySet<Sender> = new Set(['pagerduty', 'opsgenie', 'sentry']);

const nothing: NotOne = { code: 'empty', message: 'There is nothing in it: send the alert.' };

const unreadable = (sender: string): NotOne => ({
  code: 'unreadable',
  message: `This is no JSON, and so nothing that ${sender} sends; plain text goes to /alerts/text.`,
});

const tooMany = (index: number, through: number): Refused => ({
  index,
  through,
  code: 'too_many',
  message: `A message may hold ${alertLimits.alerts} alerts; send the others in another one.`,
});
