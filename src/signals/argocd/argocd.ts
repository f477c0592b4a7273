/**
 * Argo CD, by its own API: applications, the health of their objects, and what was synced when. Sends only `GET`, and
 * never refreshes an application, which would be work for the cluster. A sync names a commit of the manifests, which
 * may be in another repository than the code. Commits of the code are found by image tags and in the commit's message.
 */
import { z } from 'zod';
import type { Clock, Signal, SignalFailure } from '../../core/index.ts';
import { checkHealth } from '../health.ts';
import { type Authorization, openHttp } from '../http.ts';
import { question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { type Application, application, isWorkload, sourcesOf, sourceText } from './application.ts';
import { inspectArgocd } from './rights.ts';
import { changesOf, type Revision, syncsOf } from './syncs.ts';

export interface ArgocdOptions {
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
  /** The only project that is read. Default: all projects that the account may see. */
  readonly project?: string;
}

const listReply = z.object({ items: z.array(application).nullable() });
const revisionReply = z.object({ author: z.string().nullish(), message: z.string().nullish() });
const nodesReply = z.object({
  nodes: z
    .array(
      z.object({
        kind: z.string(),
        name: z.string(),
        namespace: z.string().nullish(),
        images: z.array(z.string()).nullish(),
        health: z.object({ status: z.string().nullish(), message: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
});

/** Maximum commits of manifests whose author and message are asked for. */
const maxRevisions = 12;
/** Maximum applications whose objects are read. */
const maxTrees = 5;

const nameSchema = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
const applicationArgument = nameSchema
  .optional()
  .describe('Only this application, or the one that runs a workload of this name.');

/** Throws `bad_config` if the address is not a valid URL. */
export function openArgocd({ base, fetch, clock, authorization, project }: ArgocdOptions): Signal {
  const http = openHttp({ system: 'argocd', base, fetch, authorization });
  const place: SystemSource = { system: 'argocd', source: `argocd ${http.source}`, clock };

  const listApplications = async (
    wanted: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'list'; readonly items: readonly Application[] } | SignalFailure> => {
    const reply = await http.getJson('/api/v1/applications', { projects: project }, listReply, signal);
    if (reply.kind === 'failure') return reply;
    const items = reply.value.items ?? [];
    return {
      kind: 'list',
      items: wanted === undefined ? items : items.filter((one) => isWanted(one, wanted)),
    };
  };
  const queryText = (wanted: string | undefined): string =>
    `GET /api/v1/applications${project === undefined ? '' : ` of project ${project}`}${wanted === undefined ? '' : ` with ${wanted}`}`;

  /** Reads the author and message of a commit. Null if Argo CD does not know them, as for a commit that is gone. */
  const revisionOf = async (
    { metadata: { name, namespace } }: Application,
    commit: string,
    sourceIndex: number,
    signal: AbortSignal,
  ): Promise<Revision | null> => {
    const path = `/api/v1/applications/${encodeURIComponent(name)}/revisions/${commit}/metadata`;
    const reply = await http.getJson(
      path,
      { appNamespace: namespace ?? undefined, ...(sourceIndex > 0 && { sourceIndex }) },
      revisionReply,
      signal,
    );
    if (reply.kind === 'failure') return null;
    return { author: reply.value.author ?? null, message: reply.value.message ?? '' };
  };

  /** The objects of an application that are unhealthy. */
  const unhealthyRows = async (
    { metadata: { name, namespace } }: Application,
    signal: AbortSignal,
  ): Promise<readonly Row[]> => {
    const path = `/api/v1/applications/${encodeURIComponent(name)}/resource-tree`;
    const reply = await http.getJson(path, { appNamespace: namespace ?? undefined }, nodesReply, signal);
    if (reply.kind === 'failure') return [];
    return (reply.value.nodes ?? [])
      .filter(({ health }) => /^(Degraded|Missing|Progressing|Suspended)$/.test(health?.status ?? ''))
      .map((node) => ({
        kind: node.kind,
        ...(node.namespace != null && { namespace: node.namespace }),
        name: node.name,
        application: name,
        health: node.health?.status,
        ...(node.health?.message != null && { message: node.health.message }),
        ...((node.images ?? []).length > 0 && { images: node.images!.join(' ') }),
      }));
  };

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'applications, the health of their objects, and what was synced',
    questions: Object.freeze([
      question(place, {
        name: 'argocd_applications',
        topic: 'objects',
        description:
          'Applications as they are now: whether each is as the repository says, its health, its last operation, and which of its objects are not well.',
        parameters: z.object({ application: applicationArgument }),
        cost: 'one request, and one for each application that is not well, at most five',
        reach: 'now',
        async read({ application: wanted }, { limits, signal }) {
          const reply = await listApplications(wanted, signal);
          if (reply.kind === 'failure') return reply;
          const unhealthy = reply.items.filter(({ status }) => status.health?.status !== 'Healthy');
          const trees = await Promise.all(
            unhealthy.slice(0, maxTrees).map((one) => unhealthyRows(one, signal)),
          );
          const workloads = reply.items.flatMap(workloadRows);
          const treeKeys = new Set(trees.flat().map((row) => `${row['kind']}/${row['name']}`));
          const rows = [
            ...reply.items.toSorted(byHealth).map(applicationRow),
            ...trees.flat(),
            ...workloads.filter((row) => !treeKeys.has(`${row['kind']}/${row['name']}`)),
          ];
          return {
            kind: 'reading',
            query: queryText(wanted),
            rows: { kind: 'table', rows: rows.slice(0, limits.rows) },
            total: rows.length,
            notes: [
              'This is the state of now, not of the incident window.',
              ...(unhealthy.length > maxTrees
                ? [
                    `Of ${unhealthy.length} applications that are not well, the objects of ${maxTrees} were read.`,
                  ]
                : []),
            ],
          };
        },
      }),
      question(place, {
        name: 'argocd_syncs',
        topic: 'changes',
        description:
          'What Argo CD synced before and in the incident: to which commit of which repository, by whom, and which of its settings changed.',
        parameters: z.object({ application: applicationArgument }),
        cost: 'one request, and one for each commit, at most twelve',
        reach: 'baseline',
        async read({ application: wanted }, { window, signal }) {
          const reply = await listApplications(wanted, signal);
          if (reply.kind === 'failure') return reply;
          const syncs = syncsOf(reply.items).filter(({ at }) => at >= window.baseline_from && at < window.to);
          const changes = await Promise.all(
            syncs.map(async (sync, k) => {
              const commit = k < maxRevisions ? sync.revisions[0] : undefined;
              const index = sourcesOf(sync.entry).findIndex(({ chart }) => chart == null);
              const revision =
                commit === undefined ? null : await revisionOf(sync.application, commit, index, signal);
              return changesOf(sync, revision);
            }),
          );
          const notAsked = syncs.length - maxRevisions;
          return {
            kind: 'reading',
            query: `${queryText(wanted)}, synced from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes: changes.flat() },
            notes: notAsked > 0 ? [`The commits of ${notAsked} earlier syncs were not asked for.`] : [],
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (checkSignal) => {
          const reply = await http.getJson(
            '/api/version',
            {},
            z.object({ Version: z.string() }),
            checkSignal,
          );
          if (reply.kind === 'failure') return reply;
          // Anyone may see the version; a list shows whether the token is accepted.
          const fields = 'items.metadata.name';
          const applicationList = await http.getJson(
            '/api/v1/applications',
            { projects: project, fields },
            z.object({}),
            checkSignal,
          );
          return applicationList.kind === 'failure'
            ? applicationList
            : { kind: 'healthy', version: reply.value.Version };
        },
        signal,
        mask,
      ),
    async inspect(signal) {
      const listed = await listApplications(undefined, signal);
      return inspectArgocd(http, project ?? '*', listed.kind === 'list' && listed.items.length > 0, signal);
    },
    close: async () => {},
  } satisfies Signal);
}

type Row = Readonly<Record<string, unknown>>;

const isWanted = ({ metadata, status }: Application, wanted: string): boolean =>
  metadata.name === wanted || (status.resources ?? []).some((one) => isWorkload(one) && one.name === wanted);

const healthRank = ({ status }: Application): number =>
  status.health?.status !== 'Healthy' ? 0 : status.sync?.status !== 'Synced' ? 1 : 2;
const byHealth = (a: Application, b: Application): number => healthRank(a) - healthRank(b);

function applicationRow({ metadata, spec, status }: Application): Row {
  const { operationState: operation } = status;
  const failed = /^(Failed|Error)$/.test(operation?.phase ?? '');
  return {
    kind: 'Application',
    name: metadata.name,
    project: spec.project ?? null,
    namespace: spec.destination?.namespace ?? null,
    sync: status.sync?.status ?? 'Unknown',
    health: status.health?.status ?? 'Unknown',
    ...(status.health?.message != null && { message: status.health.message }),
    revision: (status.sync?.revisions ?? [status.sync?.revision ?? '']).join(' '),
    source: sourcesOf(spec).map(sourceText).join(' and '),
    ...(operation != null && {
      operation: `${operation.phase ?? ''} at ${operation.finishedAt ?? operation.startedAt ?? ''}${failed ? `: ${operation.message ?? ''}` : ''}`,
    }),
    ...((status.conditions ?? []).length > 0 && {
      conditions: (status.conditions ?? []).map(({ type, message }) => `${type}: ${message}`).join('; '),
    }),
  };
}

/** A row for each workload of an application; the objects of healthy applications have no other row. */
const workloadRows = ({ metadata, status }: Application): readonly Row[] =>
  (status.resources ?? []).filter(isWorkload).map(({ kind, namespace, name, status: sync, health }) => ({
    kind,
    ...(namespace != null && { namespace }),
    name,
    application: metadata.name,
    ...(sync != null && { sync }),
    ...(health?.status != null && { health: health.status }),
    ...(health?.message != null && { message: health.message }),
  }));
