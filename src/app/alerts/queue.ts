/**
 * Alerts that came in, on the disk before the sender is answered. Alerts of one name, service and namespace
 * are one group, and a group is investigated once: a storm is many alerts and few investigations.
 */

import { type Clock, isSondeError, messageOf, plainMask, type SystemMask, sha256 } from '../../core/index.ts';
import type { Database, Enqueued, Queue } from '../../store/index.ts';
import {
  type Alert,
  alertLimits,
  alertLine,
  cutAlert,
  nameless,
  partsOf,
} from '../../tasks/incident/index.ts';
import { type GroupPayload, groupTopic } from './groups.ts';
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
}

export interface TakenAlert {
  /** Its place in the message, from 0. */
  readonly index: number;
  readonly id: number;
  /** Null: it tells that something is over. */
  readonly group: number | null;
  readonly state: 'opened' | 'joined' | 'resolved';
}

export interface Refused {
  readonly index: number;
  /** The last one, where it is about several in a row. */
  readonly through?: number;
  readonly code: 'empty' | 'full' | 'too_many' | 'not_kept';
  readonly message: string;
}

/** What became of each alert in a message: it is in one of the two. */
export interface Receipt {
  readonly taken: readonly TakenAlert[];
  readonly refused: readonly Refused[];
}

/** What a message comes to before anything is written. */
export interface Prepared {
  readonly alerts: readonly (Ready | null)[];
  readonly more: number;
}

interface Ready {
  readonly alert: Alert;
  readonly sent: string;
}

export interface AlertQueue {
  /** Reads what was sent. Never throws. */
  prepare(sent: string): Prepared;
  /**
   * Writes several messages at once. A group is kept before its alerts, so that no alert lacks one; where it
   * rejects, the same messages sent again join the groups that are there.
   */
  receive(prepared: readonly Prepared[]): Promise<readonly Receipt[]>;
}

export function alertQueue({ db, queue, clock, mask = plainMask, most, quietMs }: QueueOptions): AlertQueue {
  db.include(alertsSchema);

  const groupFor = ({ alert, sent }: Ready) => ({
    topic: groupTopic,
    key: groupName(alert),
    payload: { title: alertLine(alert), sent } satisfies GroupPayload,
    // One that is open, or was investigated a moment ago, takes more alerts.
    quietMs,
  });

  function keep({ alert, sent }: Ready, group: number | null): number {
    return db.insert(
      'INSERT INTO alerts (alert_group, fingerprint, received, sent) VALUES (?, ?, ?, ?)',
      group,
      alert.fingerprint,
      clock.now(),
      sent,
    );
  }

  function take(ready: Ready, index: number, group: Enqueued | undefined): TakenAlert | Refused {
    if (group === undefined) return { index, id: keep(ready, null), group: null, state: 'resolved' };
    if (group.kind === 'full')
      return { index, code: 'full', message: `${most} groups wait already; send it again later` };
    const { id } = group.job;
    return { index, id: keep(ready, id), group: id, state: group.kind === 'added' ? 'opened' : 'joined' };
  }

  /** Whatever is wrong with one undoes nothing of the others, unless nothing can be written at all. */
  function takeOne(ready: Ready | null, index: number, group: Enqueued | undefined): TakenAlert | Refused {
    if (ready === null) return { index, code: 'empty', message: 'There is nothing in it: send the alert.' };
    try {
      return db.undoable(() => take(ready, index, group));
    } catch (thrown) {
      if (isSondeError(thrown)) throw thrown;
      return { index, code: 'not_kept', message: `It could not be kept: ${messageOf(thrown)}`.slice(0, 300) };
    }
  }

  function write({ alerts, more }: Prepared, groups: ReadonlyMap<Ready, Enqueued>): Receipt {
    const all = alerts.map((ready, index) =>
      takeOne(ready, index, ready === null ? undefined : groups.get(ready)),
    );
    const last = alerts.length + more - 1;
    return {
      taken: all.filter((one) => 'id' in one),
      refused: [...all.filter((one) => 'code' in one), ...(more > 0 ? [tooMany(alerts.length, last)] : [])],
    };
  }

  /** Of an alert that was not kept nothing is investigated, unless others have joined it. */
  async function withdraw(receipts: readonly Receipt[], groups: ReadonlyMap<Ready, Enqueued>): Promise<void> {
    if (!receipts.some(({ refused }) => refused.some(({ code }) => code === 'not_kept'))) return;
    for (const group of groups.values())
      if (
        group.kind === 'added' &&
        db.get('SELECT 1 FROM alerts WHERE alert_group = ? LIMIT 1', group.job.id) === undefined
      )
        await queue.cancel(group.job.id).catch(() => {});
  }

  async function receive(prepared: readonly Prepared[]): Promise<readonly Receipt[]> {
    const firing = prepared
      .flatMap(({ alerts }) => alerts)
      .filter((ready) => ready !== null)
      .filter(({ alert }) => alert.state !== 'resolved');
    const opened = await queue.enqueue(firing.map(groupFor), { maxWaiting: most });
    const groups = new Map(firing.map((ready, n) => [ready, opened[n]!]));
    const receipts = db.atomic(() => prepared.map((one) => write(one, groups)));
    await withdraw(receipts, groups);
    return receipts;
  }

  return {
    prepare(sent) {
      const { parts, more } = partsOf(mask.system(sent));
      return {
        alerts: parts.map((part) =>
          part.kind === 'alert' ? { alert: part.alert, sent: cutAlert(part.sent) } : null,
        ),
        more,
      };
    },
    receive,
  };
}

const tooMany = (index: number, through: number): Refused => ({
  index,
  through,
  code: 'too_many',
  message: `A message may hold ${alertLimits.alerts} alerts; send the others in another one.`,
});

/** Who fires: not which of its many pods. Without a name it is everything that the alert says. */
function groupName({ name, service, namespace, source, fingerprint }: Alert): string {
  if (source === 'text') return `text ${fingerprint}`;
  const parts = [name, service ?? '', namespace ?? ''].map(short);
  return (name === nameless ? [...parts, fingerprint] : parts).join('\u0000');
}

const maxPartLength = 300;

const short = (text: string): string =>
  text.length <= maxPartLength ? text : `${text.slice(0, maxPartLength)}#${sha256(text).slice(0, 16)}`;
