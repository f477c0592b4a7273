/** Reads alerts, spans and recorded patterns of a frozen incident. */
import type { AlertState, LogPattern, Span } from '../../core/index.ts';
import { levelOf } from '../logs/record.ts';
import { isItem, type JsonObject, numberOf, textOf, timeOf } from './values.ts';

export function alertOf(item: JsonObject): AlertState {
  const state = (
    textOf(item, ['state', 'status', 'overall_state', 'monitor_state', 'StateValue', 'state_value']) ??
    'firing'
  ).toLowerCase();
  const since = timeOf(item, [
    'fired_at',
    'startsAt',
    'starts_at',
    'triggered_at',
    'since',
    'timestamp',
    'time',
    'date',
  ]);
  const nameNames = ['monitor', 'alertname', 'alert_name', 'name', 'title', 'rule', 'alert', 'id'];
  const labels = isItem(item['labels']) ? item['labels'] : {};
  const plainFields = Object.entries(item).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  const isLong = (name: string, value: unknown): boolean =>
    /summary|description|message|runbook/.test(name) || String(value).length > 80;
  return {
    name: textOf(item, nameNames) ?? textOf(labels, nameNames) ?? 'alert',
    state: /resolv|ok|inactive|clos/.test(state) ? 'resolved' : /pend/.test(state) ? 'pending' : 'firing',
    since,
    labels: textValues([
      ...plainFields.filter(([name, value]) => !isLong(name, value)),
      ...Object.entries(labels),
    ]),
    annotations: textValues([
      ...plainFields.filter(([name, value]) => isLong(name, value)),
      ...Object.entries(isItem(item['annotations']) ? item['annotations'] : {}),
    ]),
    query: textOf(item, ['query', 'expr', 'expression']),
  };
}

function textValues(pairs: readonly (readonly [string, unknown])[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

const spanNames = new Set([
  'trace_id',
  'traceId',
  'span_id',
  'spanId',
  'parent_id',
  'parentId',
  'parent_span_id',
  'parentSpanId',
  'service',
  'service_name',
  'name',
  'operation',
  'operationName',
  'start',
  'start_time',
  'startTime',
  'timestamp',
  'duration_ms',
  'duration',
  'attributes',
  'tags',
]);

/**
 * Spans in the order of the file. A trace `same` means that of the previous span, or a new one for a span without a
 * parent.
 */
export function spansOf(items: readonly JsonObject[]): readonly Span[] {
  let trace = 'trace-1';
  let count = 1;
  return items.flatMap((item) => {
    if (Array.isArray(item['spans'])) {
      const outerTrace = textOf(item, ['trace_id', 'traceId', 'id']);
      return spansOf(item['spans'].filter(isItem).map((span) => ({ trace_id: outerTrace, ...span })));
    }
    const at = timeOf(item, ['start', 'start_time', 'startTime', 'timestamp', 'time', 'ts']);
    const id = textOf(item, ['span_id', 'spanId', 'id']);
    if (at === null || id === null) return [];
    const givenTrace = textOf(item, ['trace_id', 'traceId', 'trace']);
    const parent = textOf(item, ['parent_id', 'parentId', 'parent_span_id', 'parentSpanId', 'parent']);
    if (givenTrace !== null && givenTrace !== 'same') trace = givenTrace;
    else if (parent === null && givenTrace === 'same') trace = `trace-${++count}`;
    const status = textOf(item, ['status', 'status_code', 'statusCode']) ?? '';
    const attributes = {
      ...(isItem(item['tags']) ? item['tags'] : {}),
      ...(isItem(item['attributes']) ? item['attributes'] : {}),
    };
    const otherFields = Object.entries(item).filter(
      ([name, value]) => !spanNames.has(name) && value !== null,
    );
    return [
      {
        trace,
        id,
        parent,
        service: textOf(item, ['service', 'service_name', 'serviceName', 'process']) ?? 'unknown',
        name: textOf(item, ['name', 'operation', 'operationName', 'resource']) ?? '',
        at,
        duration_ms: numberOf(item, ['duration_ms', 'durationMs', 'duration', 'elapsed_ms']) ?? 0,
        failed: /err|fail|^5\d\d$|^2$/i.test(status) || item['error'] === true,
        attributes: textValues([...otherFields, ...Object.entries(attributes)]),
      },
    ];
  });
}

/** Patterns recorded with the incident, which were counted over more lines than its logs contain. */
export function readGivenPatterns(items: readonly JsonObject[]): readonly LogPattern[] {
  return items.flatMap((item) => {
    const template = textOf(item, ['signature', 'template', 'pattern', 'message']);
    const count = numberOf(item, ['count', 'total', 'occurrences']);
    if (template === null || count === null) return [];
    const delta = numberOf(item, ['delta_vs_baseline', 'delta', 'change']);
    const givenBaseline = numberOf(item, ['baseline', 'baseline_count', 'previous']);
    const severity = textOf(item, ['sentiment', 'severity', 'level']);
    return [
      {
        template,
        service: textOf(item, ['service', 'source', 'app']),
        level:
          severity === 'negative'
            ? 'ERROR'
            : severity === 'neutral' || severity === 'positive'
              ? 'INFO'
              : levelOf(severity),
        count,
        baseline: givenBaseline ?? (delta === null ? null : Math.max(0, count - delta)),
        first: timeOf(item, ['first_seen', 'first']),
        last: timeOf(item, ['last_seen', 'last']),
        example: textOf(item, ['example', 'sample']) ?? template,
      },
    ];
  });
}
