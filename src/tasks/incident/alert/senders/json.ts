/** JSON from an unknown sender, read by common field names. */
import { type Alert, defaultName } from '../alert.ts';
import {
  type Fields,
  fieldsIn,
  findMetric,
  fingerprintContent,
  fingerprintOf,
  isFields,
  joinTexts,
  listIn,
  parseLinkQuery,
  parseTags,
  readSenderId,
  serviceIn,
  textIn,
  timeIn,
  toLabels,
  withoutVariables,
} from '../fields.ts';
import { nameIn, ruleIdIn, unwrap } from '../unwrap.ts';
import { parseState } from './states.ts';

/** Fields that identify what an alert is about. */
const labelFields =
  /^(?:labels|common_?labels|tags|dimensions|resource|details|custom_?details|attributes|metadata|context)$/i;

function collectLabels(payload: Fields, depth = 0): Readonly<Record<string, string>> {
  const parts = Object.entries(payload).filter(([name]) => labelFields.test(name));
  return Object.assign(
    {},
    ...parts.map(([, value]) =>
      isFields(value)
        ? { ...toLabels(value), ...(depth < 2 && collectLabels(value, depth + 1)) }
        : parseTags(value),
    ),
  ) as Record<string, string>;
}

const targetLists =
  /^(?:alert_?target_?ids|configuration_?items|targets|entities|affected_?entities|resources)$/i;

/** The subject, if the sender gives a list of them: an id in the form of a path ends with the name. */
function findTarget(payload: Fields): Readonly<Record<string, string>> {
  const list = Object.keys(payload).find((name) => targetLists.test(name));
  const [first] = list === undefined ? [] : listIn(payload[list]);
  const target = typeof first === 'string' ? first : textIn(fieldsIn(first), 'name', 'id');
  const name = target?.split('/').at(-1) ?? '';
  return name === '' ? {} : { target: name };
}

/** Reads an alert by common field names. */
export function readJson(sent: Fields): Alert {
  const payload = unwrap(sent);
  const labels = { ...findTarget(payload), ...collectLabels(payload), ...toLabels(payload) };
  const query =
    textIn(payload, 'query', 'expr', 'expression') ??
    parseLinkQuery(textIn(payload, 'generatorURL', 'url', 'link'));
  const metric = textIn(payload, 'metric', 'metric_name') ?? findMetric(query);
  const service = serviceIn(labels);
  const name = nameIn(payload) ?? metric ?? defaultName;
  const state =
    textIn(payload, 'status', 'state', 'current_state', 'event_type', 'action', 'monitorCondition') ?? '';
  return {
    name,
    rule: ruleIdIn(payload) ?? (name === defaultName ? fingerprintContent(sent) : withoutVariables(name)),
    severity:
      (
        textIn(payload, 'severity', 'priority', 'level', 'urgency') ??
        labels['severity'] ??
        null
      )?.toLowerCase() ?? null,
    source: 'json',
    state: parseState(state),
    service,
    namespace: labels['namespace'] ?? null,
    metric,
    query,
    summary: joinTexts(textIn(payload, 'summary', 'description'), textIn(payload, 'message', 'text', 'body')),
    error: textIn(payload, 'error', 'error_message', 'exception'),
    labels,
    started: timeIn(
      payload,
      'fired_at',
      'started_at',
      'startsAt',
      'starts_at',
      'triggered_at',
      'timestamp',
      'time',
      'date',
      'created_at',
      'datetime',
      'date_started',
      'firedDateTime',
    ),
    ended: timeIn(payload, 'resolved_at', 'ended_at'),
    fingerprint:
      readSenderId(payload, 'fingerprint', 'dedup_key', 'alert_id') ??
      (name === defaultName
        ? fingerprintContent(sent)
        : fingerprintOf([name, service, metric, labels['namespace'] ?? null])),
  };
}
