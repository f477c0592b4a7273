/** Metrics of AWS's own services that say most of a trouble, and their values as series. */
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

interface Chosen {
  /** The dimensions that identify one thing: finer and coarser metrics repeat the same. */
  readonly by: readonly string[];
  readonly metrics: Readonly<Record<string, Statistic>>;
}

export const defaultMetrics: Readonly<Record<string, Chosen>> = {
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

const keyOf = ({ Dimensions }: Metric): string =>
  (Dimensions ?? [])
    .map(({ Name }) => Name)
    .sort()
    .join('+');

export const isDefaultMetric = (one: Metric): boolean => {
  const known = defaultMetrics[one.Namespace];
  return known !== undefined && Object.hasOwn(known.metrics, one.MetricName) && known.by.includes(keyOf(one));
};

/** The kind of another metric, guessed from its name. */
const statisticOf = ({ Namespace, MetricName }: Metric): Statistic =>
  defaultMetrics[Namespace]?.metrics[MetricName] ??
  (/count|errors?$|requests|invocations|throttles|bytes|packets/i.test(MetricName) ? 'Sum' : 'Average');

export const holds = ({ Dimensions }: Metric, text: string): boolean =>
  (Dimensions ?? []).some(({ Value }) => Value.toLowerCase().includes(text.toLowerCase()));

/** At most so many values of each; CloudWatch keeps minutes for 15 days, five minutes for 63. Seconds. */
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
  const min = days > 63 ? 3_600 : days > 15 ? 300 : 60;
  return Math.max(min, Math.ceil((to - from) / 1_000 / 300 / 60) * 60);
}

export const queryOf = (one: Metric, id: string, period: number) => ({
  Id: id,
  MetricStat: {
    Metric: { Namespace: one.Namespace, MetricName: one.MetricName, Dimensions: one.Dimensions ?? [] },
    Period: period,
    Stat: statisticOf(one),
  },
});

export interface Values {
  readonly at: readonly number[];
  readonly values: readonly number[];
}

export interface Steps {
  readonly from: number;
  readonly to: number;
  /** Seconds. */
  readonly period: number;
  readonly now: number;
}

/** Values may arrive this late: that one is missing until then means nothing. Milliseconds. */
const lateMs = 3 * 60_000;

/** The dimensions of a metric that people use as the name of a thing. */
const naming = [
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

/** A missing count is zero; a missing measurement is unknown. */
export function seriesOf(one: Metric, { at, values }: Values, { from, to, period, now }: Steps): Series {
  const points = at
    .map((seconds, k) => [seconds * 1_000, values[k] ?? 0] as const)
    .sort((a, b) => a[0] - b[0]);
  const known = new Map(points);
  const step = period * 1_000;
  const [first] = points[0] ?? [];
  const filled: (readonly [number, number])[] = [];
  if (statisticOf(one) === 'Sum' && first !== undefined) {
    const begin = first - Math.floor((first - from) / step) * step;
    const end = Math.max(points.at(-1)![0] + step, Math.min(to, now - lateMs));
    for (let time = begin; time + step <= end; time += step) filled.push([time, known.get(time) ?? 0]);
  }
  const labels = Object.fromEntries(
    (one.Dimensions ?? []).map(({ Name, Value }) => [Name, plainValue(Name, Value)]),
  );
  const service = naming.map((name) => labels[name]).find((value) => value !== undefined);
  return {
    name: one.MetricName,
    labels: { ...(service !== undefined && { service }), ...labels },
    points: filled.length > 0 ? filled : points,
  };
}

/** `app/orders/50dc6c495c0c9188`, `targetgroup/orders/73e2d6bc24d8a067`: people call it orders. */
const plainValue = (name: string, value: string): string =>
  /^(LoadBalancer|TargetGroup)$/.test(name) ? (value.split('/').at(-2) ?? value) : value;
