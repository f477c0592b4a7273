/** Datadog's webhooks. Users compose the payload from variables; this reads the default one, which most keep. */
import { type Alert, defaultName } from '../alert.ts';
import {
  type Fields,
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
import { parseState } from './states.ts';

/** `[P2] [Triggered on {host:web-1,env:prod}] CPU is high` */
const title =
  /^\s*(?:\[(P[1-5])\]\s*)?\[((?:Re-?)?(?:Triggered|Warn|No Data|Recovered|Renotify|Alert)|TEST)(?:\s+on\s+\{([^}]*)\})?\]\s*(.*)$/is;

const ownNames = ['alert_transition', 'alert_cycle_key', 'aggreg_key', 'alert_scope'] as const;

export const isDatadog = (payload: Fields): boolean =>
  textIn(payload, ...ownNames) !== null ||
  title.test(textIn(payload, 'title', 'event_title', 'alert_title') ?? '') ||
  (isFields(payload['org']) && /_monitor$|_alert$/.test(textIn(payload, 'event_type') ?? ''));

export function readDatadog(payload: Fields): Alert {
  const titleText = textIn(payload, 'title', 'event_title', 'alert_title') ?? defaultName;
  const [, priority, word, scope, rest] = title.exec(titleText) ?? [];
  const name = (rest ?? textIn(payload, 'monitor', 'alert_name') ?? titleText).trim() || titleText;
  const labels: Readonly<Record<string, string>> = {
    ...parseTags(payload['tags']),
    ...parseTags(textIn(payload, 'alert_scope') ?? scope),
    ...(textIn(payload, 'hostname', 'host') !== null && { host: textIn(payload, 'hostname', 'host')! }),
    ...toLabels(payload['labels']),
  };
  const monitor = textIn(payload, 'alert_id', 'monitor_id');
  const rule = monitor ?? (name === defaultName ? fingerprintContent(payload) : withoutVariables(name));
  return {
    name: name.slice(0, 200),
    rule,
    severity:
      (
        textIn(payload, 'priority', 'alert_priority') ??
        priority ??
        textIn(payload, 'alert_type')
      )?.toLowerCase() ?? null,
    source: 'datadog',
    state: parseState(textIn(payload, 'alert_transition'), word),
    service: serviceIn(labels),
    namespace: labels['namespace'] ?? labels['kube_namespace'] ?? null,
    metric: textIn(payload, 'alert_metric', 'metric'),
    query: textIn(payload, 'alert_query', 'query'),
    summary: joinTexts(name, textIn(payload, 'body', 'text', 'event_msg', 'text_only_msg')),
    error: textIn(payload, 'error'),
    labels,
    started: timeIn(payload, 'date', 'last_updated', 'timestamp'),
    ended: null,
    fingerprint: fingerprintOf([rule, textIn(payload, 'alert_scope') ?? scope ?? labels['host'] ?? name]),
  };
}
