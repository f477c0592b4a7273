/** Sentry's webhooks: an issue, an event that an alert rule matched, a metric alert, and their older formats. */
import { type Alert, defaultName } from '../alert.ts';
import {
  type Fields,
  fieldsIn,
  fingerprintContent,
  fingerprintOf,
  isFields,
  joinTexts,
  listIn,
  parseTags,
  textIn,
  timeIn,
  toLabels,
  withoutVariables,
} from '../fields.ts';
import { parseState } from './states.ts';

const partNames = ['issue', 'event', 'metric_alert', 'error', 'comment'] as const;

export const isSentry = (payload: Fields): boolean =>
  (textIn(payload, 'action') !== null &&
    isFields(payload['data']) &&
    (partNames.some((name) => isFields(fieldsIn(payload['data'])[name])) || isComment(payload))) ||
  (isFields(payload['event']) && textIn(payload, 'project', 'project_slug') !== null && 'culprit' in payload);

const isComment = (payload: Fields): boolean => textIn(fieldsIn(payload['data']), 'comment_id') !== null;

export function readSentry(payload: Fields): Alert {
  const data = fieldsIn(payload['data']);
  if (isFields(data['metric_alert'])) return readMetricAlert(payload, data, data['metric_alert']);
  if (isFields(data['issue'])) return readIssue(payload, data['issue']);
  const event = [data['event'], data['error'], payload['event']].find(isFields);
  return event === undefined ? readComment(payload, data) : readEvent(payload, data, event);
}

function readIssue(payload: Fields, issue: Fields): Alert {
  const id = textIn(issue, 'id', 'shortId') ?? fingerprintContent(issue);
  const metadata = fieldsIn(issue['metadata']);
  const title = textIn(issue, 'title') ?? defaultName;
  return toAlert({
    name: title,
    rule: `issue ${id}`,
    severity: textIn(issue, 'level', 'priority'),
    state: parseState(textIn(payload, 'action')),
    service: readProject(issue['project']),
    summary: joinTexts(title, textIn(issue, 'culprit')),
    error: joinTexts(textIn(metadata, 'type'), textIn(metadata, 'value')) || null,
    labels: { issue: id },
    // An old issue may occur again: only for a new issue is its first occurrence the beginning.
    started: textIn(payload, 'action') === 'created' ? timeIn(issue, 'firstSeen') : timeIn(issue, 'lastSeen'),
  });
}

function readEvent(payload: Fields, data: Fields, event: Fields): Alert {
  const title = textIn(event, 'title', 'message') ?? textIn(payload, 'message') ?? defaultName;
  const tags = listIn(event['tags']).map((tag) => (Array.isArray(tag) ? tag.join(':') : tag));
  const labels = { ...parseTags(tags), ...toLabels(event['tags']) };
  const link = textIn(event, 'issue_url', 'web_url', 'url') ?? textIn(payload, 'url') ?? '';
  const issue =
    textIn(event, 'issue_id', 'groupID') ?? /\/issues\/(\d+)/.exec(link)?.[1] ?? textIn(payload, 'id');
  return toAlert({
    name: title,
    rule: issue === null ? withoutVariables(title) : `issue ${issue}`,
    severity: textIn(event, 'level') ?? textIn(payload, 'level'),
    // `triggered` or `created`: a rule reports no end.
    state: parseState(textIn(payload, 'action')),
    service: readProject(
      payload['project_slug'] ?? payload['project_name'] ?? payload['project'] ?? event['project'],
    ),
    summary: joinTexts(
      title,
      textIn(event, 'culprit') ?? textIn(payload, 'culprit'),
      textIn(data, 'triggered_rule'),
    ),
    error: title,
    labels,
    started: timeIn(event, 'datetime', 'timestamp', 'received'),
  });
}

function readMetricAlert(payload: Fields, data: Fields, metric: Fields): Alert {
  const rule = fieldsIn(metric['alert_rule']);
  const title =
    textIn(metric, 'title') ?? textIn(rule, 'name') ?? textIn(data, 'description_title') ?? defaultName;
  const environment = textIn(rule, 'environment');
  const [project] = listIn(metric['projects']);
  return toAlert({
    name: title,
    rule: `rule ${textIn(rule, 'id') ?? textIn(metric, 'alert_rule_id') ?? title}`,
    severity: textIn(payload, 'action'),
    state: parseState(textIn(payload, 'action')),
    service: readProject(project),
    summary: joinTexts(textIn(data, 'description_title'), textIn(data, 'description_text')),
    error: null,
    labels: environment === null ? {} : { environment },
    started: timeIn(metric, 'date_started', 'date_detected'),
    metric: textIn(rule, 'aggregate'),
    query: textIn(rule, 'query'),
  });
}

const readComment = (payload: Fields, data: Fields): Alert =>
  toAlert({
    name: 'comment',
    rule: `issue ${textIn(data, 'issue_id') ?? fingerprintContent(payload)}`,
    severity: null,
    state: 'note',
    service: readProject(data['project_slug']),
    summary: textIn(data, 'comment') ?? '',
    error: null,
    labels: {},
    started: timeIn(data, 'timestamp'),
  });

const readProject = (value: unknown): string | null =>
  isFields(value) ? textIn(value, 'slug', 'name') : typeof value === 'string' && value !== '' ? value : null;

type SentryAlert = Pick<
  Alert,
  'name' | 'rule' | 'severity' | 'state' | 'service' | 'summary' | 'error' | 'labels' | 'started'
> &
  Partial<Pick<Alert, 'metric' | 'query'>>;

function toAlert({ metric = null, query = null, ...fields }: SentryAlert): Alert {
  return {
    ...{ ...fields, metric, query, source: 'sentry', namespace: null, ended: null },
    name: fields.name.slice(0, 200),
    severity: fields.severity?.toLowerCase() ?? null,
    fingerprint: fingerprintOf([fields.rule, fields.service]),
  };
}
