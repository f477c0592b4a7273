/** Schemas of the replies of Datadog, with the fields that are used. */
import { z } from 'zod';

export const metricsReply = z.object({
  /** `ok` or `error`; an error also has the HTTP status 200. */
  status: z.string(),
  error: z.string().nullish(),
  series: z
    .array(
      z.object({
        metric: z.string(),
        scope: z.string().default(''),
        tag_set: z.array(z.string()).default([]),
        pointlist: z.array(z.tuple([z.number(), z.number().nullable()])),
      }),
    )
    .default([]),
});
export type MetricsReply = z.infer<typeof metricsReply>;

/** `page.after` is absent on the last page. The status `timeout` means that only what was found in time is returned. */
const pageMeta = z
  .object({
    page: z.object({ after: z.string().nullish() }).nullish(),
    status: z.string().nullish(),
    warnings: z.array(z.object({ title: z.string().nullish(), detail: z.string().nullish() })).nullish(),
  })
  .nullish();

export const logsReply = z.object({
  data: z.array(
    z.object({
      attributes: z.object({
        timestamp: z.union([z.string(), z.number()]),
        service: z.string().nullish(),
        status: z.string().nullish(),
        message: z.string().default(''),
        host: z.string().nullish(),
      }),
    }),
  ),
  meta: pageMeta,
});

export const eventsReply = z.object({
  data: z.array(
    z.object({
      attributes: z.object({
        timestamp: z.string(),
        message: z.string().nullish(),
        tags: z.array(z.string()).nullish(),
        attributes: z
          .object({
            title: z.string().nullish(),
            service: z.string().nullish(),
            status: z.string().nullish(),
          })
          .nullish(),
      }),
    }),
  ),
  meta: pageMeta,
});
export type EventReply = z.infer<typeof eventsReply>['data'][number];

export const monitorsReply = z.array(
  z.object({
    id: z.number(),
    name: z.string().default(''),
    query: z.string(),
    type: z.string(),
    overall_state: z.string().nullish(),
    overall_state_modified: z.string().nullish(),
    message: z.string().default(''),
    tags: z.array(z.string()).default([]),
  }),
);
export type MonitorReply = z.infer<typeof monitorsReply>[number];

/** Notes on why a reply may be incomplete; empty if nothing is known to be missing. */
export function incompleteNotes(meta: z.infer<typeof pageMeta>): readonly string[] {
  return [
    ...(meta?.status === 'timeout' ? ['Datadog ran out of time, and gave what it had found.'] : []),
    ...(meta?.warnings ?? []).map(({ title, detail }) => `Datadog: ${title ?? ''} ${detail ?? ''}`.trim()),
  ];
}
