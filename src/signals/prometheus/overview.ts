/** An overview of all metrics of a Prometheus. Each has its own query: counters as rates, histograms as averages. */
import { z } from 'zod';
import type { Series, SignalFailure, SignalQuestion } from '../../core/index.ts';
import type { Http } from '../http.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { dataReply, queryReply, rulesReply, seriesOf } from './reply.ts';

/** Maximum number of metrics in one answer. */
const maxMetrics = 40;
/** Points per series over the window and its baseline. */
const pointsPerSeries = 96;
/** Number of queries at the same time. */
const concurrentQueries = 4;

/** Metrics of the monitoring itself and of runtimes, buckets of histograms, and those whose value is a label or a time. */
const excludedMetrics =
  /^(?:ALERTS|ALERTS_FOR_STATE|go_|process_|scrape_|promhttp_|prometheus_|net_conntrack_|alertmanager_)|_(?:bucket|created|info|timestamp_seconds|time_seconds)$/;

export interface OverviewQuery {
  /** The name that is shown: `rate of http_requests_total`. */
  readonly name: string;
  readonly query: string;
}

/** The queries that show the metrics with these names. `range` is a PromQL duration such as `300s`. */
export function overviewQueriesOf(names: readonly string[], range: string): readonly OverviewQuery[] {
  const allNames = new Set(names);
  return names
    .filter((name) => !excludedMetrics.test(name))
    .flatMap((name): readonly OverviewQuery[] => {
      const base = name.replace(/_(?:sum|count|total)$/, '');
      const rate = (metric: string): string => `sum by (job) (rate(${metric}[${range}]))`;
      if (name.endsWith('_sum') && allNames.has(`${base}_count`))
        return [{ name: `average of ${base}`, query: `${rate(name)} / ${rate(`${base}_count`)}` }];
      if (/_(?:total|count|sum)$/.test(name)) return [{ name: `rate of ${name}`, query: rate(name) }];
      return [{ name, query: `avg by (job) (${name})` }];
    });
}

export function overviewQuestion(place: SystemSource, http: Http): SignalQuestion {
  const noParameters = z.strictObject({});
  return question<z.infer<typeof noParameters>>(place, {
    name: 'prometheus_overview',
    topic: 'metrics',
    description: 'How every metric goes, by job: counters as rates, histograms as averages.',
    parameters: noParameters,
    cost: `a query for each metric, ${maxMetrics} at most`,
    reach: 'baseline',
    async read(_, { window, signal }) {
      const [from, to] = [window.baseline_from / 1_000, (window.to - 1) / 1_000];
      const step = Math.max(15, Math.ceil((to - from) / pointsPerSeries));
      const names = await http.getJson(
        '/api/v1/label/__name__/values',
        { start: from, end: to },
        dataReply(z.string()),
        signal,
      );
      if (names.kind === 'failure') return names;
      // A counter needs a few scrapes within the range.
      const allQueries = overviewQueriesOf(names.value.data.toSorted(), `${Math.max(300, step)}s`);
      const overviewQueries = (await sortByRules(allQueries, http, signal)).slice(0, maxMetrics);
      const series: Series[] = [];
      const failures: SignalFailure[] = [];
      for (let start = 0; start < overviewQueries.length && !signal.aborted; start += concurrentQueries)
        await Promise.all(
          overviewQueries.slice(start, start + concurrentQueries).map(async ({ name, query }) => {
            const reply = await http.getJson(
              '/api/v1/query_range',
              { query, start: from, end: to, step },
              queryReply,
              signal,
            );
            if (reply.kind === 'failure') failures.push(reply);
            else
              series.push(...seriesOf(reply.value.data, name).series.map((series) => ({ ...series, name })));
          }),
        );
      if (series.length === 0 && failures[0] !== undefined) return failures[0];
      return {
        kind: 'reading',
        query: `every metric by job from ${time(window.baseline_from)} to ${time(window.to)} step ${step}s`,
        rows: { kind: 'series', series: series.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
        completeness:
          allQueries.length > overviewQueries.length || failures.length > 0 ? 'partial' : 'complete',
        notes: [
          ...(allQueries.length > overviewQueries.length
            ? [`${overviewQueries.length} of ${allQueries.length} metrics are shown, those of rules first.`]
            : []),
          ...(failures.length > 0 ? [`${failures.length} metrics could not be read.`] : []),
        ],
      };
    },
  });
}

/** If there are too many metrics, puts those first that a rule uses: somebody found them worth watching. */
async function sortByRules(
  queries: readonly OverviewQuery[],
  http: Http,
  signal: AbortSignal,
): Promise<readonly OverviewQuery[]> {
  if (queries.length <= maxMetrics) return queries;
  const rules = await http.getJson('/api/v1/rules', {}, rulesReply, signal);
  if (rules.kind === 'failure') return queries;
  const words = new Set(
    rules.value.data.groups.flatMap(({ rules: groupRules }) =>
      groupRules.flatMap(({ query }) => query.match(/[a-zA-Z_:][\w:]*/g) ?? []),
    ),
  );
  const isUsedInRules = ({ query }: OverviewQuery): boolean =>
    (query.match(/[a-zA-Z_:][\w:]*/g) ?? []).some((word) => words.has(word) && !promqlWords.has(word));
  return [
    ...queries.filter(isUsedInRules),
    ...queries.filter((overviewQuery) => !isUsedInRules(overviewQuery)),
  ];
}

/** Words of the queries above that are no names of metrics. */
const promqlWords: ReadonlySet<string> = new Set(['sum', 'avg', 'rate', 'by', 'job']);
