/** Alerts of Alertmanager and Grafana, which use the same format, and Grafana's older format. */
import { type Alert, nameless } from '../alert.ts';
import {
  contentFingerprint,
  type Fields,
  fieldsIn,
  fingerprintOf,
  flatLabels,
  joinTexts,
  listIn,
  metricOfQuery,
  queryOfLink,
  senderId,
  serviceIn,
  textIn,
  timeIn,
  withoutVariables,
} from '../fields.ts';
import { stateIn } from './states.ts';

/** One alert of a message from Alertmanager or Grafana. */
export function readAlertmanager(payload: Fields, alert: Fields): Alert {
  const isGrafana =
    payload['orgId'] !== undefined || textIn(payload, 'externalURL')?.includes('grafana') === true;
  const labels = flatLabels(payload['commonLabels'], alert['labels']);
  const annotations = flatLabels(payload['commonAnnotations'], alert['annotations']);
  const query =
    queryOfLink(textIn(alert, 'generatorURL')) ?? annotations['query'] ?? annotations['expr'] ?? null;
  const ended = timeIn(alert, 'endsAt');
  const name = labels['alertname'] ?? textIn(payload, 'title') ?? nameless;
  const status = textIn(alert, 'status', 'state') ?? textIn(payload, 'status');
  const state = stateIn(status);
  const senderFingerprint = senderId(alert, 'fingerprint');
  // Grafana uses one alert name for every rule that has no data or fails, so the rule's own name is added.
  const ruleName = labels['rulename'] ?? labels['rule_uid'] ?? labels['__alert_rule_uid__'];
  return {
    name,
    rule: name === nameless ? (senderFingerprint ?? contentFingerprint(alert)) : joinTexts(name, ruleName),
    severity: labels['severity']?.toLowerCase() ?? null,
    source: isGrafana ? 'grafana' : 'alertmanager',
    state,
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
    fingerprint: senderFingerprint ?? (name === nameless ? contentFingerprint(alert) : fingerprintOf(labels)),
  };
}

export function readOldGrafana(payload: Fields): Alert {
  const [match] = listIn(payload['evalMatches']).map(fieldsIn);
  // In Grafana's older format a rule has one state for all series, and a resolved rule names no series.
  const lasting = flatLabels(payload['tags']);
  const labels = { ...lasting, ...flatLabels(match?.['tags']) };
  const name = textIn(payload, 'ruleName', 'title') ?? nameless;
  const rule =
    textIn(payload, 'ruleId') ?? (name === nameless ? contentFingerprint(payload) : withoutVariables(name));
  const state = textIn(payload, 'state') ?? '';
  return {
    name,
    rule,
    severity: labels['severity']?.toLowerCase() ?? null,
    source: 'grafana',
    state: stateIn(state),
    service: serviceIn(labels),
    namespace: labels['namespace'] ?? null,
    metric: match === undefined ? null : textIn(match, 'metric'),
    query: null,
    summary: joinTexts(textIn(payload, 'message'), textIn(payload, 'title')),
    error: null,
    labels,
    lasting,
    started: timeIn(payload, 'startsAt', 'time', 'timestamp'),
    ended: null,
    fingerprint: name === nameless ? contentFingerprint(payload) : fingerprintOf([rule, name, lasting]),
  };
}
