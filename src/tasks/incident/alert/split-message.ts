/**
 * Splits a message into its alerts. A message can be a list, an object with several alerts, a single alert, or plain
 * text.
 */
import { maskSecrets } from '../../../core/index.ts';
import type { Alert } from './alert.ts';
import { limitDepth } from './cut.ts';
import { type Fields, fieldsIn, isFields, textIn } from './fields.ts';
import { alertLimits } from './limits.ts';
import { readAlertmanager, readOldGrafana } from './senders/alertmanager.ts';
import {
  isAlarm,
  isAlarmEvent,
  isRdsEvent,
  isSns,
  isSnsSubscription,
  readAlarm,
  readAlarmEvent,
  readRdsEvent,
  readSnsSubscription,
} from './senders/cloudwatch.ts';
import { isDatadog, readDatadog } from './senders/datadog.ts';
import { readJson } from './senders/json.ts';
import { isOpsGenie, readOpsGenie } from './senders/opsgenie.ts';
import { readPagerDuty, readPagerDutyEvent } from './senders/pagerduty.ts';
import { isSentry, readSentry } from './senders/sentry.ts';
import { readPlainText } from './senders/text.ts';
import { ownNames } from './unwrap.ts';

/** One alert of a message. They are kept in the order of the message. */
export type AlertPart =
  | {
      readonly kind: 'alert';
      readonly alert: Alert;
      /** The part of the message from which this alert can be read alone. */
      readonly sent: string;
    }
  | { readonly kind: 'empty' };

/**
 * Whether the text looks like JSON but can't be parsed, perhaps because it was cut: it is then read as text, with a
 * note.
 */
export function isBrokenJson(sent: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*[{\]])/.test(sent) && parseJson(sent) === undefined;
}

/** Returns at least one alert; if nothing else fits, the text itself. Secrets are masked first. */
export function readAlerts(sent: string): readonly Alert[] {
  const text = maskSecrets(sent);
  const alerts = splitMessage(text).parts.flatMap((part) => (part.kind === 'alert' ? [part.alert] : []));
  return alerts.length === 0 ? [readPlainText(text)] : alerts;
}

/**
 * The alerts of a message with masked secrets, and how many were left out beyond `max`. Never throws: a message of
 * unknown form is an alert in plain text.
 */
export function splitMessage(
  text: string,
  max: number = alertLimits.alerts,
): { readonly parts: readonly AlertPart[]; readonly leftOut: number } {
  const payload = parseJson(text);
  const parts: AlertPart[] = [];
  let leftOut = 0;
  for (const make of payload === undefined ? [() => toTextPart(text)] : splitPayload(payload))
    if (parts.length < max) parts.push(make());
    else leftOut += 1;
  const [only] = parts;
  // A message with a single alert is kept as it came.
  if (parts.length + leftOut === 1 && only?.kind === 'alert')
    return { parts: [{ ...only, sent: text }], leftOut };
  return { parts, leftOut };
}

/** Undefined if the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(limitDepth(text.replace(/^\uFEFF/, '')) ?? '');
  } catch {
    return parseLines(text);
  }
}

/** One object per line, as collectors send them. */
function parseLines(text: string): unknown {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length < 2 || !lines.every((line) => /^\s*\{.*\}\s*$/.test(line))) return undefined;
  try {
    return lines.map((line) => JSON.parse(limitDepth(line) ?? '') as unknown);
  } catch {
    return undefined;
  }
}

/** Created one by one on demand: even a small message may contain a million of them. */
type AlertParts = Iterable<() => AlertPart>;

const toEmptyPart = (): AlertPart => ({ kind: 'empty' });

const toTextPart = (text: string): AlertPart =>
  text.trim() === '' ? toEmptyPart() : { kind: 'alert', alert: readPlainText(text), sent: text };

const toPart = (alert: Alert, payload: unknown): AlertPart => ({
  kind: 'alert',
  alert,
  sent: JSON.stringify(payload),
});

/** Splits a parsed message into its alerts. The recursion ends, since `limitDepth` limits the depth. */
function* splitPayload(payload: unknown): AlertParts {
  if (Array.isArray(payload)) {
    for (const item of payload) yield* splitPayload(item);
    if (payload.length === 0) yield toEmptyPart;
  } else if (!isFields(payload)) yield () => (payload === null ? toEmptyPart() : toTextPart(String(payload)));
  else if (Object.keys(payload).length === 0) yield toEmptyPart;
  else if (isSns(payload)) yield* splitPublished(payload);
  else if (isSingleAlert(payload)) yield* readSingleAlert(payload);
  else if (hasNoAlerts(payload)) yield toEmptyPart;
  else if (isList(payload['messages'])) yield* splitList(payload['messages'], readMessageV2);
  else if (isPagerDuty(payload['event']))
    yield () => toPart(readEventV3(fieldsIn(payload['event'])), payload);
  else if (textIn(payload, 'event_action') !== null) yield () => toPart(readPagerDutyEvent(payload), payload);
  else if (isList(payload['alerts'])) {
    const around = pickSharedFields(payload);
    yield* splitList(payload['alerts'], (item) => {
      const alert = readAlertmanager(payload, item);
      return toPart(alert, { ...around, alerts: [{ ...item, labels: alert.labels }] });
    });
  } else if (Array.isArray(payload['evalMatches']) || textIn(payload, 'ruleName') !== null)
    yield () => toPart(readOldGrafana(payload), payload);
  else if (textIn(fieldsIn(payload['commonLabels']), 'alertname') !== null)
    yield () => toPart(readAlertmanager(payload, payload), payload);
  else if (isListedAlert(payload)) yield () => toPart(readAlertmanager({}, payload), payload);
  else yield () => toPart(readJson(payload), payload);
}

/** Senders that send one alert per message, each with a test that recognises it. */
const singleAlertFormats: readonly (readonly [
  is: (payload: Fields) => boolean,
  read: (payload: Fields) => Alert,
])[] = [
  [isAlarm, readAlarm],
  [isAlarmEvent, readAlarmEvent],
  [isRdsEvent, readRdsEvent],
  [isOpsGenie, readOpsGenie],
  [isSentry, readSentry],
  [isDatadog, readDatadog],
];
const isSingleAlert = (payload: Fields): boolean => singleAlertFormats.some(([is]) => is(payload));

function* readSingleAlert(payload: Fields): AlertParts {
  const [, read] = singleAlertFormats.find(([is]) => is(payload))!;
  yield () => toPart(read(payload), payload);
}

/** Unwraps a message that was published to an SNS topic. A plain text keeps its subject. */
function* splitPublished(payload: Fields): AlertParts {
  if (isSnsSubscription(payload)) return yield () => toPart(readSnsSubscription(payload), payload);
  const inner = parseJson(textIn(payload, 'Message') ?? '');
  if (isFields(inner) || Array.isArray(inner)) yield* splitPayload(inner);
  else yield () => toPart(readJson(payload), payload);
}

/** Version 3 only; other senders also use some of its event names. */
const isPagerDuty = (event: unknown): boolean =>
  isFields(event) && (isFields(event['data']) || textIn(event, 'event_type') !== null);

/** The form in which Alertmanager and Prometheus list their alerts: an alert's name is only in its labels. */
const isListedAlert = (payload: Fields): boolean =>
  textIn(fieldsIn(payload['labels']), 'alertname') !== null && textIn(payload, ...ownNames) === null;

/** A message with an empty list of alerts, and no other alert. */
const hasNoAlerts = (payload: Fields): boolean =>
  Array.isArray(payload['alerts']) &&
  payload['alerts'].length === 0 &&
  ['groupLabels', 'commonLabels', 'labels'].every(
    (part) => Object.keys(fieldsIn(payload[part])).length === 0,
  ) &&
  textIn(payload, ...ownNames, 'message', 'text') === null;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

/** A list entry in another format than its sender's is read like a message of its own. */
function* splitList(list: readonly unknown[], readItem: (fields: Fields) => AlertPart): AlertParts {
  for (const item of list)
    if (isFields(item) && Object.keys(item).length > 0) yield () => readItem(item);
    else yield* splitPayload(item);
}

/** PagerDuty's webhooks of version 2. */
const readMessageV2 = (message: Fields): AlertPart =>
  toPart(readPagerDuty(fieldsIn(message['incident']), textIn(message, 'event') ?? '', message), {
    messages: [message],
  });

/** PagerDuty's webhooks of version 3. */
const readEventV3 = (event: Fields): Alert =>
  readPagerDuty(fieldsIn(event['data']), textIn(event, 'event_type') ?? '', event);

/**
 * The fields that apply to all alerts of a message. Kept short, since each alert stores them; labels are left out,
 * since each alert has its own.
 */
function pickSharedFields(payload: Fields): Fields {
  const names = ['status', 'title', 'orgId', 'externalURL', 'receiver', 'commonAnnotations'];
  const kept = names.flatMap((name) => {
    const json = JSON.stringify(payload[name]);
    return json !== undefined && json.length <= 1_000 ? [[name, payload[name]] as const] : [];
  });
  return Object.fromEntries(kept);
}
