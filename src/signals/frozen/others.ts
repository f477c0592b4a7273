/** Alerts, spans and given patterns of a frozen incident. */
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
  const own = Object.entries(item).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  const long = (name: string, value: unknown): boolean =>
    /summary|description|message|runbook/.test(name) || String(value).length > 80;
  return {
    name: textOf(item, nameNames) ?? textOf(labels, nameNames) ?? 'alert',
    state: /resolv|ok|inactive|clos/.test(state) ? 'resolved' : /pend/.test(state) ? 'pending' : 'firing',
    since,
    labels: strings([...own.filter(([name, value]) => !long(name, value)), ...Object.entries(labels)]),
    annotations: strings([
      ...own.filter(([name, value]) => long(name, value)),
      ...Object.entries(isItem(item['annotations']) ? item['annotations'] : {}),
    ]),
    query: textOf(item, ['query', 'expr', 'expression']),
  };
}

function strings(pairs: readonly (readonly [string, unknown])[]): Record<string, string> {
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

/** Spans in the order of the file; `same` for a trace means that of the previous span. */
export function spansOf(items: readonly JsonObject[]): readonly Span[] {
  let trace = 'trace-1';
  let count = 1;
  return items.flatMap((item) => {
    if (Array.isArray(item['spans'])) {
      const outer = textOf(item, ['trace_id', 'traceId', 'id']);
      return spansOf(item['spans'].filter(isItem).map((span) => ({ trace_id: outer, ...span })));
    }
    const at = timeOf(item, ['start', 'start_time', 'startTime', 'timestamp', 'time', 'ts']);
    const id = textOf(item, ['span_id', 'spanId', 'id']);
    if (at === null || id === null) return [];
    const given = textOf(item, ['trace_id', 'traceId', 'trace']);
    const parent = textOf(item, ['parent_id', 'parentId', 'parent_span_id', 'parentSpanId', 'parent']);
    if (given !== null && given !== 'same') trace = given;
    else if (parent === null && given === 'same') trace = `trace-${++count}`;
    const status = textOf(item, ['status', 'status_code', 'statusCode']) ?? '';
    const attributes = {
      ...(isItem(item['tags']) ? item['tags'] : {}),
      ...(isItem(item['attributes']) ? item['attributes'] : {}),
    };
    const rest = Object.entries(item).filter(([name, value]) => !spanNames.has(name) && value !== null);
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
        attributes: strings([...rest, ...Object.entries(attributes)]),
      },
    ];
  });
}

/** Patterns that came with the incident: counted over more lines than its logs hold. */
export function readGivenPatterns(items: readonly JsonObject[]): readonly LogPattern[] {
  return items.flatMap((item) => {
    const template = textOf(item, ['signature', 'template', 'pattern', 'message']);
    const count = numberOf(item, ['count', 'total', 'occurrences']);
    if (template === null || count === null) return [];
    const delta = numberOf(item, ['delta_vs_baseline', 'delta', 'change']);
    const given = numberOf(item, ['baseline', 'baseline_count', 'previous']);
    const mood = textOf(item, ['sentiment', 'severity', 'level']);
    return [
      {
        template,
        service: textOf(item, ['service', 'source', 'app']),
        level:
          mood === 'negative' ? 'ERROR' : mood === 'neutral' || mood === 'positive' ? 'INFO' : levelOf(mood),
        count,
        baseline: given ?? (delta === null ? null : Math.max(0, count - delta)),
        first: timeOf(item, ['first_seen', 'first']),
        last: timeOf(item, ['last_seen', 'last']),
        example: textOf(item, ['example', 'sample']) ?? template,
      },
    ];
  });
}
