/** Metrics of a frozen incident: tables with a row for each value or a column for each metric, or JSON. */
import type { Series } from '../../core/index.ts';
import { parseTime } from '../logs/timestamp.ts';
import { isItem, type JsonObject, numberOf, textOf, timeNames, timeOf } from './values.ts';

const metricNames = ['metric', 'name', 'metric_name', '__name__'];
const valueNames = ['value', 'val', 'v'];

export function seriesOfCsv(text: string): readonly Series[] {
  const [head, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (head === undefined) return [];
  const columns = cells(head);
  const time = columns.findIndex((name) => timeNames.includes(name.toLowerCase()));
  if (time < 0) return [];
  const metric = columns.findIndex((name) => metricNames.includes(name.toLowerCase()));
  const value = columns.findIndex((name) => valueNames.includes(name.toLowerCase()));
  const made = collector();
  for (const line of lines) {
    const row = cells(line);
    const at = parseTime(row[time]);
    if (at === null) continue;
    if (metric >= 0 && value >= 0) {
      const labels = columns.flatMap((name, k) =>
        k === time || k === metric || k === value || (row[k] ?? '') === '' ? [] : [[name, row[k]!] as const],
      );
      made.add(row[metric] ?? '', Object.fromEntries(labels), at, numeric(row[value]));
      continue;
    }
    // A column for each metric; columns of words are labels.
    const labels = columns.flatMap((name, k) =>
      k !== time && (row[k] ?? '') !== '' && numeric(row[k]) === null ? [[name, row[k]!] as const] : [],
    );
    columns.forEach((name, k) => {
      if (k !== time) made.add(name, Object.fromEntries(labels), at, numeric(row[k]));
    });
  }
  return made.series();
}

/** Series anywhere in a JSON value: lists of objects that have a time and a number, or Prometheus' own answer. */
export function seriesOfJson(value: unknown, name = 'value', depth = 0): readonly Series[] {
  if (depth > 6) return [];
  if (Array.isArray(value)) {
    const items = value.filter(isItem);
    const made = collector();
    for (const item of items) {
      const labels = labelsOf(item);
      if (isItem(item['metric']) && Array.isArray(item['values'])) {
        const { __name__: own, ...rest } = labelsOf(item['metric']);
        for (const pair of item['values'])
          if (Array.isArray(pair)) made.add(own ?? name, rest, parseTime(pair[0]), numeric(pair[1]));
        continue;
      }
      if (addColumns(made, item, name)) continue;
      const at = timeOf(item);
      const held = numberOf(item, valueNames);
      if (at !== null && held !== null) {
        const { metric, name: own, ...rest } = labels;
        made.add(metric ?? own ?? name, without(rest, timeNames, valueNames), at, held);
      }
      const points = item['points'] ?? item['values'] ?? item['datapoints'] ?? item['data'];
      if (Array.isArray(points))
        for (const point of points) {
          const own = textOf(item, metricNames) ?? name;
          const rest = without(labels, metricNames, []);
          if (Array.isArray(point)) made.add(own, rest, parseTime(point[0]), numeric(point[1]));
          else if (isItem(point)) made.add(own, rest, timeOf(point), numberOf(point, valueNames));
        }
    }
    const series = made.series();
    return series.length > 0 ? series : items.flatMap((item) => seriesOfJson(item, name, depth + 1));
  }
  if (!isItem(value)) return [];
  const whole = collector();
  if (addColumns(whole, value, name)) return whole.series();
  return Object.entries(value).flatMap(([key, held]) =>
    typeof held === 'object' ? seriesOfJson(held, key, depth + 1) : [],
  );
}

/** Times in one list and values in others of its length, as CloudWatch gives them. */
function addColumns(made: ReturnType<typeof collector>, item: JsonObject, name: string): boolean {
  const lists = Object.entries(item).filter(
    (pair): pair is [string, unknown[]] => Array.isArray(pair[1]) && pair[1].length > 0,
  );
  const isTimes = ([key, list]: [string, unknown[]]): boolean =>
    /time|^ts$|^t$|date/i.test(key) && list.every((one) => parseTime(one) !== null);
  const times = lists.find(isTimes)?.[1];
  const columns = lists.filter(
    ([, list]) =>
      list !== times && list.length === times?.length && list.every((one) => numeric(one) !== null),
  );
  if (times === undefined || columns.length === 0) return false;
  const own = textOf(item, [...metricNames, 'MetricName', 'label', 'Label']) ?? name;
  const dimensions = [item['dimensions'] ?? item['Dimensions']].flat().filter(isItem);
  const labels = Object.fromEntries(
    dimensions.flatMap((one) => {
      const key = textOf(one, ['Name', 'name']);
      const value = textOf(one, ['Value', 'value']);
      return key === null || value === null ? [] : [[key, value] as const];
    }),
  );
  for (const [key, list] of columns) {
    const metric = columns.length === 1 ? own : `${own}.${key}`;
    list.forEach((value, n) => {
      made.add(metric, labels, parseTime(times[n]), numeric(value));
    });
  }
  return true;
}

function labelsOf(item: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(item).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

function without(labels: JsonObject, ...names: readonly (readonly string[])[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).filter(([name]) => !names.flat().includes(name)) as [string, string][],
  );
}

function numeric(value: unknown): number | null {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value.trim() !== ''
        ? Number(value)
        : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** The cells of a line of CSV, quotes taken off. */
function cells(line: string): string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '').trim() : quoted.replaceAll('""', '"'),
  );
}

function collector() {
  const found = new Map<
    string,
    { name: string; labels: Record<string, string>; points: [number, number][] }
  >();
  return {
    add(name: string, labels: Record<string, string>, at: number | null, value: number | null): void {
      if (at === null || value === null || name === '') return;
      const key = JSON.stringify([name, labels]);
      const one = found.get(key) ?? { name, labels, points: [] };
      found.set(key, one);
      one.points.push([at, value]);
    },
    series: (): readonly Series[] =>
      [...found.values()].map((one) => ({ ...one, points: one.points.sort((a, b) => a[0] - b[0]) })),
  };
}
