/** As much of a search server as the client asks for, over documents in memory: clauses, times, sorting, histograms. */
import type { DoubleAnswer, DoubleRequest } from '../http-double.contract.ts';
import { valueAt } from './fields.ts';

export interface Document {
  readonly index: string;
  readonly id: string;
  readonly source: Readonly<Record<string, unknown>>;
}

type Held = Readonly<Record<string, unknown>>;
const toHeld = (value: unknown): Held => value as Held;
const only = (value: Held): readonly [string, Held] => Object.entries(value)[0] as [string, Held];

const plain = (name: string): string => name.replace(/\.keyword$/, '');
const at = (source: Held): number => Date.parse(String(valueAt(source, '@timestamp')));

function fits(clause: Held, { source }: Document): boolean {
  const [kind, body] = only(clause);
  switch (kind) {
    case 'range': {
      const { gte, lt } = only(body)[1] as { gte: string; lt: string };
      return at(source) >= Date.parse(gte) && at(source) < Date.parse(lt);
    }
    case 'term': {
      const [field, { value }] = only(body);
      return String(valueAt(source, plain(field))).toLowerCase() === String(value).toLowerCase();
    }
    case 'terms': {
      const [field, values] = only(body) as unknown as [string, readonly string[]];
      return values.includes(String(valueAt(source, plain(field))));
    }
    case 'multi_match':
      return (body['fields'] as string[]).some((field) =>
        String(valueAt(source, field) ?? '')
          .toLowerCase()
          .includes(String(body['query']).toLowerCase()),
      );
    case 'query_string':
      return JSON.stringify(source).toLowerCase().includes(String(body['query']).toLowerCase());
    case 'bool': {
      const { filter = [], should, must_not = [] } = body as Record<string, readonly Held[] | undefined>;
      const one = { index: '', id: '', source };
      return (
        filter.every((inner) => fits(inner, one)) &&
        (should === undefined || should.some((inner) => fits(inner, one))) &&
        must_not.every((inner) => !fits(inner, one))
      );
    }
    default:
      throw new Error(`${kind} is no clause here`);
  }
}

export function searchServer(documents: readonly Document[], caps: Held) {
  return ({ path, query, body, method }: DoubleRequest): DoubleAnswer => {
    if (path.endsWith('/_field_caps')) {
      const wanted = (query.get('fields') ?? '').split(',');
      const fields = Object.entries(caps).filter(([name]) =>
        wanted.some((one) => new RegExp(`^${one.replace(/[.]/g, '\\.').replaceAll('*', '.*')}$`).test(name)),
      );
      return {
        json: {
          indices: [...new Set(documents.map(({ index }) => index))],
          fields: Object.fromEntries(fields),
        },
      };
    }
    if (!path.endsWith('/_search') || method !== 'POST') return null;
    const request = JSON.parse(body) as { size: number; query: Held; aggs?: Record<string, Held> };
    const found = documents
      .filter((one) => fits(request.query, one))
      .sort((a, b) => at(a.source) - at(b.source));
    const hits = found.slice(0, request.size).map(({ index, id, source }) => ({
      _index: index,
      _id: id,
      _score: null,
      _source: source,
      sort: [at(source)],
    }));
    return {
      json: {
        took: 3,
        timed_out: false,
        _shards: { total: 2, successful: 2, skipped: 0, failed: 0 },
        hits: { total: { value: found.length, relation: 'eq' }, max_score: null, hits },
        ...(request.aggs && { aggregations: aggregate(request.aggs, found) }),
      },
    };
  };
}

function aggregate(aggs: Readonly<Record<string, Held>>, found: readonly Document[]): Held {
  return Object.fromEntries(
    Object.entries(aggs).map(([name, agg]) => {
      const inner = toHeld(agg['aggs'] ?? {}) as Record<string, Held>;
      const aggregateInner = (own: readonly Document[]): Held => aggregate(inner, own);
      if (agg['filter'] !== undefined) {
        const own = found.filter((one) => fits(toHeld(agg['filter']), one));
        return [name, { doc_count: own.length }];
      }
      if (agg['terms'] !== undefined) {
        const field = plain(String(toHeld(agg['terms'])['field']));
        const groups = Map.groupBy(found, ({ source }) => String(valueAt(source, field)));
        const buckets = [...groups].map(([key, own]) => ({
          key,
          doc_count: own.length,
          ...aggregateInner(own),
        }));
        return [name, { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets }];
      }
      const { fixed_interval, extended_bounds } = toHeld(agg['date_histogram']) as {
        fixed_interval: string;
        extended_bounds: { min: number; max: number };
      };
      const step = Number.parseInt(fixed_interval, 10) * 1_000;
      const buckets = [];
      for (let key = Math.floor(extended_bounds.min / step) * step; key <= extended_bounds.max; key += step) {
        const own = found.filter(({ source }) => at(source) >= key && at(source) < key + step);
        buckets.push({
          key_as_string: new Date(key).toISOString(),
          key,
          doc_count: own.length,
          ...aggregateInner(own),
        });
      }
      return [name, { buckets }];
    }),
  );
}
