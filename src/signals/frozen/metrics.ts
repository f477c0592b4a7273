/** Reads metrics of a frozen incident: JSON, or CSV with a row for each value or a column for each metric. */
import type { Series } from '../../core/index.ts';
import { parseTime } from '../logs/timestamp.ts';
import { isItem, type JsonObject, numberOf, textOf, timeNames, timeOf } from './values.ts';

const metricNames = ['metric', 'name', 'metric_name', '__name__'];
const valueNames = ['value', 'val', 'v'];

export function seriesOfCsv(text: string): readonly Series[] {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (header === undefined) return [];
  const columns = csvCells(header);
  const timeColumn = columns.findIndex((name) => timeNames.includes(name.toLowerCase()));
  if (timeColumn < 0) return [];
  const metricColumn = columns.findIndex((name) => metricNames.includes(name.toLowerCase()));
  const valueColumn = columns.findIndex((name) => valueNames.includes(name.toLowerCase()));
  const collected = seriesCollector();
  for (const line of lines) {
    const row = csvCells(line);
    const at = parseTime(row[timeColumn]);
    if (at === null) continue;
    if (metricColumn >= 0 && valueColumn >= 0) {
      const labels = columns.flatMap((name, k) =>
        k === timeColumn || k === metricColumn || k === valueColumn || (row[k] ?? '') === ''
          ? []
          : [[name, row[k]!] as const],
      );
      collected.add(row[metricColumn] ?? '', Object.fromEntries(labels), at, parseNumber(row[valueColumn]));
      continue;
    }
    // Each column of numbers is a metric; columns of words are labels.
    const labels = columns.flatMap((name, k) =>
      k !== timeColumn && (row[k] ?? '') !== '' && parseNumber(row[k]) === null
        ? [[name, row[k]!] as const]
        : [],
    );
    columns.forEach((name, k) => {
      if (k !== timeColumn) collected.add(name, Object.fromEntries(labels), at, parseNumber(row[k]));
    });
  }
  return collected.series();
}

/** Finds series anywhere in a JSON value: lists of objects with a time and a number, or an answer of Prometheus. */
export function seriesOfJson(value: unknown, name = 'value', depth = 0): readonly Series[] {
  if (depth > 6) return [];
  if (Array.isArray(value)) {
    const items = value.filter(isItem);
    const collected = seriesCollector();
    for (const item of items) {
      const labels = labelsOf(item);
      if (isItem(item['metric']) && Array.isArray(item['values'])) {
        const { __name__: metricName, ...rest } = labelsOf(item['metric']);
        for (const pair of item['values'])
          if (Array.isArray(pair))
            collected.add(metricName ?? name, rest, parseTime(pair[0]), parseNumber(pair[1]));
        continue;
      }
      if (addColumns(collected, item, name)) continue;
      const at = timeOf(item);
      const measured = numberOf(item, valueNames);
      if (at !== null && measured !== null) {
        const { metric, name: itemName, ...rest } = labels;
        collected.add(metric ?? itemName ?? name, withoutNames(rest, timeNames, valueNames), at, measured);
      }
      const points = item['points'] ?? item['values'] ?? item['datapoints'] ?? item['data'];
      if (Array.isArray(points))
        for (const point of points) {
          const metricName = textOf(item, metricNames) ?? name;
          const rest = withoutNames(labels, metricNames, []);
          if (Array.isArray(point))
            collected.add(metricName, rest, parseTime(point[0]), parseNumber(point[1]));
          else if (isItem(point)) collected.add(metricName, rest, timeOf(point), numberOf(point, valueNames));
        }
    }
    const series = collected.series();
    return series.length > 0 ? series : items.flatMap((item) => seriesOfJson(item, name, depth + 1));
  }
  if (!isItem(value)) return [];
  const columnSeries = seriesCollector();
  if (addColumns(columnSeries, value, name)) return columnSeries.series();
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' ? seriesOfJson(inner, key, depth + 1) : [],
  );
}

/**
 * Adds series whose times are one list and whose values are other lists of the same length, as CloudWatch gives them.
 */
function addColumns(collected: ReturnType<typeof seriesCollector>, item: JsonObject, name: string): boolean {
  const lists = Object.entries(item).filter(
    (pair): pair is [string, unknown[]] => Array.isArray(pair[1]) && pair[1].length > 0,
  );
  const isTimeList = ([key, list]: [string, unknown[]]): boolean =>
    /time|^ts$|^t$|date/i.test(key) && list.every((one) => parseTime(one) !== null);
  const times = lists.find(isTimeList)?.[1];
  const columns = lists.filter(
    ([, list]) =>
      list !== times && list.length === times?.length && list.every((one) => parseNumber(one) !== null),
  );
  if (times === undefined || columns.length === 0) return false;
  const metricName = textOf(item, [...metricNames, 'MetricName', 'label', 'Label']) ?? name;
  const dimensions = [item['dimensions'] ?? item['Dimensions']].flat().filter(isItem);
  const labels = Object.fromEntries(
    dimensions.flatMap((one) => {
      const key = textOf(one, ['Name', 'name']);
      const value = textOf(one, ['Value', 'value']);
      return key === null || value === null ? [] : [[key, value] as const];
    }),
  );
  for (const [key, list] of columns) {
    const metricColumn = columns.length === 1 ? metricName : `${metricName}.${key}`;
    list.forEach((value, n) => {
      collected.add(metricColumn, labels, parseTime(times[n]), parseNumber(value));
    });
  }
  return true;
}

function labelsOf(item: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(item).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

function withoutNames(labels: JsonObject, ...names: readonly (readonly string[])[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).filter(([name]) => !names.flat().includes(name)) as [string, string][],
  );
}

function parseNumber(value: unknown): number | null {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value.trim() !== ''
        ? Number(value)
        : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** The cells of a line of CSV, without their quotes. */
function csvCells(line: string): string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '').trim() : quoted.replaceAll('""', '"'),
  );
}

function seriesCollector() {
  const seriesByKey = new Map<
    string,
    { name: string; labels: Record<string, string>; points: [number, number][] }
  >();
  return {
    add(name: string, labels: Record<string, string>, at: number | null, value: number | null): void {
      if (at === null || value === null || name === '') return;
      const key = JSON.stringify([name, labels]);
      const entry = seriesByKey.get(key) ?? { name, labels, points: [] };
      seriesByKey.set(key, entry);
      entry.points.push([at, value]);
    },
    series: (): readonly Series[] =>
      [...seriesByKey.values()].map((one) => ({ ...one, points: one.points.sort((a, b) => a[0] - b[0]) })),
  };
}
