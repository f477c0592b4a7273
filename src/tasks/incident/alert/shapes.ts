/** From what was sent to alerts: Alertmanager, Grafana, PagerDuty, plain JSON, text. Nothing is refused. */
import { maskSecrets } from '../../../core/index.ts';
import type { Alert } from './alert.ts';
import {
  type Fields,
  fieldsIn,
  fingerprintOf,
  flatLabels,
  isFields,
  listIn,
  metricOfQuery,
  queryOfLink,
  serviceIn,
  textIn,
  timeIn,
} from './fields.ts';

/** A payload with more is cut, and says so in its count. */
const mostAlerts = 500;

/** Sent as an object, a list or a part of one, and not whole: then it is read as text, which is worth a word. */
export function isBrokenJson(sent: string): boolean {
  if (!/^\s*(?:\{\s*["}]|\[\s*[{\]])/.test(sent)) return false;
  try {
    JSON.parse(sent);
    return false;
  } catch {
    return true;
  }
}

/** At least one; the last resort is the text itself. Secrets are masked before anything else is done. */
export function alertsIn(sent: string): readonly Alert[] {
  const text = maskSecrets(sent);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [ofText(text)];
  }
  const found = ofPayload(parsed);
  return found.length === 0 ? [ofText(text)] : found.slice(0, mostAlerts);
}

function ofPayload(payload: unknown): readonly Alert[] {
  if (Array.isArray(payload)) return payload.flatMap(ofPayload);
  if (!isFields(payload)) return [];
  if (
    isFields(payload['event']) ||
    textIn(payload, 'event_action') !== null ||
    Array.isArray(payload['messages'])
  )
    return ofPagerDuty(payload);
  if (Array.isArray(payload['alerts']) && (payload['alerts'] as unknown[]).every(isFields))
    return ofAlertmanager(payload);
  if (Array.isArray(payload['evalMatches']) || textIn(payload, 'ruleName') !== null)
    return [ofOldGrafana(payload)];
  return Object.keys(payload).length === 0 ? [] : [ofJson(payload)];
}

function ofAlertmanager(payload: Fields): readonly Alert[] {
  const isGrafana =
    payload['orgId'] !== undefined || textIn(payload, 'externalURL')?.includes('grafana') === true;
  return listIn(payload['alerts']).map((one): Alert => {
    const alert = fieldsIn(one);
    const labels = flatLabels(payload['commonLabels'], alert['labels']);
    const annotations = flatLabels(payload['commonAnnotations'], alert['annotations']);
    const query =
      queryOfLink(textIn(alert, 'generatorURL')) ?? annotations['query'] ?? annotations['expr'] ?? null;
    const ended = timeIn(alert, 'endsAt');
    const name = labels['alertname'] ?? textIn(payload, 'title') ?? 'alert';
    const state = textIn(alert, 'status') ?? textIn(payload, 'status');
    return {
      name,
      severity: labels['severity']?.toLowerCase() ?? null,
      source: isGrafana ? 'grafana' : 'alertmanager',
      state: state === 'resolved' ? 'resolved' : 'firing',
      service: serviceIn(labels),
      namespace: labels['namespace'] ?? null,
      metric: labels['__name__'] ?? metricOfQuery(query),
      query,
      summary: said(
        annotations['summary'],
        annotations['description'],
        annotations['message'],
        textIn(alert, 'valueString'),
      ),
      error: annotations['error'] ?? null,
      labels,
      started: timeIn(alert, 'startsAt'),
      ended: state === 'resolved' ? ended : null,
      fingerprint: textIn(alert, 'fingerprint') ?? fingerprintOf(labels),
    };
  });
}

function ofOldGrafana(payload: Fields): Alert {
  const [match] = listIn(payload['evalMatches']).map(fieldsIn);
  const labels = flatLabels(payload['tags'], match?.['tags']);
  const name = textIn(payload, 'ruleName', 'title') ?? 'alert';
  const state = textIn(payload, 'state') ?? '';
  return {
    name,
    severity: labels['severity']?.toLowerCase() ?? null,
    source: 'grafana',
    state: /^(ok|resolved|normal)$/i.test(state) ? 'resolved' : 'firing',
    service: serviceIn(labels),
    namespace: labels['namespace'] ?? null,
    metric: match === undefined ? null : textIn(match, 'metric'),
    query: null,
    summary: said(textIn(payload, 'message'), textIn(payload, 'title')),
    error: null,
    labels,
    started: timeIn(payload, 'startsAt', 'time', 'timestamp'),
    ended: null,
    fingerprint: fingerprintOf([name, labels]),
  };
}

/** Webhooks of version 3 and 2, and events as they are sent to it. */
function ofPagerDuty(payload: Fields): readonly Alert[] {
  const messages = listIn(payload['messages']).map(fieldsIn);
  if (messages.length > 0)
    return messages.map((message) =>
      pagerDutyIncident(fieldsIn(message['incident']), textIn(message, 'event') ?? '', message),
    );
  const event = fieldsIn(payload['event']);
  if (Object.keys(event).length > 0)
    return [pagerDutyIncident(fieldsIn(event['data']), textIn(event, 'event_type') ?? '', event)];
  const body = fieldsIn(payload['payload']);
  const labels = flatLabels(body['custom_details'], {
    ...(textIn(body, 'component') !== null && { component: textIn(body, 'component') }),
    ...(textIn(body, 'group') !== null && { group: textIn(body, 'group') }),
    ...(textIn(body, 'class') !== null && { class: textIn(body, 'class') }),
  });
  const summary = textIn(body, 'summary') ?? 'alert';
  return [
    {
      name: textIn(body, 'class') ?? summary.slice(0, 120),
      severity: textIn(body, 'severity')?.toLowerCase() ?? null,
      source: 'pagerduty',
      state: textIn(payload, 'event_action') === 'resolve' ? 'resolved' : 'firing',
      service: serviceIn(labels) ?? textIn(body, 'source'),
      namespace: labels['namespace'] ?? null,
      metric: labels['metric'] ?? null,
      query: labels['query'] ?? labels['expr'] ?? null,
      summary,
      error: labels['error'] ?? null,
      labels,
      started: timeIn(body, 'timestamp'),
      ended: null,
      fingerprint: fingerprintOf(textIn(payload, 'dedup_key') ?? [summary, labels]),
    },
  ];
}

function pagerDutyIncident(incident: Fields, event: string, around: Fields): Alert {
  const service = fieldsIn(incident['service']);
  const title = textIn(incident, 'title', 'summary', 'description') ?? 'incident';
  const key = textIn(incident, 'incident_key', 'id', 'number') ?? title;
  const details = fieldsIn(fieldsIn(incident['body'])['details']);
  return {
    name: title.slice(0, 200),
    severity: textIn(incident, 'urgency')?.toLowerCase() ?? null,
    source: 'pagerduty',
    state: /resolve/i.test(event) || textIn(incident, 'status') === 'resolved' ? 'resolved' : 'firing',
    service: textIn(service, 'summary', 'name'),
    namespace: null,
    metric: textIn(details, 'metric'),
    query: textIn(details, 'query', 'expr'),
    summary: said(title, textIn(fieldsIn(incident['body']), 'details')),
    error: textIn(details, 'error'),
    labels: flatLabels(details),
    started: timeIn(incident, 'created_at') ?? timeIn(around, 'occurred_at', 'created_on'),
    ended: null,
    fingerprint: fingerprintOf(key),
  };
}

/** Names as people give them. */
function ofJson(payload: Fields): Alert {
  const labels = flatLabels(payload['labels'], payload['tags'], payload);
  const query =
    textIn(payload, 'query', 'expr', 'expression') ??
    queryOfLink(textIn(payload, 'generatorURL', 'url', 'link'));
  const metric = textIn(payload, 'metric', 'metric_name') ?? metricOfQuery(query);
  const service = serviceIn(labels);
  const name =
    textIn(payload, 'alertname', 'alert_name', 'monitor', 'name', 'title', 'rule', 'check') ??
    metric ??
    'alert';
  const state = textIn(payload, 'status', 'state', 'event_type') ?? '';
  return {
    name,
    severity:
      (
        textIn(payload, 'severity', 'priority', 'level', 'urgency') ??
        labels['severity'] ??
        null
      )?.toLowerCase() ?? null,
    source: 'json',
    state: /^(resolved|ok|recovered|closed|normal)$/i.test(state) ? 'resolved' : 'firing',
    service,
    namespace: labels['namespace'] ?? null,
    metric,
    query,
    summary: said(textIn(payload, 'summary', 'description'), textIn(payload, 'message', 'text', 'body')),
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
    ),
    ended: timeIn(payload, 'resolved_at', 'ended_at'),
    fingerprint:
      textIn(payload, 'fingerprint', 'dedup_key', 'alert_id') ??
      fingerprintOf([name, service, metric, labels['namespace'] ?? null]),
  };
}

const isoTime = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?\b/;

/** Kept whole: without a model nobody knows what it means. A time in it is taken for when it began. */
function ofText(text: string): Alert {
  const line = text.trim().split('\n')[0]?.slice(0, 200) ?? '';
  const found = isoTime.exec(text)?.[0];
  const started =
    found === undefined
      ? null
      : Date.parse(/Z|[+-]\d{2}:?\d{2}$/.test(found) ? found : `${found.replace(' ', 'T')}Z`);
  const labels: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/\b([a-z_]{3,30})\s*[=:]\s*"?([\w./@-]{2,80})"?/gi))
    labels[name!.toLowerCase()] ??= value!;
  return {
    name: labels['alertname'] ?? (line === '' ? 'alert' : line),
    severity:
      /\b(critical|fatal|emergency|high|warning|minor|info|sev-?\d|p\d)\b/i.exec(text)?.[1]?.toLowerCase() ??
      null,
    source: 'text',
    state: 'firing',
    service: serviceIn(labels),
    namespace: labels['namespace'] ?? null,
    metric: labels['metric'] ?? null,
    query: null,
    summary: text.trim().slice(0, 2_000),
    error: null,
    labels,
    started: started === null || !Number.isFinite(started) ? null : started,
    ended: null,
    fingerprint: fingerprintOf(text.toLowerCase().replace(/\d+/g, '#').replace(/\s+/g, ' ').trim()),
  };
}

const said = (...parts: readonly (string | null | undefined)[]): string =>
  [...new Set(parts.filter((part) => part !== null && part !== undefined && part !== ''))]
    .join(' — ')
    .slice(0, 2_000);
