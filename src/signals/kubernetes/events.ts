/**
 * Kubernetes events as lines. A repeated event has the times of its first and last occurrence, in one of several
 * fields.
 */
import { z } from 'zod';
import type { LogLine } from '../../core/index.ts';

export const eventReply = z.object({
  involvedObject: z.object({ kind: z.string().default(''), name: z.string().default('') }),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  type: z.string().nullish(),
  count: z.number().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  firstTimestamp: z.string().nullish(),
  series: z.object({ lastObservedTime: z.string().nullish(), count: z.number().nullish() }).nullish(),
  metadata: z.object({ namespace: z.string().optional(), creationTimestamp: z.string().nullish() }),
});

export function eventLine(event: z.infer<typeof eventReply>): LogLine {
  const { involvedObject, reason, message, type, series, metadata } = event;
  const times = [
    series?.lastObservedTime,
    event.lastTimestamp,
    event.eventTime,
    event.firstTimestamp,
    metadata.creationTimestamp,
  ];
  const at = Date.parse(times.find((one) => one != null) ?? '');
  const count = series?.count ?? event.count ?? 1;
  return {
    at: Number.isNaN(at) ? null : at,
    service: involvedObject.name,
    level: type === 'Warning' ? 'WARN' : 'INFO',
    text: `${metadata.namespace ?? ''} ${involvedObject.kind} ${reason ?? ''}: ${message ?? ''}${count > 1 ? ` (${count} times)` : ''}`.trim(),
  };
}
