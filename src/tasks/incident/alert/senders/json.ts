/** JSON whose sender nobody knows: names as people give them. */
import { type Alert, nameless } from '../alert.ts';
import {
  contentPrint,
  type Fields,
  fingerprintOf,
  flatLabels,
  joinTexts,
  metricOfQuery,
  ownId,
  queryOfLink,
  serviceIn,
  steady,
  textIn,
  timeIn,
} from '../fields.ts';
import { ownNames, unwrap } from '../inner.ts';
import { stateIn } from './states.ts';

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
    rule: name === nameless ? contentPrint(sent) : steady(name),
    severity:
      (
        textIn(payload, 'severity', 'priority', 'level', 'urgency') ??
        labels['severity'] ??
        null
      )?.toLowerCase() ?? null,
    source: 'json',
    state: stateIn(state),
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
