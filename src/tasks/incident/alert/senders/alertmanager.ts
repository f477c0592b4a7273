/** Alerts of Alertmanager and Grafana, which use the same format, and Grafana's older format. */
import { type Alert, defaultName } from '../alert.ts';
import {
  type Fields,
  fieldsIn,
  findMetric,
  fingerprintContent,
  fingerprintOf,
  joinTexts,
  listIn,
  parseLinkQuery,
  readSenderId,
  serviceIn,
  textIn,
  timeIn,
  toLabels,
  withoutVariables,
} from '../fields.ts';
import { parseState } from './states.ts';

/** One alert of a message from Alertmanager or Grafana. */
export function readAlertmanager(payload: Fields, alert: Fields): Alert {
  const isGrafana =
    payload['orgId'] !== undefined || textIn(payload, 'externalURL')?.includes('grafana') === true;
  const labels = toLabels(payload['commonLabels'], alert['labels']);
  const annotations = toLabels(payload['commonAnnotations'], alert['annotations']);
  const query =
    parseLinkQuery(textIn(alert, 'generatorURL')) ?? annotations['query'] ?? annotations['expr'] ?? null;
  const ended = timeIn(alert, 'endsAt');
  const name = labels['alertname'] ?? textIn(payload, 'title') ?? defaultName;
  const status = textIn(alert, 'status', 'state') ?? textIn(payload, 'status');
  const state = parseState(status);
  const senderFingerprint = readSenderId(alert, 'fingerprint');
  // Grafana uses one alert name for every rule that has no data or fails, so the rule's own name is added.
  const ruleName = labels['rulename'] ?? labels['rule_uid'] ?? labels['__alert_rule_uid__'];
  return {
    name,
    rule: name === defaultName ? (senderFingerprint ?? fingerprintContent(alert)) : joinTexts(name, ruleName),
    severity: labels['severity']?.toLowerCase() ?? null,
    source: isGrafana ? 'grafana' : 'alertmanager',
    state,
    service: serviceIn(labels),
    namespace: labels['namespace'] ?? null,
    metric: labels['__name__'] ?? findMetric(query),
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
      senderFingerprint ?? (name === defaultName ? fingerprintContent(alert) : fingerprintOf(labels)),
  };
}

export function readOldGrafana(payload: Fields): Alert {
  const [match] = listIn(payload['evalMatches']).map(fieldsIn);
  // In Grafana's older format a rule has one state for all series, and a resolved rule names no series.
  const lasting = toLabels(payload['tags']);
  const labels = { ...lasting, ...toLabels(match?.['tags']) };
  const name = textIn(payload, 'ruleName', 'title') ?? defaultName;
  const rule =
    textIn(payload, 'ruleId') ??
    (name === defaultName ? fingerprintContent(payload) : withoutVariables(name));
  const state = textIn(payload, 'state') ?? '';
  return {
    name,
    rule,
    severity: labels['severity']?.toLowerCase() ?? null,
    source: 'grafana',
    state: parseState(state),
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
    fingerprint: name === defaultName ? fingerprintContent(payload) : fingerprintOf([rule, name, lasting]),
  };
}
