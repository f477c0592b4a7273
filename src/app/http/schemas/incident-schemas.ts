/** Schemas of incidents over HTTP. */
import { z } from 'zod';

const time = z.number().describe('milliseconds since the Unix epoch');

export const incident = z
  .object({
    id: z.string(),
    question: z.string(),
    created: time,
    updated: time,
    verdict: z.string().nullable().describe('null: it has not ended'),
    incident: z.record(z.string(), z.unknown()).nullable().describe('all that its report is made of'),
  })
  .meta({ id: 'Incident' });

const moved = z.object({
  onset: time,
  direction: z.enum(['up', 'down']),
  shape: z.enum(['step', 'ramp', 'spike']),
  before: z.number().describe('the median before'),
  after: z.number().describe('the median of the last part after'),
  factor: z.number(),
  ended: time.nullable().describe('when it was calm again'),
});

const series = z
  .object({
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    service: z.string().nullable(),
    kind: z.enum(['demand', 'work', 'errors', 'latency', 'saturation']),
    unit: z
      .enum(['seconds', 'milliseconds', 'microseconds', 'bytes', 'percent', 'ratio', 'per second', 'count'])
      .nullable()
      .describe('by the usual forms of metric names; null: the name does not say'),
    evidence: z.string(),
    points: z
      .array(z.tuple([time, z.number()]))
      .describe('by time; of more than `points`, the lowest and the highest of each stretch'),
    count: z.number().int().describe('points that were recorded'),
    moved: moved.nullable().describe('null: it kept its course, or `too_short` is a number'),
    too_short: z
      .number()
      .nullable()
      .describe('milliseconds that were measured before it jumped, too few to tell what is usual'),
  })
  .meta({ id: 'IncidentSeriesLine' });

const change = z
  .object({
    kind: z.enum(['commit', 'deploy', 'flag', 'rollout', 'config']),
    id: z.string(),
    at: time,
    service: z.string().nullable(),
    author: z.string().nullable(),
    title: z.string(),
    commits: z.array(z.string()),
    evidence: z.string(),
    score: z.number().nullable().describe('of the suspect that it is; null: it is none'),
    blamed: z.boolean().describe('the verdict blames it, or what it brought'),
  })
  .meta({ id: 'IncidentChange' });

export const incidentSeries = z
  .object({
    id: z.string(),
    kept: z.boolean().describe('false: it was pruned, and only its report is left'),
    axis: z
      .object({ from: time, to: time })
      .nullable()
      .describe('the axis of time; null: no system has answered'),
    window: z
      .object({ from: time, to: time, baseline_from: time, derivation: z.string() })
      .nullable()
      .describe('the stretch that was looked at, and the calm before it'),
    alert: time.nullable().describe('when it began to fire; null: it does not say'),
    onset: z
      .object({ at: time, from: z.enum(['series', 'alert']) })
      .nullable()
      .describe('when the trouble began, and what shows it'),
    first_failure: z
      .object({
        service: z.string(),
        at: time.nullable().describe('null: no series shows when'),
        evidence: z.string().nullable(),
      })
      .nullable(),
    series: z
      .array(series)
      .describe(
        'those of the first failure first, then in the order in which they moved, then the calm ones',
      ),
    changes: z.array(change).describe('by time'),
    left_out: z.object({ series: z.number().int(), changes: z.number().int() }),
  })
  .meta({ id: 'IncidentSeries' });
