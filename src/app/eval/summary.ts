/** Computes the figures of an evaluation, and of the difference between two. Pure functions. */
import type { RowRecord } from './record.ts';
import { type Estimate, estimate, estimateDifference } from './statistics.ts';

/** The measures of an answer. Higher is better, except for contradictions, steps, tokens, costs and times. */
export const measures = [
  'right',
  'recall_1',
  'recall_5',
  'recall_10',
  'recall_all',
  'lines_cited',
  'lines_exact',
  'lines_read',
  'contradicted_by_gold',
  'steps',
  'tokens',
  'cached_tokens',
  'usd',
  'ms',
] as const;
export type Measure = (typeof measures)[number];

export interface Summary {
  readonly model: string;
  readonly rows: number;
  /** Questions without a result; they count as wrong. */
  readonly failed: number;
  readonly figures: Readonly<Partial<Record<Measure, Estimate>>>;
  readonly claims: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly total_usd: number;
  readonly total_tokens: number;
}

export interface Difference {
  readonly a: string;
  readonly b: string;
  readonly rows: number;
  /** For each measure: B minus A over the same questions, and how often B was higher and lower. */
  readonly figures: Readonly<
    Partial<Record<Measure, Estimate & { readonly above: number; readonly below: number }>>
  >;
  /** Ids of questions that only A, or only B, answered correctly. */
  readonly only_a: readonly string[];
  readonly only_b: readonly string[];
}

export function summarize(rows: readonly RowRecord[]): readonly Summary[] {
  return [...new Set(rows.map(({ model }) => model))].map((model) => {
    const modelRows = rows.filter((row) => row.model === model);
    return {
      model,
      rows: modelRows.length,
      failed: modelRows.filter(({ error }) => error !== undefined).length,
      figures: dropNulls(
        measures.map((name) => [name, estimate(readValues(modelRows, name), { yesOrNo: name === 'right' })]),
      ),
      claims: sumCounts(modelRows.map(({ claims }) => claims)),
      statuses: sumCounts(modelRows.map(({ status }) => ({ [status ?? 'failed']: 1 }))),
      total_usd: sum(modelRows.map(({ usd }) => usd)),
      total_tokens: sum(modelRows.map(({ tokens }) => tokens)),
    };
  });
}

/** Compares the rows of two models by the ids of the questions. */
export function compareRows(a: readonly RowRecord[], b: readonly RowRecord[]): Difference {
  const rowsOfB = new Map(b.map((row) => [row.id, row]));
  const pairs = a.flatMap((row) => {
    const other = rowsOfB.get(row.id);
    return other === undefined ? [] : [[row, other] as const];
  });
  const figures = measures.map((name) => {
    const differences = pairs.flatMap(([rowA, rowB]) => {
      const [valueA, valueB] = [readMeasure(rowA, name), readMeasure(rowB, name)];
      return valueA === null || valueB === null ? [] : [valueB - valueA];
    });
    const estimated = estimateDifference(differences);
    const above = differences.filter((value) => value > 0).length;
    const below = differences.filter((value) => value < 0).length;
    return [name, estimated && { ...estimated, above, below }] as const;
  });
  const onlyRight = (side: 0 | 1): readonly string[] =>
    pairs
      .filter((pair) => pair[side].right === true && pair[side === 0 ? 1 : 0].right === false)
      .map(([{ id }]) => id);
  return {
    a: a[0]?.model ?? '',
    b: b[0]?.model ?? '',
    rows: pairs.length,
    figures: dropNulls(figures),
    only_a: onlyRight(0),
    only_b: onlyRight(1),
  };
}

function readMeasure(row: RowRecord, name: Measure): number | null {
  const value = row[name];
  return typeof value === 'boolean' ? Number(value) : value;
}

const readValues = (rows: readonly RowRecord[], name: Measure): readonly number[] =>
  rows.flatMap((row) => readMeasure(row, name) ?? []);

const dropNulls = <Value>(
  entries: readonly (readonly [Measure, Value | null])[],
): Partial<Record<Measure, Value>> =>
  Object.fromEntries(entries.filter(([, value]) => value !== null)) as Partial<Record<Measure, Value>>;

function sumCounts(
  countsList: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const each of countsList)
    for (const [name, count] of Object.entries(each)) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
