/**
 * Stores alerts before the sender is answered. Alerts of the same rule and place form one group, and a group is
 * investigated once, so that a storm of alerts leads to few investigations. An alert that fires again after its group
 * has ended opens a new group.
 */

import { messageOf, plainMask, type SystemMask, sha256 } from '../../core/index.ts';
import type { AlertRecords, EnqueueResult, Job, KeptAlert, NewAlert, Queue } from '../../store/index.ts';
import {
  type Alert,
  alertLimits,
  alertLine,
  cutAlert,
  groupKey,
  readDeliveryId,
  type Sender,
  splitMessage,
} from '../../tasks/incident/index.ts';
import { type GroupPayload, groupTopic, readRun } from './groups.ts';

export interface QueueOptions {
  readonly records: AlertRecords;
  /** The queue of the groups, in the same store. */
  readonly queue: Queue;
  /** Hides secrets in what is sent. Absent: all secrets get the same mark. */
  readonly mask?: SystemMask;
  /** Maximum groups that wait. Alerts of further groups are refused. */
  readonly max: number;
  /** For how long after an investigation further alerts of the same group start no new one. Milliseconds. */
  readonly quietMs: number;
  /** The labels that form groups, instead of the known places; null: the known places. */
  readonly groupBy?: readonly string[] | null;
}

export interface TakenAlert {
  /** Its position in the message, from 0. */
  readonly index: number;
  readonly id: number;
  /** The group of the alert; null: the message ends, or comments on, an alert that is not stored. */
  readonly group: number | null;
  readonly sender: Sender;
  readonly state: 'opened' | 'joined' | 'resolved' | 'noted';
}

export interface RefusedAlert {
  readonly index: number;
  /** The position of the last alert, if the refusal is for several in a row. */
  readonly through?: number;
  readonly code: 'empty' | 'unreadable' | 'full' | 'too_many' | 'not_kept';
  readonly message: string;
}

/** The result for each alert of a message; each alert is in exactly one of the two lists. */
export interface Receipt {
  readonly taken: readonly TakenAlert[];
  readonly refused: readonly RefusedAlert[];
  /** The same message was stored earlier: this repeats that answer, and nothing was done. */
  readonly repeated?: true;
}

/** A parsed message, before anything is stored. */
export interface ParsedDelivery {
  readonly alerts: readonly (ParsedAlert | NotAnAlert)[];
  readonly more: number;
  /** The hash of the delivery; null: the message has no id, so each copy counts. */
  readonly delivery: string | null;
}

export interface Arrival {
  readonly sender?: string | undefined;
  /** The delivery id that the sender proved. Absent: the id in the message is used. */
  readonly delivery?: string | undefined;
}

/** Why a part of a message is not an alert. */
type NotAnAlert = Pick<RefusedAlert, 'code' | 'message'>;

interface ParsedAlert {
  readonly alert: Alert;
  readonly sent: string;
  readonly key: string;
}

/** The groups of the alerts in a batch of messages. */
interface Groups {
  /** For each firing alert, the result of queueing its group. */
  readonly opened: ReadonlyMap<ParsedAlert, EnqueueResult>;
  readonly newest: ReadonlyMap<string, Job>;
  /**
   * The group of each fingerprint that was stored before. An alert may have another key than at its beginning: its title
   * changed, or a note contains fewer fields.
   */
  readonly groupsByFingerprint: Map<string, number>;
}

/** The decision whether to store one alert of a message. */
type Plan =
  | { readonly kind: 'keep'; readonly alert: NewAlert; readonly taken: Omit<TakenAlert, 'id'> }
  | { readonly kind: 'refuse'; readonly refused: RefusedAlert };

export interface AlertQueue {
  /** Parses a message. Without a sender, its form is recognised. Never throws. */
  prepare(sent: string, arrival?: Arrival): ParsedDelivery;
  /**
   * Stores several messages at once. A group is stored before its alerts, so that no alert lacks a group. If it
   * rejects, the same messages can be sent again, and join the groups that exist.
   */
  receive(deliveries: readonly ParsedDelivery[]): Promise<readonly Receipt[]>;
}

export function alertQueue(options: QueueOptions): AlertQueue {
  const { records, queue, mask = plainMask, max, quietMs, groupBy = null } = options;

  const toNewGroup = ({ alert, sent, key }: ParsedAlert, previousJob: Job | null, isClosed: boolean) => ({
    topic: groupTopic,
    key,
    payload: {
      title: alertLine(alert),
      sent,
      ...(previousJob !== null && { before: readRun(previousJob) }),
    } satisfies GroupPayload,
    // An open or recently investigated group accepts more alerts; a closed one does not.
    quietMs: isClosed ? 0 : quietMs,
  });

  function planAlert(
    parsed: ParsedAlert | NotAnAlert,
    index: number,
    { opened, newest, groupsByFingerprint: groups }: Groups,
  ): Plan {
    if ('code' in parsed) return { kind: 'refuse', refused: { index, ...parsed } };
    const { alert, sent, key } = parsed;
    const { fingerprint, source: sender, state } = alert;
    const toKeepPlan = (group: number | null, newState: TakenAlert['state']): Plan => {
      if (group !== null) groups.set(fingerprint, group);
      return {
        kind: 'keep',
        alert: { group, fingerprint, sent, state },
        taken: { index, group, sender, state: newState },
      };
    };
    const group = opened.get(parsed);
    if (group === undefined) {
      const knownGroup = sendersWithIds.has(sender) ? groups.get(fingerprint) : undefined;
      return toKeepPlan(newest.get(key)?.id ?? knownGroup ?? null, state === 'note' ? 'noted' : 'resolved');
    }
    if (group.kind === 'full') {
      const message = `${max} groups are waiting already; send it again later`;
      return { kind: 'refuse', refused: { index, code: 'full', message } };
    }
    return toKeepPlan(group.job.id, group.kind === 'added' ? 'opened' : 'joined');
  }

  /** Cancels new groups of which no alert was stored. */
  async function cancelEmptyGroups(receipts: readonly Receipt[], { opened }: Groups): Promise<void> {
    if (!receipts.some(({ refused }) => refused.some(({ code }) => code === 'not_kept'))) return;
    const addedGroups = [...opened.values()].flatMap((group) =>
      group.kind === 'added' ? [group.job.id] : [],
    );
    const alerts = await records.summarizeGroups(addedGroups);
    for (const id of addedGroups) if (alerts.get(id)?.alerts === 0) await queue.cancel(id).catch(() => {});
  }

  /** The newest group of each key. A storm has few keys. */
  async function findNewestGroups(parsedAlerts: readonly ParsedAlert[]): Promise<Map<string, Job>> {
    const newestByKey = new Map<string, Job>();
    for (const key of new Set(parsedAlerts.map((parsed) => parsed.key))) {
      const job = await queue.get(groupTopic, key);
      if (job !== null) newestByKey.set(key, job);
    }
    return newestByKey;
  }

  async function openGroups(parsedAlerts: readonly ParsedAlert[]): Promise<Groups> {
    const firingAlerts = parsedAlerts.filter(({ alert }) => alert.state === 'firing');
    const newestByKey = await findNewestGroups(parsedAlerts);
    const closedByGroup = await records.summarizeGroups([...newestByKey.values()].map(({ id }) => id));
    const storedGroups = await records.findGroups([
      ...new Set(
        parsedAlerts
          .filter(({ alert }) => sendersWithIds.has(alert.source))
          .map(({ alert }) => alert.fingerprint),
      ),
    ]);
    const enqueueResults = await queue.enqueue(
      firingAlerts.map((parsed) => {
        const job = newestByKey.get(parsed.key) ?? null;
        return toNewGroup(parsed, job, job !== null && closedByGroup.get(job.id)?.closed === true);
      }),
      { maxWaiting: max },
    );
    const resultsByAlert = new Map(firingAlerts.map((parsed, n) => [parsed, enqueueResults[n]!]));
    for (const [{ key }, group] of resultsByAlert) if (group.kind !== 'full') newestByKey.set(key, group.job);
    return { opened: resultsByAlert, newest: newestByKey, groupsByFingerprint: new Map(storedGroups) };
  }

  async function receive(deliveries: readonly ParsedDelivery[]): Promise<readonly Receipt[]> {
    const knownDeliveries = await records.findKnown(deliveries.flatMap(({ delivery }) => delivery ?? []));
    const parsedAlerts = deliveries
      .filter(({ delivery }) => delivery === null || !knownDeliveries.has(delivery))
      .flatMap(({ alerts }) => alerts)
      .filter((parsed): parsed is ParsedAlert => !('code' in parsed));
    const groups = await openGroups(parsedAlerts);
    const plansByDelivery = deliveries.map(({ alerts, more }) => {
      const plans = alerts.map((parsed, index) => planAlert(parsed, index, groups));
      const refusedAlerts = more > 0 ? [tooManyRefusal(alerts.length, alerts.length + more - 1)] : [];
      return {
        alerts: plans.flatMap((plan) => (plan.kind === 'keep' ? [plan.alert] : [])),
        receiptFor: (keptAlerts: readonly KeptAlert[]) => createReceipt(plans, keptAlerts, refusedAlerts),
      };
    });
    const keptDeliveries = await records.keep(
      deliveries.map(({ delivery }, n) => ({
        alerts: plansByDelivery[n]!.alerts,
        delivery,
        remember(numbers) {
          const { taken, refused } = plansByDelivery[n]!.receiptFor(numbers);
          // If some were refused, the sender may send the whole message again, which must not count as a repeat.
          return refused.length === 0 ? taken : null;
        },
      })),
    );
    const receipts = keptDeliveries.map(
      (keptDelivery, n): Receipt =>
        keptDelivery.kind === 'kept'
          ? plansByDelivery[n]!.receiptFor(keptDelivery.alerts)
          : { taken: keptDelivery.answer as readonly TakenAlert[], refused: [], repeated: true },
    );
    await cancelEmptyGroups(receipts, groups);
    return receipts;
  }

  return {
    prepare(sent, { sender, delivery } = {}) {
      const { parts, leftOut } = splitMessage(mask.system(sent));
      const deliveryId = delivery ?? readDeliveryId(sent);
      return {
        delivery: deliveryId === null ? null : sha256(deliveryId),
        alerts: parts.map((part) => {
          if (part.kind === 'empty') return emptyRefusal;
          const { alert } = part;
          // These senders have a form of their own, so plain text is not from them.
          if (alert.source === 'text' && sender !== undefined && sender !== 'text')
            return unreadableRefusal(sender);
          return { alert, sent: cutAlert(part.sent), key: groupKey(alert, { labels: groupBy, sender }) };
        }),
        more: leftOut,
      };
    },
    receive,
  };
}

/** `keptAlerts`: the results of storing, in the order of the plans of kind `keep`. */
function createReceipt(
  plans: readonly Plan[],
  keptAlerts: readonly KeptAlert[],
  extraRefusals: readonly RefusedAlert[],
): Receipt {
  const takenAlerts: TakenAlert[] = [];
  const refusals: RefusedAlert[] = [];
  let nextKept = 0;
  for (const plan of plans) {
    if (plan.kind === 'refuse') {
      refusals.push(plan.refused);
      continue;
    }
    const id = keptAlerts[nextKept];
    nextKept += 1;
    if (typeof id === 'number') takenAlerts.push({ ...plan.taken, id });
    else refusals.push(notStoredRefusal(plan.taken.index, id));
  }
  return { taken: takenAlerts, refused: [...refusals, ...extraRefusals] };
}

const notStoredRefusal = (index: number, thrown: unknown): RefusedAlert => ({
  index,
  code: 'not_kept',
  message: `It could not be stored: ${messageOf(thrown)}`.slice(0, 300),
});

/** Senders whose fingerprint is the id of an incident, so that it alone identifies the group. */
const sendersWithIds: ReadonlySet<Sender> = new Set(['pagerduty', 'opsgenie', 'sentry']);

const emptyRefusal: NotAnAlert = { code: 'empty', message: 'It is empty: send the alert.' };

const unreadableRefusal = (sender: string): NotAnAlert => ({
  code: 'unreadable',
  message: `This is not JSON, so it is not from ${sender}; send plain text to /alerts/text.`,
});

const tooManyRefusal = (index: number, lastIndex: number): RefusedAlert => ({
  index,
  through: lastIndex,
  code: 'too_many',
  message: `A message may contain at most ${alertLimits.alerts} alerts; send the others in another message.`,
});
