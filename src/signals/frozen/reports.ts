/**
 * Answers of systems about their state (lists of pods, nodes, deployments, events, logs, samples, monitors),
 * kept as JSON under any name: recognised by what the items hold. The name of a file only tells logs from events.
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
  const made = {
    logs: [] as ReportLine[],
    events: [] as ReportLine[],
    objects: [] as JsonObject[],
    series: new Map<string, Series & { points: [number, number][] }>(),
    monitors: [] as JsonObject[],
  };
  const kindOfFile = path.slice(path.lastIndexOf('/') + 1).replace(/\.[\w.]+$/, '');
  const isLog = /log/i.test(kindOfFile);

  const take = (item: JsonObject, about: JsonObject, name: string): void => {
    const at = timeOf(item, [...lastNames, ...momentNames, ...firstNames]);
    const message = textOf(item, messageNames);
    const reason = textOf(item, ['reason']);
    if (stateNames.some((one) => typeof item[one] === 'string')) made.monitors.push(item);
    else if (at !== null && (message !== null || reason !== null))
      (isLog && reason === null ? made.logs : made.events).push(lineOf(item, about, at));
    else if (at !== null && sample(made.series, item, about, at)) return;
    else if (Object.keys(item).length > 1) made.objects.push({ kind: name, ...plainOf(item) });
  };
  const walk = (held: unknown, about: JsonObject, name: string, depth: number): void => {
    if (depth > maxDepth) return;
    if (Array.isArray(held)) {
      for (const item of held) if (isItem(item) && !isColumns(item)) take(item, about, singular(name));
      return;
    }
    if (!isItem(held) || isColumns(held)) return;
    const lists = Object.entries(held).filter(([, one]) => Array.isArray(one) && one.some(isItem));
    const within = Object.entries(held).filter(([, one]) => isItem(one));
    const text = held['logs'] ?? held['log'];
    if (typeof text === 'string') made.logs.push(...linesOf(text, held));
    else if (lists.length === 0 && within.length === 0) {
      if (Object.keys(held).length > 1) made.objects.push({ kind: singular(name), ...plainOf(held) });
    } else
      for (const [key, one] of [...lists, ...within])
        walk(one, { ...about, ...plainOf(held) }, saysNothing.test(key) ? name : key, depth + 1);
  };
  walk(value, {}, kindOfFile, 0);
  return { ...made, series: [...made.series.values()] };
}

/** Names that say nothing about the content: the name of the outer object is used. */
const saysNothing = /^(items|data|results?|list|values|objects|response)$/i;

const singular = (name: string): string =>
  name
    .replace(/^(?:eks|k8s|kube|aws|ec2|elb|datadog|gcp|azure)_/i, '')
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '');

/** A list of times beside a list of values is a series, and no object. */
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

function lineOf(item: JsonObject, about: JsonObject, at: number): ReportLine {
  const object = objectOf(item);
  const reason = textOf(item, ['reason']);
  const message = textOf(item, messageNames) ?? '';
  const count = Number(item['count'] ?? 1);
  const groups = [item['event_categories'] ?? item['categories']]
    .flat()
    .filter((one) => typeof one === 'string');
  const [kind = '', name = object ?? ''] =
    object?.includes('/') === true ? object.split('/', 2) : ['', object ?? ''];
  const head = [kind, name, reason].filter((part) => part !== null && part !== '').join(' ');
  const said = object === null && reason === null ? message : `${head}: ${message}`;
  return {
    at,
    service:
      textOf(item, ['service', 'app', 'container', 'pod_name']) ??
      (name === '' ? textOf(about, ['service', 'name']) : name),
    level:
      levelOf(item['status'] ?? item['level'] ?? item['severity'] ?? item['type']) ??
      (groups.some((one) => /fail|low storage|warning/i.test(one as string)) ? 'WARN' : 'INFO'),
    text: `${said}${count > 1 ? ` (${count} times)` : ''}`,
  };
}

function linesOf(text: string, about: JsonObject): readonly ReportLine[] {
  const service = textOf(about, ['service', 'pod_name', 'pod', 'container', 'name']);
  let last: number | null = null;
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): ReportLine => {
      const [, time, rest] =
        /^\[?(\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)\]?\s+(.*)$/.exec(line) ?? [];
      last = time === undefined ? last : (timeOf({ time }) ?? last);
      const message = rest ?? line;
      const word = /^\W*([A-Za-z]+)\b/.exec(message)?.[1];
      return { at: last, service, level: levelOf(word) ?? null, text: message };
    });
}

/** An item with a time and numbers is one point in a series of each number. */
function sample(
  all: Map<string, Series & { points: [number, number][] }>,
  item: JsonObject,
  about: JsonObject,
  at: number,
): boolean {
  const values = Object.entries(item).filter((pair): pair is [string, number] => typeof pair[1] === 'number');
  if (values.length === 0) return false;
  const words = Object.entries({ ...about, ...item }).filter(
    (pair): pair is [string, string] =>
      typeof pair[1] === 'string' && pair[1].length < 100 && timeOf({ time: pair[1] }) === null,
  );
  const labels = Object.fromEntries(words);
  for (const [name, value] of values) {
    const key = JSON.stringify([name, labels]);
    const one = all.get(key) ?? { name, labels, points: [] };
    all.set(key, one);
    one.points.push([at, value]);
  }
  return true;
}

/** The object with its nested fields flattened: `{ a: { b: 1 } }` is `{ 'a.b': 1 }`. Lists are flattened item by item. */
function plainOf(item: JsonObject, depth = 0): JsonObject {
  const flat: Record<string, unknown> = {};
  for (const [name, held] of Object.entries(item)) {
    if (held === null || ['string', 'number', 'boolean'].includes(typeof held)) flat[name] = held;
    else if (depth < 3 && isItem(held))
      for (const [inner, value] of Object.entries(plainOf(held, depth + 1))) flat[`${name}.${inner}`] = value;
    else if (depth < 3 && Array.isArray(held))
      Object.assign(flat, plainOfList(name, held.slice(0, 20), depth));
  }
  return flat;
}

/** Each object under its own name; values that are not objects are joined into one text. */
function plainOfList(name: string, list: readonly unknown[], depth: number): JsonObject {
  const words = list.filter((one) => typeof one !== 'object').join(', ');
  const pairs = list.filter(isItem).flatMap((one, n) => {
    const own = textOf(one, ['type', 'name']) ?? String(n);
    return Object.entries(plainOf(one, depth + 1)).map(([inner, value]) => [
      `${name}.${own}.${inner}`,
      value,
    ]);
  });
  return { ...(words !== '' && { [name]: words }), ...Object.fromEntries(pairs) };
}
