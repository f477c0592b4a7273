/** Events of RDS: what happened to its instances, and which of their settings were changed. */
import { z } from 'zod';
import type { Change, LogLine } from '../../core/index.ts';

const event = z.object({
  SourceIdentifier: z.string().optional(),
  SourceType: z.string().optional(),
  Message: z.string().default(''),
  Date: z.string(),
  EventCategories: z
    .union([z.object({ EventCategory: z.array(z.string()).optional() }), z.string()])
    .optional(),
});
export type RdsEvent = z.infer<typeof event>;

/** The XML parser turns an empty element into an empty text, so a list may also be a text. */
export const eventsReply = z.object({
  DescribeEventsResponse: z.object({
    DescribeEventsResult: z.object({
      Events: z.union([z.object({ Event: z.array(event).optional() }), z.string()]).optional(),
      Marker: z.string().optional(),
    }),
  }),
});

export function eventsIn(reply: z.infer<typeof eventsReply>): readonly RdsEvent[] {
  const { Events: eventList } = reply.DescribeEventsResponse.DescribeEventsResult;
  return typeof eventList === 'object' ? (eventList.Event ?? []) : [];
}

const categoriesOf = ({ EventCategories: categories }: RdsEvent): readonly string[] =>
  typeof categories === 'object' ? (categories.EventCategory ?? []) : [];

const badCategories = /^(failure|failover|low storage|availability|read replica|recovery|notification)$/;

/** Converts an event to a log line with the name of the instance and the message. */
export function eventLine(one: RdsEvent): LogLine {
  const categories = categoriesOf(one);
  const at = Date.parse(one.Date);
  return {
    at: Number.isNaN(at) ? null : at,
    service: one.SourceIdentifier ?? null,
    level: categories.some((name) => badCategories.test(name)) ? 'WARN' : null,
    text: `RDS event${categories.length === 0 ? '' : ` (${categories.join(', ')})`}: ${one.Message}`,
  };
}

const parameterPattern = /parameter ([\w.]+) to (\S+?)(?= with apply method|[.,]?$)/i;
const attributePattern =
  /(?:modification (?:to|of)|changed? (?:the )?)\s*(?:the )?([\w -]+?)(?: from (\S+))? to (\S+?)[.,]?$/i;

/** A change of settings or version that an event reports; null for other events. */
export function changeOf(one: RdsEvent): Change | null {
  if (!categoriesOf(one).some((name) => /^(configuration change|maintenance|security patching)$/.test(name)))
    return null;
  const at = Date.parse(one.Date);
  if (Number.isNaN(at)) return null;
  const [, name, value] = parameterPattern.exec(one.Message) ?? [];
  const [, attributeName, formerValue, newValue] = attributePattern.exec(one.Message) ?? [];
  const diff =
    name !== undefined
      ? // The events do not contain the former value.
        `${name}: ${value}`
      : attributeName !== undefined && newValue !== undefined
        ? [
            ...(formerValue === undefined ? [] : [`-${attributeName.trim()}: ${formerValue}`]),
            `+${attributeName.trim()}: ${newValue}`,
          ].join('\n')
        : null;
  const source = one.SourceIdentifier ?? 'rds';
  return {
    kind: 'config',
    id: `${source}/${name ?? attributeName?.trim().replaceAll(' ', '-') ?? 'rds'}`,
    at,
    service: one.SourceIdentifier ?? null,
    author: null,
    title: one.Message,
    commits: [],
    paths: [],
    diff: diff ?? one.Message,
  };
}
