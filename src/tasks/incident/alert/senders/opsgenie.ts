/** OpsGenie's webhooks: an action on an alert, and the alert. */
import { type Alert, defaultName } from '../alert.ts';
import {
  type Fields,
  fieldsIn,
  fingerprintContent,
  fingerprintOf,
  isFields,
  joinTexts,
  parseTags,
  serviceIn,
  textIn,
  timeIn,
  toLabels,
  withoutVariables,
} from '../fields.ts';

export const isOpsGenie = (payload: Fields): boolean =>
  isFields(payload['alert']) &&
  textIn(payload, 'action') !== null &&
  textIn(payload['alert'], 'alertId', 'tinyId', 'alias') !== null;

/** The other actions are notes, tags, owners and the like. */
const states: Readonly<Record<string, Alert['state']>> = {
  create: 'firing',
  reopen: 'firing',
  close: 'resolved',
  delete: 'resolved',
};

export function readOpsGenie(payload: Fields): Alert {
  const alert = fieldsIn(payload['alert']);
  const labels = { ...parseTags(alert['tags']), ...toLabels(alert['details']) };
  const entity = textIn(alert, 'entity');
  const name = textIn(alert, 'message') ?? defaultName;
  // If the sender sets no alias, OpsGenie uses the id of the alert, which differs each time.
  const givenAlias = textIn(alert, 'alias');
  const alias = givenAlias === textIn(alert, 'alertId') ? null : givenAlias;
  const nameOrContent = name === defaultName ? fingerprintContent(alert) : name;
  // A generated id differs for each alert, so it does not identify the problem.
  const identity = alias === null || !/\p{L}/u.test(withoutVariables(alias)) ? nameOrContent : alias;
  return {
    name: name.slice(0, 200),
    rule: withoutVariables(identity),
    severity: textIn(alert, 'priority')?.toLowerCase() ?? labels['severity']?.toLowerCase() ?? null,
    source: 'opsgenie',
    state: states[(textIn(payload, 'action') ?? '').toLowerCase()] ?? 'note',
    service: serviceIn(labels) ?? entity,
    namespace: labels['namespace'] ?? null,
    metric: labels['metric'] ?? null,
    query: labels['query'] ?? labels['expr'] ?? null,
    summary: joinTexts(name, textIn(alert, 'description'), textIn(alert, 'note')),
    error: labels['error'] ?? null,
    labels: entity === null ? labels : { entity, ...labels },
    started: timeIn(alert, 'createdAt'),
    ended: null,
    fingerprint: fingerprintOf([alias ?? textIn(alert, 'alertId', 'tinyId'), name]),
  };
}
