/** Alarms of CloudWatch and events of RDS, delivered by SNS or by EventBridge. */
import { type Alert, defaultName } from '../alert.ts';
import {
  type Fields,
  fieldsIn,
  fingerprintContent,
  fingerprintOf,
  isFields,
  joinTexts,
  listIn,
  serviceIn,
  textIn,
  timeIn,
  toLabels,
  withoutVariables,
} from '../fields.ts';

/** SNS wraps the published message, usually JSON in a text. */
export const isSns = (payload: Fields): boolean =>
  textIn(payload, 'TopicArn') !== null && textIn(payload, 'Type') !== null;

/** Whether the message is about the SNS subscription itself: to confirm it, or that it has ended. */
export const isSnsSubscription = (payload: Fields): boolean => textIn(payload, 'Type') !== 'Notification';

export const isAlarm = (payload: Fields): boolean =>
  textIn(payload, 'AlarmName') !== null && textIn(payload, 'NewStateValue') !== null;

export const isAlarmEvent = (payload: Fields): boolean =>
  textIn(payload, 'detail-type') === 'CloudWatch Alarm State Change' && isFields(payload['detail']);

export const isRdsEvent = (payload: Fields): boolean =>
  textIn(payload, 'Event ID') !== null && textIn(payload, 'Source ID') !== null;

const states: Readonly<Record<string, Alert['state']>> = {
  ALARM: 'firing',
  OK: 'resolved',
  INSUFFICIENT_DATA: 'note',
};

/** Names of dimensions, with the usual labels for them. */
const standardLabels: Readonly<Record<string, string>> = {
  ServiceName: 'service',
  FunctionName: 'service',
  ApiName: 'service',
  StateMachineArn: 'service',
  ClusterName: 'cluster',
  CacheClusterId: 'cluster',
  QueueName: 'queue',
  DBInstanceIdentifier: 'database',
  DBClusterIdentifier: 'database',
  TableName: 'database',
  InstanceId: 'host',
};

function readLabels(
  dimensions: unknown,
  arn: string | null,
  payload: Fields,
): Readonly<Record<string, string>> {
  const given = Array.isArray(dimensions)
    ? Object.fromEntries(
        dimensions
          .map(fieldsIn)
          .map((dimension) => [
            textIn(dimension, 'name', 'Name') ?? '',
            textIn(dimension, 'value', 'Value') ?? '',
          ]),
      )
    : toLabels(dimensions);
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === '' || value === '') continue;
    labels[name] = value;
    if (Object.hasOwn(standardLabels, name)) labels[standardLabels[name]!] ??= value;
  }
  // arn:aws:cloudwatch:REGION:ACCOUNT:alarm:NAME. The field Region holds a name for people, and is used only without
  // an ARN.
  const [, , , region = '', account = ''] = (arn ?? '').split(':');
  const location = {
    region: region || textIn(payload, 'region', 'Region') || '',
    account: account || textIn(payload, 'AWSAccountId', 'account') || '',
  };
  for (const [name, value] of Object.entries(location)) if (value !== '') labels[name] = value;
  return labels;
}

/**
 * The trigger of an alarm. An alarm over an expression has no dimensions, so the dimensions of its metrics are used.
 */
function findTrigger(trigger: Fields): Fields {
  if (textIn(trigger, 'MetricName') !== null) return trigger;
  for (const item of listIn(trigger['Metrics']).map(fieldsIn)) {
    const metric = fieldsIn(fieldsIn(item['MetricStat'])['Metric']);
    if (textIn(metric, 'MetricName') !== null) return metric;
  }
  return trigger;
}

export function readAlarm(payload: Fields): Alert {
  const arn = textIn(payload, 'AlarmArn');
  const trigger = findTrigger(fieldsIn(payload['Trigger']));
  const metric = textIn(trigger, 'MetricName');
  const labels = {
    ...(textIn(trigger, 'Namespace') !== null && { aws_namespace: textIn(trigger, 'Namespace')! }),
    ...readLabels(trigger['Dimensions'], arn, payload),
  };
  return toAlert({
    name: textIn(payload, 'AlarmName') ?? defaultName,
    ...{ arn, metric, labels },
    state: states[textIn(payload, 'NewStateValue') ?? ''] ?? 'firing',
    summary: joinTexts(textIn(payload, 'AlarmDescription'), textIn(payload, 'NewStateReason')),
    started: timeIn(payload, 'StateChangeTime'),
  });
}

export function readAlarmEvent(payload: Fields): Alert {
  const detail = fieldsIn(payload['detail']);
  const state = fieldsIn(detail['state']);
  const configuration = fieldsIn(detail['configuration']);
  const [first] = listIn(configuration['metrics']).map(fieldsIn);
  const metric = fieldsIn(fieldsIn(first?.['metricStat'])['metric']);
  const [arn] = listIn(payload['resources']);
  const named = typeof arn === 'string' ? arn : null;
  return toAlert({
    name: textIn(detail, 'alarmName') ?? defaultName,
    arn: named,
    metric: textIn(metric, 'name'),
    labels: readLabels(metric['dimensions'], named, payload),
    state: states[textIn(state, 'value') ?? ''] ?? 'firing',
    summary: joinTexts(textIn(configuration, 'description'), textIn(state, 'reason')),
    started: timeIn(state, 'timestamp') ?? timeIn(payload, 'time'),
  });
}

interface Alarm extends Pick<Alert, 'name' | 'metric' | 'labels' | 'state' | 'summary' | 'started'> {
  readonly arn: string | null;
}

function toAlert({ arn, ...fields }: Alarm): Alert {
  const rule = arn ?? fields.name;
  return {
    ...{ ...fields, rule, severity: null, source: 'cloudwatch', query: null, error: null, ended: null },
    service: serviceIn(fields.labels) ?? fields.labels['database'] ?? fields.labels['queue'] ?? null,
    namespace: null,
    fingerprint: fingerprintOf([rule, fields.labels]),
  };
}

/** Events of an RDS database: a failover, full storage, a restart. */
export function readRdsEvent(payload: Fields): Alert {
  const database = textIn(payload, 'Source ID') ?? '';
  const code = /RDS-EVENT-\d+/.exec(textIn(payload, 'Event ID') ?? '')?.[0];
  const fields = textIn(payload, 'Event Message') ?? defaultName;
  const [, , , region = '', account = ''] = (textIn(payload, 'Source ARN') ?? '').split(':');
  const labels = {
    database,
    ...(region !== '' && { region }),
    ...(account !== '' && { account }),
    ...(code !== undefined && { event: code }),
  };
  return {
    name: fields.slice(0, 200),
    rule: code ?? withoutVariables(fields),
    severity: null,
    source: 'cloudwatch',
    state: 'firing',
    service: database,
    namespace: null,
    metric: null,
    query: null,
    summary: fields,
    error: null,
    labels,
    started: timeIn(payload, 'Event Time'),
    ended: null,
    fingerprint: fingerprintOf([code ?? fields, labels]),
  };
}

/** The alert for messages about the subscription itself. */
export function readSnsSubscription(payload: Fields): Alert {
  const name = textIn(payload, 'Type') ?? defaultName;
  return {
    ...{ name, rule: name, severity: null, source: 'cloudwatch', state: 'note', service: null },
    ...{ namespace: null, metric: null, query: null, error: null, started: null, ended: null },
    summary: `SNS: ${name} of ${textIn(payload, 'TopicArn') ?? 'a topic'}`,
    labels: {},
    fingerprint: fingerprintContent([name, textIn(payload, 'TopicArn')]),
  };
}
