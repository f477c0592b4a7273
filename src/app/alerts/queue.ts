/**
 * Alerts that came in, on the disk before the sender is answered. Alerts of one rule and place are one group, and a
 * group is investigated once: a storm is many alerts and few investigations. What ended and fires again is a new group.
 */

import { messageOf, plainMask, type SystemMask, sha256 } from '../../core/index.ts';
import type { AlertRecords, Enqueued, Job, KeptAlert, NewAlert, Queue } from '../../store/index.ts';
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
import { type GroupPayload, groupTopic, runOf } from './groups.ts';

export interface QueueOptions {
  readonly records: AlertRecords;
  /** The queue of the groups, in the same store. */
  readonly queue: Queue;
  /** Hides the secrets in what is sent; where it is absent all secrets get the same mark. */
  readonly mask?: SystemMask;
  /** Most groups that wait; an alert of another group is then not accepted. */
  readonly max: number;
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
  /** By fingerprint, those whose beginning was told in other words: a title was changed, or a note says less. */
  readonly told: Map<string, number>;
}

/** What becomes of an alert of a message: it goes to the store, or not. */
type Plan =
  | { readonly kind: 'keep'; readonly alert: NewAlert; readonly taken: Omit<TakenAlert, 'id'> }
  | { readonly kind: 'refuse'; readonly refused: Refused };

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
  const { records, queue, mask = plainMask, max, quietMs, groupBy = null } = options;

  const groupFor = ({ alert, sent, key }: Ready, before: Job | null, isClosed: boolean) => ({
    topic: groupTopic,
    key,
    payload: {
      title: alertLine(alert),
      sent,
      ...(before !== null && { before: runOf(before) }),
    } satisfies GroupPayload,
    // One that is open, or was investigated a moment ago, takes more alerts; one that is over takes none.
    quietMs: isClosed ? 0 : quietMs,
  });

  function place(ready: Ready | NotOne, index: number, { opened, newest, told }: Groups): Plan {
    if ('code' in ready) return { kind: 'refuse', refused: { index, ...ready } };
    const { alert, sent, key } = ready;
    const { fingerprint, source: sender, state } = alert;
    const keep = (group: number | null, became: TakenAlert['state']): Plan => {
      if (group !== null) told.set(fingerprint, group);
      return {
        kind: 'keep',
        alert: { group, fingerprint, sent, state },
        taken: { index, group, sender, state: became },
      };
    };
    const group = opened.get(ready);
    if (group === undefined) {
      const elsewhere = withIds.has(sender) ? told.get(fingerprint) : undefined;
      return keep(newest.get(key)?.id ?? elsewhere ?? null, state === 'note' ? 'noted' : 'resolved');
    }
    if (group.kind === 'full') {
      const message = `${max} groups wait already; send it again later`;
      return { kind: 'refuse', refused: { index, code: 'full', message } };
    }
    return keep(group.job.id, group.kind === 'added' ? 'opened' : 'joined');
  }

  /** Of an alert that was not kept nothing is investigated, unless others have joined it. */
  async function withdraw(receipts: readonly Receipt[], { opened }: Groups): Promise<void> {
    if (!receipts.some(({ refused }) => refused.some(({ code }) => code === 'not_kept'))) return;
    const added = [...opened.values()].flatMap((group) => (group.kind === 'added' ? [group.job.id] : []));
    const alerts = await records.ofGroups(added);
    for (const id of added) if (alerts.get(id)?.alerts === 0) await queue.cancel(id).catch(() => {});
  }

  /** The newest group of each key that is told of; a storm tells of few. */
  async function newestOf(all: readonly Ready[]): Promise<Map<string, Job>> {
    const newest = new Map<string, Job>();
    for (const key of new Set(all.map((ready) => ready.key))) {
      const job = await queue.get(groupTopic, key);
      if (job !== null) newest.set(key, job);
    }
    return newest;
  }

  async function groupsFor(all: readonly Ready[]): Promise<Groups> {
    const firing = all.filter(({ alert }) => alert.state === 'firing');
    const newest = await newestOf(all);
    const before = await records.ofGroups([...newest.values()].map(({ id }) => id));
    const told = await records.groupsTold([
      ...new Set(all.filter(({ alert }) => withIds.has(alert.source)).map(({ alert }) => alert.fingerprint)),
    ]);
    const enqueued = await queue.enqueue(
      firing.map((ready) => {
        const job = newest.get(ready.key) ?? null;
        return groupFor(ready, job, job !== null && before.get(job.id)?.closed === true);
      }),
      { maxWaiting: max },
    );
    const opened = new Map(firing.map((ready, n) => [ready, enqueued[n]!]));
    for (const [{ key }, group] of opened) if (group.kind !== 'full') newest.set(key, group.job);
    return { opened, newest, told: new Map(told) };
  }

  async function receive(prepared: readonly Prepared[]): Promise<readonly Receipt[]> {
    const known = await records.findKnown(prepared.flatMap(({ delivery }) => delivery ?? []));
    const all = prepared
      .filter(({ delivery }) => delivery === null || !known.has(delivery))
      .flatMap(({ alerts }) => alerts)
      .filter((ready): ready is Ready => !('code' in ready));
    const groups = await groupsFor(all);
    const planned = prepared.map(({ alerts, more }) => {
      const plans = alerts.map((ready, index) => place(ready, index, groups));
      const rest = more > 0 ? [tooMany(alerts.length, alerts.length + more - 1)] : [];
      return {
        alerts: plans.flatMap((plan) => (plan.kind === 'keep' ? [plan.alert] : [])),
        receiptFor: (kept: readonly KeptAlert[]) => receiptOf(plans, kept, rest),
      };
    });
    const kept = await records.keep(
      prepared.map(({ delivery }, n) => ({
        alerts: planned[n]!.alerts,
        delivery,
        remember(numbers) {
          const { taken, refused } = planned[n]!.receiptFor(numbers);
          // What was refused may come again, and then the rest comes with it.
          return refused.length === 0 ? taken : null;
        },
      })),
    );
    const receipts = kept.map(
      (one, n): Receipt =>
        one.kind === 'kept'
          ? planned[n]!.receiptFor(one.alerts)
          : { taken: one.answer as readonly TakenAlert[], refused: [], repeated: true },
    );
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

/** `kept`: of the plans that are to be kept, in their order. */
function receiptOf(plans: readonly Plan[], kept: readonly KeptAlert[], rest: readonly Refused[]): Receipt {
  const taken: TakenAlert[] = [];
  const refused: Refused[] = [];
  let next = 0;
  for (const plan of plans) {
    if (plan.kind === 'refuse') {
      refused.push(plan.refused);
      continue;
    }
    const id = kept[next];
    next += 1;
    if (typeof id === 'number') taken.push({ ...plan.taken, id });
    else refused.push(notKept(plan.taken.index, id));
  }
  return { taken, refused: [...refused, ...rest] };
}

const notKept = (index: number, thrown: unknown): Refused => ({
  index,
  code: 'not_kept',
  message: `It could not be kept: ${messageOf(thrown)}`.slice(0, 300),
});

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
