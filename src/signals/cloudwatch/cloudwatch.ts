/**
 * CloudWatch: metrics of AWS's services, log groups, and events of RDS. Uses only operations that describe, list,
 * filter or get. AWS charges a cent per thousand metrics read, so only the most informative ones are read by default.
 */
import { z } from 'zod';
import type { Clock, Inspection, Signal, SignalFailure } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import type { JsonReply } from '../http.ts';
import { linesQuestion, patternsQuestion } from '../logs/log-questions.ts';
import { type Pages, readPages } from '../pages.ts';
import { question, type SystemSource } from '../question.ts';
import { isoTime, time } from '../series-text.ts';
import type { AwsCredentials } from './credentials.ts';
import { groupScan } from './logs.ts';
import {
  dataReply,
  defaultMetrics,
  hasDimensionValue,
  isDefaultMetric,
  listReply,
  type Metric,
  periodOf,
  queryOf,
  seriesOf,
} from './metrics.ts';
import { changeOf, eventLine, eventsIn, eventsReply, type RdsEvent } from './rds.ts';
import { type Operation, openAws, rightFor } from './services.ts';

export interface CloudwatchOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly region: string;
  readonly credentials: () => AwsCredentials;
  /** One address for all services. Default: the own address of each service. */
  readonly base?: string;
  readonly logGroups?: readonly string[];
  readonly throttledSeconds?: number;
}

/** Maximum metrics that one question reads. */
const maxMetrics = 200;
/** Maximum metrics that AWS accepts in one request. */
const metricsPerRequest = 500;
const maxListPages = 4;
const maxEventPages = 10;
const maxDataPages = 10;
const nameSchema = z.string().min(1).max(255);

/** Throws `bad_config` if the address is not a valid URL. */
export function openCloudwatch(options: CloudwatchOptions): Signal {
  const { clock, logGroups = [] } = options;
  const aws = openAws(options);
  const place: SystemSource = { system: 'cloudwatch', source: aws.source, clock };

  const listMetrics = (filter: Readonly<Record<string, unknown>>, signal: AbortSignal) =>
    readPages<Metric, string>(maxListPages, async (cursor) => {
      const body = { ...filter, ...(cursor !== null && { NextToken: cursor }) };
      const reply = await aws.ask('ListMetrics', body, listReply, signal);
      if (reply.kind === 'failure') return reply;
      return { kind: 'page', items: reply.value.Metrics, next: reply.value.NextToken ?? null };
    });

  const readSeries = async (
    metrics: readonly Metric[],
    window: { readonly baseline_from: number; readonly to: number },
    signal: AbortSignal,
  ) => {
    const [from, to] = [window.baseline_from, window.to];
    const period = periodOf({ from, to, now: clock.now() });
    const pointsById = new Map<string, { at: number[]; values: number[] }>();
    const notes = new Set<string>();
    for (let k = 0; k < metrics.length; k += metricsPerRequest) {
      const queries = metrics
        .slice(k, k + metricsPerRequest)
        .map((one, n) => queryOf(one, `m${k + n}`, period));
      let token: string | null = null;
      for (let page = 0; page < maxDataPages; page++) {
        const reply: JsonReply<z.infer<typeof dataReply>> | SignalFailure = await aws.ask(
          'GetMetricData',
          {
            MetricDataQueries: queries,
            StartTime: Math.floor(from / 1_000),
            EndTime: Math.floor(to / 1_000),
            ScanBy: 'TimestampAscending',
            ...(token !== null && { NextToken: token }),
          },
          dataReply,
          signal,
        );
        if (reply.kind === 'failure') {
          if (pointsById.size === 0) return reply;
          notes.add(`Not all could be read: ${reply.message}`);
          break;
        }
        for (const { Id, Timestamps, Values, StatusCode } of reply.value.MetricDataResults) {
          const metricPoints = pointsById.get(Id) ?? { at: [], values: [] };
          metricPoints.at.push(...Timestamps);
          metricPoints.values.push(...Values);
          pointsById.set(Id, metricPoints);
          if (StatusCode != null && /^(InternalError|Forbidden)$/.test(StatusCode))
            notes.add(`Some metrics could not be read: ${StatusCode}.`);
        }
        for (const { Value } of reply.value.Messages ?? [])
          if (Value != null) notes.add(`CloudWatch: ${Value}`);
        token = reply.value.NextToken ?? null;
        if (token === null) break;
      }
      if (token !== null) notes.add('Not all values were read.');
    }
    const series = metrics.flatMap((one, k) => {
      const values = pointsById.get(`m${k}`);
      return values === undefined || values.at.length === 0
        ? []
        : [seriesOf(one, values, { from, to, period, now: clock.now() })];
    });
    return { kind: 'read' as const, series, period, notes: [...notes] };
  };

  const readEvents = (
    { from, to }: { readonly from: number; readonly to: number },
    signal: AbortSignal,
  ): Promise<Pages<RdsEvent> | SignalFailure> =>
    readPages<RdsEvent, string>(maxEventPages, async (cursor) => {
      const body = {
        StartTime: isoTime(from),
        EndTime: isoTime(to),
        MaxRecords: '100',
        ...(cursor !== null && { Marker: cursor }),
      };
      const reply = await aws.ask('DescribeEvents', body, eventsReply, signal);
      if (reply.kind === 'failure') return reply;
      const { Marker: next } = reply.value.DescribeEventsResponse.DescribeEventsResult;
      return {
        kind: 'page',
        items: eventsIn(reply.value),
        next: next === undefined || next === '' ? null : next,
      };
    });

  /**
   * If the time range ends within the last three hours, AWS lists only metrics with recent values, which is quick.
   * For an earlier range the filter is left out.
   */
  const recentFilter = (to: number) => (clock.now() - to < 3 * 3_600_000 ? { RecentlyActive: 'PT3H' } : {});
  const truncationNotes = (metrics: readonly Metric[]): readonly string[] =>
    metrics.length > maxMetrics
      ? [`Only ${maxMetrics} of ${metrics.length} metrics were read: narrow them down with contains.`]
      : [];
  const contains = nameSchema
    .optional()
    .describe('Only of resources whose name contains this: an instance, a queue, a function.');

  const scan = groupScan(aws, { groups: logGroups });
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'metrics of AWS, log groups, and events of RDS',
    questions: Object.freeze([
      question(place, {
        name: 'cloudwatch_metrics',
        topic: 'metrics',
        description: `The most informative metrics of ${Object.keys(defaultMetrics).join(', ')}, over the incident and the calm before.`,
        parameters: z.object({ contains }),
        cost: 'a list for each of these, and one request for at most 200 metrics',
        reach: 'baseline',
        async read({ contains: name }, { window, signal }) {
          const lists = await Promise.all(
            Object.keys(defaultMetrics).map((Namespace) =>
              listMetrics({ Namespace, ...recentFilter(window.to) }, signal),
            ),
          );
          const failure = lists.find((one) => one.kind === 'failure');
          if (failure !== undefined) return failure;
          const pages = lists.filter((one) => one.kind === 'pages');
          const matchingMetrics = pages
            .flatMap(({ items }) => items)
            .filter((one) => isDefaultMetric(one) && (name === undefined || hasDimensionValue(one, name)));
          const result = await readSeries(matchingMetrics.slice(0, maxMetrics), window, signal);
          if (result.kind === 'failure') return result;
          return {
            kind: 'reading',
            query: `metrics of AWS${name === undefined ? '' : ` with ${name}`} in steps of ${result.period} s from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'series', series: result.series },
            ...((matchingMetrics.length > maxMetrics || pages.some(({ isComplete }) => !isComplete)) && {
              total: null,
            }),
            ...(result.notes.length > 0 && { completeness: 'partial' as const }),
            notes: [
              ...truncationNotes(matchingMetrics),
              ...result.notes,
              ...pages.flatMap(({ notes }) => notes),
            ],
          };
        },
      }),
      question(place, {
        name: 'cloudwatch_metric',
        topic: 'metrics',
        description:
          'One metric by its name, of any namespace, for all resources that have it: such as the metric of an alarm, or a custom one.',
        parameters: z.object({ metric: nameSchema, contains }),
        cost: 'one list, and one request for at most 200 metrics',
        reach: 'baseline',
        async read({ metric, contains: name }, { window, signal }) {
          const list = await listMetrics({ MetricName: metric, ...recentFilter(window.to) }, signal);
          if (list.kind === 'failure') return list;
          const matchingMetrics = list.items.filter(
            (one) => name === undefined || hasDimensionValue(one, name),
          );
          const result = await readSeries(matchingMetrics.slice(0, maxMetrics), window, signal);
          if (result.kind === 'failure') return result;
          return {
            kind: 'reading',
            query: `${metric}${name === undefined ? '' : ` with ${name}`} in steps of ${result.period} s from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'series', series: result.series },
            ...((matchingMetrics.length > maxMetrics || !list.isComplete) && { total: null }),
            ...(result.notes.length > 0 && { completeness: 'partial' as const }),
            notes: [...truncationNotes(matchingMetrics), ...result.notes, ...list.notes],
          };
        },
      }),
      question(place, {
        name: 'cloudwatch_rds_events',
        topic: 'database',
        description:
          'What happened to databases of RDS: restarts, failovers, storage that runs out, backups, recoveries.',
        parameters: z.object({}),
        cost: 'one request for 100 events; RDS keeps them for 14 days',
        reach: 'baseline',
        async read(_, { window, signal }) {
          const eventPages = await readEvents({ from: window.baseline_from, to: window.to }, signal);
          if (eventPages.kind === 'failure') return eventPages;
          const lines = eventPages.items.map(eventLine).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
          return {
            kind: 'reading',
            query: `events of RDS from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'lines', lines },
            ...(!eventPages.isComplete && { total: null }),
            notes: eventPages.notes,
          };
        },
      }),
      question(place, {
        name: 'cloudwatch_rds_changes',
        topic: 'changes',
        description:
          'Settings of databases of RDS that were changed before and in the incident: parameters, classes, maintenance.',
        parameters: z.object({}),
        cost: 'one request for 100 events',
        reach: 'baseline',
        async read(_, { window, signal }) {
          const eventPages = await readEvents({ from: window.baseline_from, to: window.to }, signal);
          if (eventPages.kind === 'failure') return eventPages;
          return {
            kind: 'reading',
            query: `changes of RDS from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes: eventPages.items.flatMap((one) => changeOf(one) ?? []) },
            ...(!eventPages.isComplete && { total: null }),
            notes: eventPages.notes,
          };
        },
      }),
      ...(logGroups.length === 0 ? [] : [linesQuestion(place, scan), patternsQuestion(place, scan)]),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (checkSignal) => {
          // Every account may call this operation.
          const reply = await aws.ask('GetCallerIdentity', {}, identityReply, checkSignal);
          return reply.kind === 'failure' ? reply : { kind: 'healthy', version: null };
        },
        signal,
        mask,
      ),
    async inspect(signal): Promise<Inspection> {
      const now = clock.now();
      const [from, to] = [now - 60_000, now];
      const sampleQuery = queryOf({ Namespace: 'AWS/RDS', MetricName: 'CPUUtilization' }, 'm0', 60);
      const probes: readonly (readonly [Operation, Readonly<Record<string, unknown>>])[] = [
        ['ListMetrics', { Namespace: 'AWS/RDS' }],
        [
          'GetMetricData',
          {
            MetricDataQueries: [sampleQuery],
            StartTime: Math.floor(from / 1_000),
            EndTime: Math.floor(to / 1_000),
          },
        ],
        ['DescribeEvents', { StartTime: isoTime(from), EndTime: isoTime(to), MaxRecords: '20' }],
        ...logGroups
          .slice(0, 1)
          .map((name) =>
            name.endsWith('*')
              ? (['DescribeLogGroups', { limit: 1 }] as const)
              : ([
                  'FilterLogEvents',
                  { logGroupName: name, startTime: from, endTime: to, limit: 1 },
                ] as const),
          ),
      ];
      const missingRights = await Promise.all(
        probes.map(async ([operation, body]) => {
          const reply = await aws.ask(operation, body, z.unknown(), signal);
          return reply.kind === 'failure' && reply.reason === 'refused' ? [rightFor(operation)] : [];
        }),
      );
      return { rights: { missing: missingRights.flat(), excess: [] }, clockMs: null };
    },
    close: async () => {},
  } satisfies Signal);
}

const identityReply = z.object({
  GetCallerIdentityResponse: z.object({ GetCallerIdentityResult: z.object({ Arn: z.string() }) }),
});
