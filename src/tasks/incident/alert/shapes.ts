/**
 * Splits a message into its alerts. A message can be a list, an object with several alerts, a single alert, or plain
 * text.
 */
import { maskSecrets } from '../../../core/index.ts';
import type { Alert } from './alert.ts';
import { shallowJson } from './cut.ts';
import { type Fields, fieldsIn, isFields, textIn } from './fields.ts';
import { ownNames } from './inner.ts';
import { alertLimits } from './limits.ts';
import { ofAlertmanager, ofOldGrafana } from './senders/alertmanager.ts';
import {
  isAlarm,
  isAlarmEvent,
  isRdsEvent,
  isSns,
  isSnsOwn,
  ofAlarm,
  ofAlarmEvent,
  ofRdsEvent,
  ofSnsOwn,
} from './senders/cloudwatch.ts';
import { isDatadog, ofDatadog } from './senders/datadog.ts';
import { ofJson } from './senders/json.ts';
import { isOpsGenie, ofOpsGenie } from './senders/opsgenie.ts';
import { ofPagerDuty, ofPagerDutyEvent } from './senders/pagerduty.ts';
import { isSentry, ofSentry } from './senders/sentry.ts';
import { ofText } from './senders/text.ts';

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
export function alertsIn(sent: string): readonly Alert[] {
  const text = maskSecrets(sent);
  const alerts = partsOf(text).parts.flatMap((part) => (part.kind === 'alert' ? [part.alert] : []));
  return alerts.length === 0 ? [ofText(text)] : alerts;
}

/**
 * The alerts of a message with masked secrets, and how many were left out beyond `most`. Never throws: a message of
 * unknown form is an alert in plain text.
 */
export function partsOf(
  text: string,
  max: number = alertLimits.alerts,
): { readonly parts: readonly AlertPart[]; readonly more: number } {
  const payload = parseJson(text);
  const parts: AlertPart[] = [];
  let more = 0;
  for (const make of payload === undefined ? [() => textPart(text)] : partsIn(payload))
    if (parts.length < max) parts.push(make());
    else more += 1;
  const [only] = parts;
  // A message with a single alert is kept as it came.
  if (parts.length + more === 1 && only?.kind === 'alert') return { parts: [{ ...only, sent: text }], more };
  return { parts, more };
}

/** Undefined if the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(shallowJson(text.replace(/^\uFEFF/, '')) ?? '');
  } catch {
    return ofLines(text);
  }
}

/** One object per line, as collectors send them. */
function ofLines(text: string): unknown {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length < 2 || !lines.every((line) => /^\s*\{.*\}\s*$/.test(line))) return undefined;
  try {
    return lines.map((line) => JSON.parse(shallowJson(line) ?? '') as unknown);
  } catch {
    return undefined;
  }
}

/** Made one by one on demand: even a small message may hold a million of them. */
type AlertParts = Iterable<() => AlertPart>;

const empty = (): AlertPart => ({ kind: 'empty' });

const textPart = (text: string): AlertPart =>
  text.trim() === '' ? empty() : { kind: 'alert', alert: ofText(text), sent: text };

const part = (alert: Alert, payload: unknown): AlertPart => ({
  kind: 'alert',
  alert,
  sent: JSON.stringify(payload),
});

/** Parts down to the depth that `shallowJson` allows. */
function* partsIn(payload: unknown): AlertParts {
  if (Array.isArray(payload)) {
    for (const one of payload) yield* partsIn(one);
    if (payload.length === 0) yield empty;
  } else if (!isFields(payload)) yield () => (payload === null ? empty() : textPart(String(payload)));
  else if (Object.keys(payload).length === 0) yield empty;
  else if (isSns(payload)) yield* publishedParts(payload);
  else if (isKnown(payload)) yield* whole(payload);
  else if (isNoAlerts(payload)) yield empty;
  else if (isList(payload['messages'])) yield* entries(payload['messages'], ofMessage);
  else if (isPagerDuty(payload['event'])) yield () => part(ofEvent(fieldsIn(payload['event'])), payload);
  else if (textIn(payload, 'event_action') !== null) yield () => part(ofPagerDutyEvent(payload), payload);
  else if (isList(payload['alerts'])) {
    const around = aroundAlerts(payload);
    yield* entries(payload['alerts'], (held) => {
      const alert = ofAlertmanager(payload, held);
      return part(alert, { ...around, alerts: [{ ...held, labels: alert.labels }] });
    });
  } else if (Array.isArray(payload['evalMatches']) || textIn(payload, 'ruleName') !== null)
    yield () => part(ofOldGrafana(payload), payload);
  else if (textIn(fieldsIn(payload['commonLabels']), 'alertname') !== null)
    yield () => part(ofAlertmanager(payload, payload), payload);
  else if (isBareAlert(payload)) yield () => part(ofAlertmanager({}, payload), payload);
  else yield () => part(ofJson(payload), payload);
}

/** Senders that send one alert per message, each with a test that recognises it. */
const singles: readonly (readonly [is: (payload: Fields) => boolean, read: (payload: Fields) => Alert])[] = [
  [isAlarm, ofAlarm],
  [isAlarmEvent, ofAlarmEvent],
  [isRdsEvent, ofRdsEvent],
  [isOpsGenie, ofOpsGenie],
  [isSentry, ofSentry],
  [isDatadog, ofDatadog],
];
const isKnown = (payload: Fields): boolean => singles.some(([is]) => is(payload));

function* whole(payload: Fields): AlertParts {
  const [, read] = singles.find(([is]) => is(payload))!;
  yield () => part(read(payload), payload);
}

/** Unwraps a message that was published to an SNS topic; a plain text is joined with its subject. */
function* publishedParts(payload: Fields): AlertParts {
  if (isSnsOwn(payload)) return yield () => part(ofSnsOwn(payload), payload);
  const inner = parseJson(textIn(payload, 'Message') ?? '');
  if (isFields(inner) || Array.isArray(inner)) yield* partsIn(inner);
  else yield () => part(ofJson(payload), payload);
}

/** Version 3 only; other senders also use some of its event names. */
const isPagerDuty = (event: unknown): boolean =>
  isFields(event) && (isFields(event['data']) || textIn(event, 'event_type') !== null);

/** The form in which Alertmanager and Prometheus list their alerts: an alert's name is only in its labels. */
const isBareAlert = (payload: Fields): boolean =>
  textIn(fieldsIn(payload['labels']), 'alertname') !== null && textIn(payload, ...ownNames) === null;

/** A message with an empty list of alerts, and no other alert. */
const isNoAlerts = (payload: Fields): boolean =>
  Array.isArray(payload['alerts']) &&
  payload['alerts'].length === 0 &&
  ['groupLabels', 'commonLabels', 'labels'].every(
    (part) => Object.keys(fieldsIn(payload[part])).length === 0,
  ) &&
  textIn(payload, ...ownNames, 'message', 'text') === null;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

/** A list entry in another format than its sender's is read like a message of its own. */
function* entries(list: readonly unknown[], ofFields: (fields: Fields) => AlertPart): AlertParts {
  for (const one of list)
    if (isFields(one) && Object.keys(one).length > 0) yield () => ofFields(one);
    else yield* partsIn(one);
}

/** PagerDuty's webhooks of version 2. */
const ofMessage = (message: Fields): AlertPart =>
  part(ofPagerDuty(fieldsIn(message['incident']), textIn(message, 'event') ?? '', message), {
    messages: [message],
  });

/** PagerDuty's webhooks of version 3. */
const ofEvent = (event: Fields): Alert =>
  ofPagerDuty(fieldsIn(event['data']), textIn(event, 'event_type') ?? '', event);

/**
 * The fields that apply to all alerts of a message. Kept short, since each alert stores them; labels are left out,
 * since each alert has its own.
 */
function aroundAlerts(payload: Fields): Fields {
  const names = ['status', 'title', 'orgId', 'externalURL', 'receiver', 'commonAnnotations'];
  const kept = names.flatMap((name) => {
    const held = JSON.stringify(payload[name]);
    return held !== undefined && held.length <= 1_000 ? [[name, payload[name]] as const] : [];
  });
  return Object.fromEntries(kept);
}
