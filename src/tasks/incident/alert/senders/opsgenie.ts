/** OpsGenie's webhooks: an action on an alert, and the alert. */
import { type Alert, nameless } from '../alert.ts';
import {
  contentPrint,
  type Fields,
  fieldsIn,
  fingerprintOf,
  flatLabels,
  isFields,
  joinTexts,
  labelsOfTags,
  serviceIn,
  steady,
  textIn,
  timeIn,
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

export function ofOpsGenie(payload: Fields): Alert {
  const alert = fieldsIn(payload['alert']);
  const labels = { ...labelsOfTags(alert['tags']), ...flatLabels(alert['details']) };
  const entity = textIn(alert, 'entity');
  const name = textIn(alert, 'message') ?? nameless;
  // If the sender sets no alias, OpsGenie uses the id of the alert, which differs each time.
  const alias = textIn(alert, 'alias');
  const own = alias === textIn(alert, 'alertId') ? null : alias;
  const said = name === nameless ? contentPrint(alert) : name;
  // A generated id differs for each alert, so it does not identify the problem.
  const identity = own === null || !/\p{L}/u.test(steady(own)) ? said : own;
  return {
    name: name.slice(0, 200),
    rule: steady(identity),
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
    fingerprint: fingerprintOf([own ?? textIn(alert, 'alertId', 'tinyId'), name]),
  };
}
