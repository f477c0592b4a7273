/** Alerts out of the forms that their senders give them: Alertmanager, Grafana, PagerDuty, plain JSON, text. */
import { type Alert, nameless } from './alert.ts';
import {
  contentPrint,
  type Fields,
  fieldsIn,
  fingerprintOf,
  flatLabels,
  listIn,
  metricOfQuery,
  ownId,
  queryOfLink,
  serviceIn,
  steady,
  textIn,
  timeIn,
} from './fields.ts';
import { ownNames, unwrap } from './inner.ts';

/** One of a message of Alertmanager or Grafana. */
export function ofAlertmanager(payload: Fields, alert: Fields): Alert {
  const isGrafana =
    payload['orgId'] !== undefined || textIn(payload, 'externalURL')?.includes('grafana') === true;
  const labels = flatLabels(payload['commonLabels'], alert['labels']);
  const annotations = flatLabels(payload['commonAnnotations'], alert['annotations']);
  const query =
    queryOfLink(textIn(alert, 'generatorURL')) ?? annotations['query'] ?? annotations['expr'] ?? null;
  const ended = timeIn(alert, 'endsAt');
  const name = labels['alertname'] ?? textIn(payload, 'title') ?? nameless;
  const told = textIn(alert, 'status', 'state') ?? textIn(payload, 'status');
  const state = /^(?:ok|normal|resolved)$/i.test(told ?? '') ? 'resolved' : told;
  return {
    name,
    severity: labels['severity']?.toLowerCase() ?? null,
    source: isGrafana ? 'grafana' : 'alertmanager',
    state: state === 'resolved' ? 'resolved' : 'firing',
    service: serviceIn(labels),
    namespace: labels['namespace'] ?? null,
    metric: labels['__name__'] ?? metricOfQuery(query),
    query,
    summary: joinTexts(
      annotations['summary'],
      annotations['description'],
      annotations['message'],
      textIn(alert, 'valueString'),
    ),
    error: annotations['error'] ?? null,
    labels,
    started: timeIn(alert, 'startsAt', 'activeAt'),
    ended: state === 'resolved' ? ended : null,
    fingerprint:
      ownId(alert, 'fingerprint') ?? (name === nameless ? contentPrint(alert) : fingerprintOf(labels)),
  };
}

export function ofOldGrafana(payload: Fields): Alert {
  const [match] = listIn(payload['evalMatches']).map(fieldsIn);
  const labels = flatLabels(payload['tags'], match?.['tags']);
  const name = textIn(payload, 'ruleName', 'title') ?? nameless;
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
    summary: joinTexts(textIn(payload, 'message'), textIn(payload, 'title')),
    error: null,
    labels,
    started: timeIn(payload, 'startsAt', 'time', 'timestamp'),
    ended: null,
    fingerprint: name === nameless ? contentPrint(payload) : fingerprintOf([name, labels]),
  };
}

/** An event as it is sent to PagerDuty. */
export function ofPagerDutyEvent(payload: Fields): Alert {
  const body = fieldsIn(payload['payload']);
  const labels = flatLabels(body['custom_details'], {
    ...(textIn(body, 'component') !== null && { component: textIn(body, 'component') }),
    ...(textIn(body, 'group') !== null && { group: textIn(body, 'group') }),
    ...(textIn(body, 'class') !== null && { class: textIn(body, 'class') }),
  });
  const summary = textIn(body, 'summary') ?? nameless;
  return {
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
  };
}

/** The alert in a webhook of PagerDuty; `around` is the event or the message that holds it. */
export function ofPagerDuty(incident: Fields, event: string, around: Fields): Alert {
  const service = fieldsIn(incident['service']);
  const title = textIn(incident, 'title', 'summary', 'description') ?? nameless;
  const key =
    textIn(incident, 'incident_key', 'id', 'number') ?? (title === nameless ? contentPrint(around) : title);
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
    summary: joinTexts(title, textIn(fieldsIn(incident['body']), 'details')),
    error: textIn(details, 'error'),
    labels: flatLabels(details),
    started: timeIn(incident, 'created_at') ?? timeIn(around, 'occurred_at', 'created_on'),
    ended: null,
    fingerprint: fingerprintOf(key),
  };
}

/** Names as people give them. */
export function ofJson(sent: Fields): Alert {
  const payload = unwrap(sent);
  const labels = flatLabels(payload['labels'], payload['tags'], payload);
  const query =
    textIn(payload, 'query', 'expr', 'expression') ??
    queryOfLink(textIn(payload, 'generatorURL', 'url', 'link'));
  const metric = textIn(payload, 'metric', 'metric_name') ?? metricOfQuery(query);
  const service = serviceIn(labels);
  const name = textIn(payload, ...ownNames) ?? metric ?? nameless;
  const state = textIn(payload, 'status', 'state', 'event_type', 'action', 'monitorCondition') ?? '';
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
      ownId(payload, 'fingerprint', 'dedup_key', 'alert_id') ??
      (name === nameless
        ? contentPrint(sent)
        : fingerprintOf([name, service, metric, labels['namespace'] ?? null])),
  };
}

const isoTime = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?\b/;

/** Kept whole: without a model nobody knows what it means. The first time in it counts as its beginning. */
export function ofText(text: string): Alert {
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
    name: labels['alertname'] ?? (line === '' ? nameless : line),
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
    fingerprint: fingerprintOf(steady(text)),
  };
}

const joinTexts = (...parts: readonly (string | null | undefined)[]): string =>
  [...new Set(parts.filter((part) => part !== null && part !== undefined && part !== ''))]
    .join(' — ')
    .slice(0, 2_000);
