/**
 * RabbitMQ, through the HTTP API of its management plugin. Only `GET` requests are sent, and no message is taken from a
 * queue. Times are in milliseconds. The server keeps queue lengths for an hour in steps of a minute; for a longer time
 * range it returns zeros, which would look like a queue that began to grow.
 */
import { z } from 'zod';
import type { Clock, Rights, Series, Signal, SignalFailure } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { type Pages, readPages } from '../pages.ts';
import { question } from '../question.ts';
import { time } from '../series-text.ts';

export interface RabbitmqOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
  /** The only virtual host that is read. Default: all that the user may see. */
  readonly vhost?: string;
}

/** The length of a queue (`sample`) at one time. */
const sampleSchema = z.object({ sample: z.number(), timestamp: z.number() });
const samplesSchema = z.object({ samples: z.array(sampleSchema).default([]) });
const rateSchema = z.object({ rate: z.number().optional() }).optional();

const queueReply = z.object({
  name: z.string(),
  vhost: z.string(),
  node: z.string().optional(),
  type: z.string().optional(),
  state: z.string().optional(),
  consumers: z.number().optional(),
  messages: z.number().optional(),
  messages_ready: z.number().optional(),
  messages_unacknowledged: z.number().optional(),
  memory: z.number().optional(),
  policy: z.string().nullish(),
  message_stats: z
    .object({ publish_details: rateSchema, deliver_get_details: rateSchema, ack_details: rateSchema })
    .optional(),
  messages_details: samplesSchema.optional(),
});
type Queue = z.infer<typeof queueReply>;

const nodeReply = z.object({
  name: z.string(),
  running: z.boolean().optional(),
  mem_used: z.number().optional(),
  mem_limit: z.number().optional(),
  mem_alarm: z.boolean().optional(),
  disk_free: z.number().optional(),
  disk_free_limit: z.number().optional(),
  disk_free_alarm: z.boolean().optional(),
  fd_used: z.number().optional(),
  fd_total: z.number().optional(),
  proc_used: z.number().optional(),
  proc_total: z.number().optional(),
  uptime: z.number().optional(),
  partitions: z.array(z.string()).default([]),
});

const connectionReply = z.object({
  name: z.string(),
  user: z.string().optional(),
  vhost: z.string().optional(),
  state: z.string().optional(),
  channels: z.number().optional(),
  connected_at: z.number().optional(),
  peer_host: z.string().optional(),
  client_properties: z
    .object({ connection_name: z.string().optional(), product: z.string().optional() })
    .default({}),
});

const itemsPerPage = 200;
const maxPages = 10;
/** Seconds between two samples of the length of a queue. */
const stepSeconds = 60;
/** How long the server keeps queue lengths by default, in seconds. */
const retentionSeconds = 3_600;
/** Maximum number of queues whose lengths are shown, the longest first. */
const maxSeries = 20;

const shortText = z.string().min(1).max(200);
const stateOfNowNote = 'This is the state of now, not of the incident window.';

/** Throws `bad_config` if the address is not a valid URL. */
export function openRabbitmq({ base, fetch, clock, authorization, vhost }: RabbitmqOptions): Signal {
  const http = openHttp({ system: 'rabbitmq', base, fetch, authorization });
  const place = { system: 'rabbitmq', source: `rabbitmq ${http.source}`, clock };
  const withVhost = (path: string): string =>
    vhost === undefined ? path : `${path}/${encodeURIComponent(vhost)}`;

  const readItems = <Item>(
    path: string,
    item: z.ZodType<Item>,
    extraParameters: Readonly<Record<string, string | number | undefined>>,
    signal: AbortSignal,
  ): Promise<Pages<Item> | SignalFailure> => {
    const pageReply = z.object({ items: z.array(item), page: z.number(), page_count: z.number() });
    return readPages<Item, number>(maxPages, async (cursor) => {
      const page = cursor ?? 1;
      const reply = await http.getJson(
        path,
        { page, page_size: itemsPerPage, ...extraParameters },
        pageReply,
        signal,
      );
      if (reply.kind === 'failure') return reply;
      const { items, page_count } = reply.value;
      return { kind: 'page', items, next: page < page_count ? page + 1 : null };
    });
  };
  const containsParameter = shortText.optional().describe('Only queues whose name holds this.');
  const readQueues = (
    name: string | undefined,
    extraParameters: Readonly<Record<string, number>>,
    signal: AbortSignal,
  ): Promise<Pages<Queue> | SignalFailure> =>
    readItems(
      withVhost('/api/queues'),
      queueReply,
      {
        ...(name !== undefined && { name, use_regex: 'false' }),
        sort: 'messages',
        sort_reverse: 'true',
        ...extraParameters,
      },
      signal,
    );

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'queues and how they grew, nodes and their alarms, and connections',
    questions: Object.freeze([
      question(place, {
        name: 'rabbitmq_queues',
        topic: 'objects',
        description:
          'Queues as they are now, the longest first: messages that are ready and unacknowledged, consumers, rates, state.',
        parameters: z.object({ contains: containsParameter }),
        cost: 'one request for 200 queues',
        reach: 'now',
        async read({ contains: nameFilter }, { limits, signal }) {
          const pages = await readQueues(nameFilter, {}, signal);
          if (pages.kind === 'failure') return pages;
          return {
            kind: 'reading',
            query: `GET ${withVhost('/api/queues')}${nameFilter === undefined ? '' : ` with ${nameFilter}`}`,
            rows: { kind: 'table', rows: pages.items.slice(0, limits.rows).map(queueRow) },
            total: pages.isComplete ? pages.items.length : null,
            notes: [stateOfNowNote, ...pages.notes],
          };
        },
      }),
      question(place, {
        name: 'rabbitmq_queue_lengths',
        topic: 'metrics',
        description:
          'How the longest queues grew and shrank, in the incident and the calm before it as far back as the server keeps it.',
        parameters: z.object({ contains: containsParameter }),
        cost: 'one request for 200 queues, with samples',
        reach: 'baseline',
        async read({ contains: nameFilter }, { window, signal }) {
          const ageSeconds = Math.ceil((clock.now() - window.baseline_from) / 1_000);
          const lengths_age = Math.min(retentionSeconds, Math.max(stepSeconds, ageSeconds));
          const sampling = { lengths_age, lengths_incr: stepSeconds };
          const pages = await readQueues(nameFilter, sampling, signal);
          if (pages.kind === 'failure') return pages;
          return {
            kind: 'reading',
            query: `lengths of queues${nameFilter === undefined ? '' : ` with ${nameFilter}`} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'series', series: pages.items.slice(0, maxSeries).map(seriesOf) },
            ...((!pages.isComplete || pages.items.length > maxSeries) && { total: null }),
            notes: [
              'Lengths are those of the last hour: the server keeps no others.',
              ...(clock.now() - window.from > retentionSeconds * 1_000
                ? ['The window began before that.']
                : []),
              ...pages.notes,
            ],
          };
        },
      }),
      question(place, {
        name: 'rabbitmq_nodes',
        topic: 'objects',
        description:
          'Nodes as they are now: whether each runs, its memory, disk and file handles against their limits, alarms (publishers are blocked then), partitions.',
        parameters: z.object({}),
        cost: 'one request',
        reach: 'now',
        async read(_, { signal }) {
          const reply = await http.getJson('/api/nodes', {}, z.array(nodeReply), signal);
          if (reply.kind === 'failure') return reply;
          return {
            kind: 'reading',
            query: 'GET /api/nodes',
            rows: {
              kind: 'table',
              rows: reply.value.map(({ partitions, ...node }) => ({
                ...node,
                partitions: partitions.join(' '),
              })),
            },
            notes: [stateOfNowNote],
          };
        },
      }),
      question(place, {
        name: 'rabbitmq_connections',
        topic: 'objects',
        description: 'Connections as they are now: who, from where, since when, and whether it is blocked.',
        parameters: z.object({}),
        cost: 'one request for 200 connections',
        reach: 'now',
        async read(_, { limits, signal }) {
          const path =
            vhost === undefined ? '/api/connections' : `/api/vhosts/${encodeURIComponent(vhost)}/connections`;
          const pages = await readItems(path, connectionReply, {}, signal);
          if (pages.kind === 'failure') return pages;
          return {
            kind: 'reading',
            query: `GET ${path}`,
            rows: { kind: 'table', rows: pages.items.slice(0, limits.rows).map(connectionRow) },
            total: pages.isComplete ? pages.items.length : null,
            notes: [stateOfNowNote, ...pages.notes],
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const overviewReply = z.object({ rabbitmq_version: z.string() });
          const reply = await http.getJson('/api/overview', {}, overviewReply, healthSignal);
          return reply.kind === 'failure'
            ? reply
            : { kind: 'healthy', version: reply.value.rabbitmq_version };
        },
        signal,
        mask,
      ),
    async inspect(signal) {
      const reply = await http.getJson('/api/whoami', {}, z.object({ tags: tagList }), signal);
      return { rights: reply.kind === 'failure' ? 'unknown' : rightsOf(reply.value.tags), clockMs: null };
    },
    close: async () => {},
  } satisfies Signal);
}

/** A list; before RabbitMQ 3.9 one text with commas. */
const tagList = z.union([z.string().transform((text) => text.split(',')), z.array(z.string())]);

/** `monitoring` sees nodes and all connections; `administrator` may change everything. */
function rightsOf(tags: readonly string[]): Rights {
  const canMonitor = tags.includes('monitoring') || tags.includes('administrator');
  return {
    missing: canMonitor ? [] : ['the tag monitoring'],
    excess: tags
      .filter((tag) => tag === 'administrator' || tag === 'policymaker')
      .map((tag) => `the tag ${tag}`),
  };
}

function queueRow({
  message_stats: stats,
  messages_details: _,
  ...queue
}: Queue): Readonly<Record<string, unknown>> {
  return {
    ...queue,
    publish_per_s: stats?.publish_details?.rate,
    deliver_per_s: stats?.deliver_get_details?.rate,
    ack_per_s: stats?.ack_details?.rate,
  };
}

function seriesOf({ name, vhost, messages_details }: Queue): Series {
  const points = (messages_details?.samples ?? [])
    .map(({ timestamp, sample: value }) => [timestamp, value] as const)
    .toSorted(([firstAt], [secondAt]) => firstAt - secondAt);
  return { name: 'rabbitmq_queue_messages', labels: { queue: name, vhost }, points };
}

const connectionRow = ({
  client_properties: { connection_name, product },
  connected_at,
  ...connection
}: z.infer<typeof connectionReply>): Readonly<Record<string, unknown>> => ({
  ...connection,
  client: connection_name ?? product,
  ...(connected_at !== undefined && { connected: new Date(connected_at).toISOString() }),
});
