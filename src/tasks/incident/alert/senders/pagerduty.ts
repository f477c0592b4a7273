/** PagerDuty: webhooks of version 2 and 3, and events in the form that PagerDuty receives. */
import { type Alert, defaultName } from '../alert.ts';
import {
  type Fields,
  fieldsIn,
  fingerprintContent,
  fingerprintOf,
  isFields,
  joinTexts,
  serviceIn,
  textIn,
  timeIn,
  toLabels,
  withoutVariables,
} from '../fields.ts';

/** An event in the form that PagerDuty receives. */
export function readPagerDutyEvent(payload: Fields): Alert {
  const body = fieldsIn(payload['payload']);
  const labels = toLabels(body['custom_details'], {
    ...(textIn(body, 'component') !== null && { component: textIn(body, 'component') }),
    ...(textIn(body, 'group') !== null && { group: textIn(body, 'group') }),
    ...(textIn(body, 'class') !== null && { class: textIn(body, 'class') }),
  });
  const summary = textIn(body, 'summary') ?? defaultName;
  const action = textIn(payload, 'event_action');
  const key = textIn(payload, 'dedup_key');
  return {
    name: textIn(body, 'class') ?? summary.slice(0, 120),
    rule:
      textIn(body, 'class') ??
      (summary === defaultName ? (key ?? fingerprintContent(payload)) : withoutVariables(summary)),
    severity: textIn(body, 'severity')?.toLowerCase() ?? null,
    source: 'pagerduty',
    state: action === 'resolve' ? 'resolved' : action === 'acknowledge' ? 'note' : 'firing',
    service: serviceIn(labels) ?? textIn(body, 'source'),
    namespace: labels['namespace'] ?? null,
    metric: labels['metric'] ?? null,
    query: labels['query'] ?? labels['expr'] ?? null,
    summary,
    error: labels['error'] ?? null,
    labels,
    started: timeIn(body, 'timestamp'),
    ended: null,
    fingerprint: fingerprintOf(key ?? [summary, labels]),
  };
}

/** The alert in a webhook of PagerDuty; `container` is the event or the message that contains it. */
export function readPagerDuty(data: Fields, event: string, container: Fields): Alert {
  // An event about an incident contains the incident; the incident itself contains no further one.
  const incident = isFields(data['incident']) && !isFields(data['service']) ? data['incident'] : data;
  const service = fieldsIn(incident['service']);
  const title = textIn(incident, 'title', 'summary', 'description') ?? defaultName;
  const id = textIn(incident, 'id');
  // A note names the incident by its id alone.
  const key =
    textIn(incident, 'id', 'incident_key', 'number') ??
    (title === defaultName ? fingerprintContent(container) : title);
  const details = fieldsIn(fieldsIn(incident['body'])['details']);
  return {
    name: title.slice(0, 200),
    rule: title === defaultName ? key : withoutVariables(title),
    severity: textIn(incident, 'urgency')?.toLowerCase() ?? null,
    source: 'pagerduty',
    state: readState(event, textIn(incident, 'status')),
    service: textIn(service, 'summary', 'name'),
    namespace: null,
    metric: textIn(details, 'metric'),
    query: textIn(details, 'query', 'expr'),
    summary: joinTexts(title, textIn(fieldsIn(incident['body']), 'details')),
    error: textIn(details, 'error'),
    labels: toLabels(details),
    ...(id !== null && { incident: id }),
    started: timeIn(incident, 'created_at') ?? timeIn(container, 'occurred_at', 'created_on'),
    ended: null,
    fingerprint: fingerprintOf(key),
  };
}

/** Only triggering and resolving change the state; all other events are notes. */
function readState(event: string, status: string | null): Alert['state'] {
  if (/\.resolved?$/.test(event) || (event === '' && status === 'resolved')) return 'resolved';
  return event === '' || /\.(?:trigger(?:ed)?|reopen(?:ed)?)$/.test(event) ? 'firing' : 'note';
}
