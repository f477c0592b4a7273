/**
 * The metrics of AWS services that are most informative in an incident, and the conversion of their values to series.
 */
import { z } from 'zod';
import type { Series } from '../../core/index.ts';

const dimension = z.object({ Name: z.string(), Value: z.string() });
const metric = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(dimension).nullish(),
});
export type Metric = z.infer<typeof metric>;

export const listReply = z.object({ Metrics: z.array(metric), NextToken: z.string().nullish() });
const result = z.object({
  Id: z.string(),
  Label: z.string().nullish(),
  Timestamps: z.array(z.number()),
  Values: z.array(z.number()),
  StatusCode: z.string().nullish(),
});
const message = z.object({ Code: z.string().nullish(), Value: z.string().nullish() });
export const dataReply = z.object({
  MetricDataResults: z.array(result),
  NextToken: z.string().nullish(),
  Messages: z.array(message).nullish(),
});

type Statistic = 'Average' | 'Sum' | 'Maximum' | 'Minimum';

interface NamespaceMetrics {
  /** Names of the dimensions that identify one resource, joined by `+`. Metrics with others repeat the same values. */
  readonly by: readonly string[];
  readonly metrics: Readonly<Record<string, Statistic>>;
}

export const defaultMetrics: Readonly<Record<string, NamespaceMetrics>> = {
  'AWS/RDS': {
    by: ['DBInstanceIdentifier'],
    metrics: {
      CPUUtilization: 'Average',
      DatabaseConnections: 'Maximum',
      FreeStorageSpace: 'Minimum',
      FreeableMemory: 'Minimum',
      ReadLatency: 'Average',
      WriteLatency: 'Average',
      DiskQueueDepth: 'Average',
      ReplicaLag: 'Maximum',
      BurstBalance: 'Minimum',
      Deadlocks: 'Maximum',
    },
  },
  'AWS/ApplicationELB': {
    by: ['LoadBalancer', 'LoadBalancer+TargetGroup'],
    metrics: {
      HTTPCode_Target_5XX_Count: 'Sum',
      HTTPCode_ELB_5XX_Count: 'Sum',
      TargetResponseTime: 'Average',
      RequestCount: 'Sum',
      UnHealthyHostCount: 'Maximum',
      RejectedConnectionCount: 'Sum',
    },
  },
  'AWS/ECS': {
    by: ['ClusterName+ServiceName'],
    metrics: { CPUUtilization: 'Average', MemoryUtilization: 'Maximum' },
  },
  'AWS/Lambda': {
    by: ['FunctionName'],
    metrics: {
      Errors: 'Sum',
      Throttles: 'Sum',
      Duration: 'Average',
      Invocations: 'Sum',
      ConcurrentExecutions: 'Maximum',
    },
  },
  'AWS/SQS': {
    by: ['QueueName'],
    metrics: { ApproximateAgeOfOldestMessage: 'Maximum', ApproximateNumberOfMessagesVisible: 'Maximum' },
  },
  'AWS/DynamoDB': {
    by: ['TableName', 'Operation+TableName'],
    metrics: {
      ThrottledRequests: 'Sum',
      SystemErrors: 'Sum',
      ReadThrottleEvents: 'Sum',
      WriteThrottleEvents: 'Sum',
    },
  },
  'AWS/ElastiCache': {
    by: ['CacheClusterId', 'CacheClusterId+CacheNodeId'],
    metrics: {
      EngineCPUUtilization: 'Average',
      DatabaseMemoryUsagePercentage: 'Maximum',
      Evictions: 'Sum',
      CurrConnections: 'Maximum',
    },
  },
  'AWS/ApiGateway': {
    by: ['ApiName', 'ApiId'],
    metrics: { '5XXError': 'Sum', Latency: 'Average', Count: 'Sum' },
  },
};

const dimensionKey = ({ Dimensions }: Metric): string =>
  (Dimensions ?? [])
    .map(({ Name }) => Name)
    .sort()
    .join('+');

export const isDefaultMetric = (one: Metric): boolean => {
  const namespaceMetrics = defaultMetrics[one.Namespace];
  return (
    namespaceMetrics !== undefined &&
    Object.hasOwn(namespaceMetrics.metrics, one.MetricName) &&
    namespaceMetrics.by.includes(dimensionKey(one))
  );
};

/** The statistic that is asked for: that of the default metrics; for other metrics it is guessed from the name. */
const statisticOf = ({ Namespace, MetricName }: Metric): Statistic =>
  defaultMetrics[Namespace]?.metrics[MetricName] ??
  (/count|errors?$|requests|invocations|throttles|bytes|packets/i.test(MetricName) ? 'Sum' : 'Average');

/** Whether the value of a dimension contains the text, ignoring case. */
export const hasDimensionValue = ({ Dimensions }: Metric, text: string): boolean =>
  (Dimensions ?? []).some(({ Value }) => Value.toLowerCase().includes(text.toLowerCase()));

/**
 * The time between two values, so that a metric has at most 300. CloudWatch keeps values of a minute for 15 days, and
 * values of five minutes for 63 days. Seconds.
 */
export function periodOf({
  from,
  to,
  now,
}: {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}): number {
  const days = (now - from) / 86_400_000;
  const minPeriod = days > 63 ? 3_600 : days > 15 ? 300 : 60;
  return Math.max(minPeriod, Math.ceil((to - from) / 1_000 / 300 / 60) * 60);
}

export const queryOf = (one: Metric, id: string, period: number) => ({
  Id: id,
  MetricStat: {
    Metric: { Namespace: one.Namespace, MetricName: one.MetricName, Dimensions: one.Dimensions ?? [] },
    Period: period,
    Stat: statisticOf(one),
  },
});

/** Times in seconds since the Unix epoch, and the value at each of them. */
export interface Values {
  readonly at: readonly number[];
  readonly values: readonly number[];
}

export interface SeriesRange {
  readonly from: number;
  readonly to: number;
  /** Seconds. */
  readonly period: number;
  readonly now: number;
}

/** CloudWatch may report a value this late, so a missing value that is younger is unknown. Milliseconds. */
const maxDelayMs = 3 * 60_000;

/** Dimensions that people use as the name of a service, in the order of preference. */
const nameDimensions = [
  'ServiceName',
  'FunctionName',
  'QueueName',
  'TableName',
  'DBInstanceIdentifier',
  'CacheClusterId',
  'TargetGroup',
  'LoadBalancer',
  'ApiName',
  'ApiId',
];

/** Converts values to a series. A missing count becomes zero; a missing measurement stays missing. */
export function seriesOf(
  one: Metric,
  { at, values }: Values,
  { from, to, period, now }: SeriesRange,
): Series {
  const points = at
    .map((seconds, k) => [seconds * 1_000, values[k] ?? 0] as const)
    .sort((a, b) => a[0] - b[0]);
  const valueByTime = new Map(points);
  const step = period * 1_000;
  const [first] = points[0] ?? [];
  const filledPoints: (readonly [number, number])[] = [];
  if (statisticOf(one) === 'Sum' && first !== undefined) {
    const firstStep = first - Math.floor((first - from) / step) * step;
    const end = Math.max(points.at(-1)![0] + step, Math.min(to, now - maxDelayMs));
    for (let time = firstStep; time + step <= end; time += step)
      filledPoints.push([time, valueByTime.get(time) ?? 0]);
  }
  const labels = Object.fromEntries(
    (one.Dimensions ?? []).map(({ Name, Value }) => [Name, plainValue(Name, Value)]),
  );
  const service = nameDimensions.map((name) => labels[name]).find((value) => value !== undefined);
  return {
    name: one.MetricName,
    labels: { ...(service !== undefined && { service }), ...labels },
    points: filledPoints.length > 0 ? filledPoints : points,
  };
}

/** The name that people use: `orders` for the load balancer `app/orders/50dc6c495c0c9188`. */
const plainValue = (name: string, value: string): string =>
  /^(LoadBalancer|TargetGroup)$/.test(name) ? (value.split('/').at(-2) ?? value) : value;
