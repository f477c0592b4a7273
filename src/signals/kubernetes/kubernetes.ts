/**
 * Kubernetes (EKS and any other), by its API: objects, events, logs of pods, and rollouts. Sends only `GET`, except for
 * the review of the account's own rights, which creates nothing. `kubeconfig.ts` reads how to reach a cluster.
 */
import { z } from 'zod';
import type { Clock, Signal, SignalFailure } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { chooseLines } from '../logs/line-choice.ts';
import { lineReader } from '../logs/read-line.ts';
import { type Pages, readPages } from '../pages.ts';
import { question, type SystemSource } from '../question.ts';
import { isoTime, time } from '../series-text.ts';
import { eventLine, eventReply } from './events.ts';
import { releaseRows } from './helm.ts';
import { kindNames, kinds, type ObjectKind, objectReply, objectRow } from './objects.ts';
import { inspectKubernetes, reviewPath } from './rights.ts';
import { rolloutsOf } from './rollouts.ts';

export interface KubernetesOptions {
  /** The address of the API server. */
  readonly base: string;
  /** A `fetch` that trusts the cluster's own certificate, if it has one. */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
  /**
   * The namespace of questions that name none. Default: all namespaces, which needs the right to list the whole
   * cluster.
   */
  readonly namespace?: string;
}

const nameSchema = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
const inNamespace = nameSchema.optional().describe('Only in this namespace.');
const itemsPerPage = 500;
const maxPages = 10;
/** Maximum bytes that are read of a pod's log. */
const maxLogBytes = 16 * 1024 * 1024;

/** Throws `bad_config` if the address is not a valid URL. */
export function openKubernetes({ base, fetch, clock, authorization, namespace }: KubernetesOptions): Signal {
  const http = openHttp({ system: 'kubernetes', base, fetch, authorization, postPaths: [reviewPath] });
  const place: SystemSource = { system: 'kubernetes', source: `kubernetes ${http.source}`, clock };

  const listItems = async <Item>(
    path: string,
    item: z.ZodType<Item>,
    signal: AbortSignal,
  ): Promise<Pages<Item> | SignalFailure> => {
    const shape = z.object({
      metadata: z.object({ continue: z.string().optional() }).default({}),
      items: z.array(item).nullable(),
    });
    return readPages<Item, string>(maxPages, async (cursor) => {
      const parameters = { limit: itemsPerPage, continue: cursor ?? undefined };
      const reply = await http.getJson(path, parameters, shape, signal);
      if (reply.kind === 'failure') return reply;
      const { items, metadata } = reply.value;
      return { kind: 'page', items: items ?? [], next: metadata.continue || null };
    });
  };
  const pathOf = (kind: ObjectKind | 'events', wantedNamespace: string | undefined): string => {
    const root = kind === 'events' ? '/api/v1' : kinds[kind];
    const usedNamespace = wantedNamespace ?? namespace;
    return kind === 'nodes' || usedNamespace === undefined
      ? `${root}/${kind}`
      : `${root}/namespaces/${usedNamespace}/${kind}`;
  };

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'objects, events, logs of pods, rollouts, and what Helm installed',
    questions: Object.freeze([
      question(place, {
        name: 'kubernetes_objects',
        topic: 'objects',
        description:
          'Objects of a kind as they are now: phase, restarts and why, replicas, images, conditions that are not good.',
        parameters: z.object({
          kind: z.enum(kindNames),
          namespace: inNamespace,
          contains: z.string().min(1).optional().describe('Only objects whose name holds this.'),
        }),
        cost: 'one request for 500 objects',
        reach: 'now',
        async read({ kind, namespace: wantedNamespace, contains }, { limits, signal }) {
          const reply = await listItems(pathOf(kind, wantedNamespace), objectReply, signal);
          if (reply.kind === 'failure') return reply;
          const rows = reply.items
            .filter(({ metadata }) => contains === undefined || metadata.name.includes(contains))
            .map((one) => objectRow(kind, one));
          return {
            kind: 'reading',
            query: `GET ${pathOf(kind, wantedNamespace)}${contains === undefined ? '' : ` with ${contains}`}`,
            rows: { kind: 'table', rows: rows.slice(0, limits.rows) },
            total: reply.isComplete ? rows.length : null,
            notes: ['This is the state of now, not of the incident window.', ...reply.notes],
          };
        },
      }),
      question(place, {
        name: 'kubernetes_events',
        topic: 'objects',
        description:
          'Events of the incident: probes that fail, pods that are killed or cannot start, nodes in trouble.',
        parameters: z.object({
          namespace: inNamespace,
          contains: z.string().min(1).optional().describe('Only of objects whose name holds this.'),
        }),
        cost: 'one request for 500 events; a cluster keeps them for an hour',
        reach: 'baseline',
        async read({ namespace: wantedNamespace, contains }, { signal }) {
          const reply = await listItems(pathOf('events', wantedNamespace), eventReply, signal);
          if (reply.kind === 'failure') return reply;
          const lines = reply.items
            .map(eventLine)
            .filter(({ service }) => contains === undefined || service?.includes(contains))
            .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
          return {
            kind: 'reading',
            query: `GET ${pathOf('events', wantedNamespace)}${contains === undefined ? '' : ` of ${contains}`}`,
            rows: { kind: 'lines', lines },
            ...(!reply.isComplete && { total: null }),
            notes: reply.notes,
          };
        },
      }),
      question(place, {
        name: 'kubernetes_logs',
        topic: 'logs',
        description:
          'Log lines of one pod in the window; of the container before its restart with `previous`.',
        parameters: z.object({
          namespace: nameSchema,
          pod: nameSchema,
          container: nameSchema.optional(),
          previous: z.boolean().optional(),
          bad: z.boolean().optional().describe('Only warnings and errors.'),
        }),
        cost: 'one request',
        reach: 'baseline',
        async read(
          { namespace: wantedNamespace, pod, container, previous, bad },
          { window, limits, signal },
        ) {
          const path = `/api/v1/namespaces/${wantedNamespace}/pods/${pod}/log`;
          const parameters = {
            container,
            previous: previous === true ? 'true' : undefined,
            timestamps: 'true',
            sinceTime: isoTime(window.baseline_from),
            limitBytes: maxLogBytes,
          };
          const reply = await http.get(path, parameters, signal);
          if (reply.kind === 'failure') return reply;
          const choice = chooseLines({ ...window, from: window.baseline_from }, { bad }, limits.rows);
          const reader = lineReader(
            (record) => choice.add({ ...record, service: record.service ?? pod }),
            clock.now(),
          );
          for (const line of reply.text.split('\n')) reader.push(line);
          reader.end();
          // The log is read from its beginning, so the limit cuts off its end.
          const isCut = Buffer.byteLength(reply.text) >= maxLogBytes;
          return {
            kind: 'reading',
            query: `GET ${path}${previous === true ? ' previous' : ''} since ${time(window.baseline_from)}`,
            rows: { kind: 'lines', lines: choice.lines() },
            total: isCut ? null : choice.total,
            notes: isCut
              ? [
                  `Only the first ${maxLogBytes / 1024 / 1024} MB after ${time(window.baseline_from)} were read.`,
                ]
              : [],
          };
        },
      }),
      question(place, {
        name: 'kubernetes_rollouts',
        topic: 'changes',
        description:
          'What was rolled out in the window: revisions of deployments with the images, settings and charts of Helm they changed.',
        parameters: z.object({ namespace: inNamespace, deployment: nameSchema.optional() }),
        cost: 'one request for 500 replica sets',
        reach: 'baseline',
        async read({ namespace: wantedNamespace, deployment }, { signal }) {
          const reply = await listItems(pathOf('replicasets', wantedNamespace), objectReply, signal);
          if (reply.kind === 'failure') return reply;
          return {
            kind: 'reading',
            query: `GET ${pathOf('replicasets', wantedNamespace)}${deployment === undefined ? '' : ` of ${deployment}`}`,
            rows: { kind: 'changes', changes: rolloutsOf(reply.items, deployment) },
            ...(!reply.isComplete && { total: null }),
            notes: reply.notes,
          };
        },
      }),
      question(place, {
        name: 'kubernetes_releases',
        topic: 'objects',
        description:
          'What Helm installed, as it is now: release, chart, version and revision of each deployment.',
        parameters: z.object({ namespace: inNamespace }),
        cost: 'one request for 500 deployments',
        reach: 'now',
        async read({ namespace: wantedNamespace }, { limits, signal }) {
          const reply = await listItems(pathOf('deployments', wantedNamespace), objectReply, signal);
          if (reply.kind === 'failure') return reply;
          const rows = releaseRows(reply.items);
          return {
            kind: 'reading',
            query: `GET ${pathOf('deployments', wantedNamespace)}, those of Helm`,
            rows: { kind: 'table', rows: rows.slice(0, limits.rows) },
            total: reply.isComplete ? rows.length : null,
            notes: [
              'This is the state of now. Releases themselves are secrets, and are not read.',
              ...reply.notes,
            ],
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (checkSignal) => {
          const reply = await http.getJson('/version', {}, z.object({ gitVersion: z.string() }), checkSignal);
          if (reply.kind === 'failure') return reply;
          // Anyone may see the version; pods show whether the token is accepted.
          const podList = await http.getJson(
            pathOf('pods', undefined),
            { limit: 1 },
            z.object({}),
            checkSignal,
          );
          return podList.kind === 'failure' ? podList : { kind: 'healthy', version: reply.value.gitVersion };
        },
        signal,
        mask,
      ),
    inspect: (signal) => inspectKubernetes(http, namespace ?? 'default', signal),
    close: async () => {},
  } satisfies Signal);
}
