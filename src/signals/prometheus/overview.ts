/** How every metric of a Prometheus goes: one query each, so that a counter is shown as a rate and a histogram as an average. */
import { z } from 'zod';
import type { Series, SignalFailure, SignalQuestion } from '../../core/index.ts';
import type { Http } from '../http.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { dataReply, queryReply, rulesReply, seriesOf } from './reply.ts';

/** Metrics in one answer, and points of each over the window and the time before. */
const maxMetrics = 40;
const points = 96;
/** Queries at the same time. */
const together = 4;

/** Metrics of the watching itself, of runtimes, and those whose value is a name or a time. */
const untold =
  /^(?:ALERTS|ALERTS_FOR_STATE|go_|process_|scrape_|promhttp_|prometheus_|net_conntrack_|alertmanager_)|_(?:bucket|created|info|timestamp_seconds|time_seconds)$/;

export interface OverviewQuery {
  /** For readers: `rate of http_requests_total`. */
  readonly name: string;
  readonly query: string;
}

/** What is shown of metrics with these names; `range` is a duration of PromQL. */
export function shownOf(names: readonly string[], range: string): readonly OverviewQuery[] {
  const all = new Set(names);
  return names
    .filter((name) => !untold.test(name))
    .flatMap((name): readonly OverviewQuery[] => {
      const base = name.replace(/_(?:sum|count|total)$/, '');
      const rate = (metric: string): string => `sum by (job) (rate(${metric}[${range}]))`;
      if (name.endsWith('_sum') && all.has(`${base}_count`))
        return [{ name: `average of ${base}`, query: `${rate(name)} / ${rate(`${base}_count`)}` }];
      if (/_(?:total|count|sum)$/.test(name)) return [{ name: `rate of ${name}`, query: rate(name) }];
      return [{ name, query: `avg by (job) (${name})` }];
    });
}

export function overviewQuestion(place: SystemSource, http: Http): SignalQuestion {
  const none = z.strictObject({});
  return question<z.infer<typeof none>>(place, {
    name: 'prometheus_overview',
    topic: 'metrics',
    description: 'How every metric goes, by job: counters as rates, histograms as averages.',
    parameters: none,
    cost: `a query for each metric, ${maxMetrics} at most`,
    reach: 'baseline',
    async read(_, { window, signal }) {
      const [from, to] = [window.baseline_from / 1_000, (window.to - 1) / 1_000];
      const step = Math.max(15, Math.ceil((to - from) / points));
      const names = await http.getJson(
        '/api/v1/label/__name__/values',
        { start: from, end: to },
        dataReply(z.string()),
        signal,
      );
      if (names.kind === 'failure') return names;
      // A counter needs a few scrapes within the range.
      const all = shownOf(names.value.data.toSorted(), `${Math.max(300, step)}s`);
      const overviewQueries = (await sortByRules(all, http, signal)).slice(0, maxMetrics);
      const series: Series[] = [];
      const failed: SignalFailure[] = [];
      for (let n = 0; n < overviewQueries.length && !signal.aborted; n += together)
        await Promise.all(
          overviewQueries.slice(n, n + together).map(async ({ name, query }) => {
            const reply = await http.getJson(
              '/api/v1/query_range',
              { query, start: from, end: to, step },
              queryReply,
              signal,
            );
            if (reply.kind === 'failure') failed.push(reply);
            else
              series.push(...seriesOf(reply.value.data, name).series.map((series) => ({ ...series, name })));
          }),
        );
      if (series.length === 0 && failed[0] !== undefined) return failed[0];
      return {
        kind: 'reading',
        query: `every metric by job from ${time(window.baseline_from)} to ${time(window.to)} step ${step}s`,
        rows: { kind: 'series', series: series.toSorted((a, b) => (a.name < b.name ? -1 : 1)) },
        completeness: all.length > overviewQueries.length || failed.length > 0 ? 'partial' : 'complete',
        notes: [
          ...(all.length > overviewQueries.length
            ? [`${overviewQueries.length} of ${all.length} metrics are shown, those of rules first.`]
            : []),
          ...(failed.length > 0 ? [`${failed.length} metrics could not be read.`] : []),
        ],
      };
    },
  });
}

/** Those that somebody wrote a rule about are of use to somebody. */
async function sortByRules(
  all: readonly OverviewQuery[],
  http: Http,
  signal: AbortSignal,
): Promise<readonly OverviewQuery[]> {
  if (all.length <= maxMetrics) return all;
  const rules = await http.getJson('/api/v1/rules', {}, rulesReply, signal);
  if (rules.kind === 'failure') return all;
  const words = new Set(
    rules.value.data.groups.flatMap(({ rules: own }) =>
      own.flatMap(({ query }) => query.match(/[a-zA-Z_:][\w:]*/g) ?? []),
    ),
  );
  const isWatched = ({ query }: OverviewQuery): boolean =>
    (query.match(/[a-zA-Z_:][\w:]*/g) ?? []).some((word) => words.has(word) && !functions.has(word));
  return [...all.filter(isWatched), ...all.filter((overviewQuery) => !isWatched(overviewQuery))];
}

const functions: ReadonlySet<string> = new Set(['sum', 'avg', 'rate', 'by', 'job']);
