/**
 * Reads answers of systems about their state (lists of pods, nodes, deployments, events, logs, samples, monitors),
 * saved as JSON. The fields of an item tell what it is; the name of the file only tells logs from events.
 */
import type { Series } from '../../core/index.ts';
import { levelOf } from '../logs/record.ts';
import { isItem, type JsonObject, textOf, timeOf } from './values.ts';

/** A line of a log, or an event about an object. */
export interface ReportLine {
  /** Milliseconds since the Unix epoch. */
  readonly at: number | null;
  readonly service: string | null;
  readonly level: string | null;
  readonly text: string;
}

export interface Reports {
  readonly logs: readonly ReportLine[];
  readonly events: readonly ReportLine[];
  /** Each object with its fields flattened. */
  readonly objects: readonly JsonObject[];
  readonly series: readonly Series[];
  /** Monitors, with the state of each. */
  readonly monitors: readonly JsonObject[];
}

export const noReports: Reports = { logs: [], events: [], objects: [], series: [], monitors: [] };

const firstNames = ['first_time', 'firstTimestamp', 'first_seen', 'firstSeen'];
const lastNames = ['last_time', 'lastTimestamp', 'last_seen', 'lastSeen', 'eventTime'];
const momentNames = ['timestamp', '@timestamp', 'date', 'ts', 'time', 'at', 'created', 'datetime'];
const messageNames = ['message', 'msg', 'body', 'text', 'description', 'Message'];
const stateNames = ['overall_state', 'monitor_state', 'StateValue', 'state_value'];
const maxDepth = 5;

export function reportsOf(path: string, value: unknown): Reports {
  const collected = {
    logs: [] as ReportLine[],
    events: [] as ReportLine[],
    objects: [] as JsonObject[],
    series: new Map<string, Series & { points: [number, number][] }>(),
    monitors: [] as JsonObject[],
  };
  const kindOfFile = path.slice(path.lastIndexOf('/') + 1).replace(/\.[\w.]+$/, '');
  const isLogFile = /log/i.test(kindOfFile);

  const addItem = (item: JsonObject, context: JsonObject, name: string): void => {
    const at = timeOf(item, [...lastNames, ...momentNames, ...firstNames]);
    const message = textOf(item, messageNames);
    const reason = textOf(item, ['reason']);
    if (stateNames.some((one) => typeof item[one] === 'string')) collected.monitors.push(item);
    else if (at !== null && (message !== null || reason !== null))
      (isLogFile && reason === null ? collected.logs : collected.events).push(lineOf(item, context, at));
    else if (at !== null && addSample(collected.series, item, context, at)) return;
    else if (Object.keys(item).length > 1) collected.objects.push({ kind: name, ...flattenObject(item) });
  };
  const walkNode = (node: unknown, context: JsonObject, name: string, depth: number): void => {
    if (depth > maxDepth) return;
    if (Array.isArray(node)) {
      for (const item of node) if (isItem(item) && !isColumns(item)) addItem(item, context, singular(name));
      return;
    }
    if (!isItem(node) || isColumns(node)) return;
    const lists = Object.entries(node).filter(([, one]) => Array.isArray(one) && one.some(isItem));
    const innerObjects = Object.entries(node).filter(([, one]) => isItem(one));
    const logText = node['logs'] ?? node['log'];
    if (typeof logText === 'string') collected.logs.push(...linesOf(logText, node));
    else if (lists.length === 0 && innerObjects.length === 0) {
      if (Object.keys(node).length > 1)
        collected.objects.push({ kind: singular(name), ...flattenObject(node) });
    } else
      for (const [key, one] of [...lists, ...innerObjects])
        walkNode(one, { ...context, ...flattenObject(node) }, genericName.test(key) ? name : key, depth + 1);
  };
  walkNode(value, {}, kindOfFile, 0);
  return { ...collected, series: [...collected.series.values()] };
}

/** Names that say nothing about the content; the name of the outer object is used in their place. */
const genericName = /^(items|data|results?|list|values|objects|response)$/i;

const singular = (name: string): string =>
  name
    .replace(/^(?:eks|k8s|kube|aws|ec2|elb|datadog|gcp|azure)_/i, '')
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '');

/** Whether an item is a series: a list of times and a list of values. */
const isColumns = (item: JsonObject): boolean =>
  Array.isArray(item['timestamps'] ?? item['Timestamps']) && Array.isArray(item['values'] ?? item['Values']);

/** The object of an event as `Pod/api-7f`, in any of the usual notations. */
function objectOf(item: JsonObject): string | null {
  const involved = item['involved_object'] ?? item['involvedObject'] ?? item['regarding'] ?? item['object'];
  if (typeof involved === 'string') return involved;
  const { kind, name } = isItem(involved) ? involved : item;
  if (typeof kind === 'string' && typeof name === 'string') return `${kind}/${name}`;
  return textOf(item, ['source_identifier', 'SourceIdentifier', 'resource', 'resource_id']);
}

function lineOf(item: JsonObject, context: JsonObject, at: number): ReportLine {
  const object = objectOf(item);
  const reason = textOf(item, ['reason']);
  const message = textOf(item, messageNames) ?? '';
  const count = Number(item['count'] ?? 1);
  const categories = [item['event_categories'] ?? item['categories']]
    .flat()
    .filter((one) => typeof one === 'string');
  const [kind = '', name = object ?? ''] =
    object?.includes('/') === true ? object.split('/', 2) : ['', object ?? ''];
  const subject = [kind, name, reason].filter((part) => part !== null && part !== '').join(' ');
  const fullText = object === null && reason === null ? message : `${subject}: ${message}`;
  return {
    at,
    service:
      textOf(item, ['service', 'app', 'container', 'pod_name']) ??
      (name === '' ? textOf(context, ['service', 'name']) : name),
    level:
      levelOf(item['status'] ?? item['level'] ?? item['severity'] ?? item['type']) ??
      (categories.some((one) => /fail|low storage|warning/i.test(one as string)) ? 'WARN' : 'INFO'),
    text: `${fullText}${count > 1 ? ` (${count} times)` : ''}`,
  };
}

function linesOf(text: string, context: JsonObject): readonly ReportLine[] {
  const service = textOf(context, ['service', 'pod_name', 'pod', 'container', 'name']);
  let lastTime: number | null = null;
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): ReportLine => {
      const [, time, rest] =
        /^\[?(\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)\]?\s+(.*)$/.exec(line) ?? [];
      lastTime = time === undefined ? lastTime : (timeOf({ time }) ?? lastTime);
      const message = rest ?? line;
      const word = /^\W*([A-Za-z]+)\b/.exec(message)?.[1];
      return { at: lastTime, service, level: levelOf(word) ?? null, text: message };
    });
}

/** Adds each number of an item as a point of its own series, at the item's time. False if the item has no number. */
function addSample(
  seriesByKey: Map<string, Series & { points: [number, number][] }>,
  item: JsonObject,
  context: JsonObject,
  at: number,
): boolean {
  const values = Object.entries(item).filter((pair): pair is [string, number] => typeof pair[1] === 'number');
  if (values.length === 0) return false;
  const texts = Object.entries({ ...context, ...item }).filter(
    (pair): pair is [string, string] =>
      typeof pair[1] === 'string' && pair[1].length < 100 && timeOf({ time: pair[1] }) === null,
  );
  const labels = Object.fromEntries(texts);
  for (const [name, value] of values) {
    const key = JSON.stringify([name, labels]);
    const entry = seriesByKey.get(key) ?? { name, labels, points: [] };
    seriesByKey.set(key, entry);
    entry.points.push([at, value]);
  }
  return true;
}

/**
 * The object with its nested fields flattened: `{ a: { b: 1 } }` is `{ 'a.b': 1 }`. Lists are flattened item by item.
 */
function flattenObject(item: JsonObject, depth = 0): JsonObject {
  const flat: Record<string, unknown> = {};
  for (const [name, fieldValue] of Object.entries(item)) {
    if (fieldValue === null || ['string', 'number', 'boolean'].includes(typeof fieldValue))
      flat[name] = fieldValue;
    else if (depth < 3 && isItem(fieldValue))
      for (const [inner, value] of Object.entries(flattenObject(fieldValue, depth + 1)))
        flat[`${name}.${inner}`] = value;
    else if (depth < 3 && Array.isArray(fieldValue))
      Object.assign(flat, flattenList(name, fieldValue.slice(0, 20), depth));
  }
  return flat;
}

/** Flattens each object of a list under its type or name; values that are not objects are joined into one text. */
function flattenList(name: string, list: readonly unknown[], depth: number): JsonObject {
  const words = list.filter((one) => typeof one !== 'object').join(', ');
  const pairs = list.filter(isItem).flatMap((one, n) => {
    const itemName = textOf(one, ['type', 'name']) ?? String(n);
    return Object.entries(flattenObject(one, depth + 1)).map(([inner, value]) => [
      `${name}.${itemName}.${inner}`,
      value,
    ]);
  });
  return { ...(words !== '' && { [name]: words }), ...Object.fromEntries(pairs) };
}
