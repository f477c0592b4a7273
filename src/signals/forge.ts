/**
 * Shared by all hosts of repositories: the questions for commits with their diffs, for one commit, and for deployments.
 */
import { z } from 'zod';
import type {
  Change,
  Clock,
  Health,
  IncidentWindow,
  Inspection,
  Signal,
  SignalFailure,
} from '../core/index.ts';
import { checkHealth } from './health.ts';
import type { Authorization } from './http.ts';
import { type Page, readPages } from './pages.ts';
import { question, type ReadContext, type Reading, type SystemSource } from './question.ts';
import { time } from './series-text.ts';

export interface ForgeOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly authorization?: Authorization;
  /** The address of a server of your own: `https://github.example/api/v3`, `https://gitlab.example`. */
  readonly base?: string;
  /** The deployed branch; absent: the default branch. */
  readonly ref?: string;
  readonly service?: string;
}

/** One repository. Pages are counted from 1. */
export interface Forge {
  readonly place: SystemSource;
  /** Commits of the window, newest first, without their diffs. */
  commits(page: number, asked: CommitsRequest): Promise<Page<Change, number> | SignalFailure>;
  /** A commit of such a list, with its diff. */
  withDiff(commit: Change, signal: AbortSignal): Promise<Change | SignalFailure>;
  commit(sha: string, signal: AbortSignal): Promise<Change | SignalFailure>;
  /** Deployments, newest first; only those of the window if the host can filter by time. */
  deployments(page: number, asked: DeploymentsRequest): Promise<Page<Change, number> | SignalFailure>;
  health(signal: AbortSignal): Promise<Health | SignalFailure>;
  inspect?(signal: AbortSignal): Promise<Inspection>;
}

interface CommitsRequest {
  readonly window: IncidentWindow;
  readonly path: string | undefined;
  readonly signal: AbortSignal;
}

interface DeploymentsRequest {
  readonly window: IncidentWindow;
  readonly environment: string | undefined;
  readonly signal: AbortSignal;
}

/** Items per page. */
export const pageSize = 100;
const maxPages = 5;
/** Maximum number of commits whose diffs are fetched for one question, newest first; each diff takes a request. */
const maxDiffs = 30;

export function forgeSignal(forge: Forge): Signal {
  const { place } = forge;
  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'commits with their diffs, and deployments',
    questions: Object.freeze([
      question(place, {
        name: `${place.system}_changes`,
        topic: 'changes',
        description:
          'Commits of the incident and of the calm before it, newest first, the newest with their diffs.',
        parameters: z.object({
          path: z.string().min(1).optional().describe('Only commits that touched this path.'),
        }),
        cost: `up to ${maxDiffs} requests, for the diffs`,
        reach: 'baseline',
        read: ({ path }, asking) => readCommits(forge, path, asking),
      }),
      question(place, {
        name: `${place.system}_commit`,
        topic: 'changes',
        description: 'One commit with its diff, also from before the window.',
        parameters: z.object({ commit: z.string().regex(/^[0-9a-f]{7,64}$/i) }),
        cost: 'one or two requests',
        reach: 'past',
        async read({ commit }, { signal }) {
          const change = await forge.commit(commit, signal);
          if (change.kind === 'failure') return change;
          return { kind: 'reading', query: `commit ${commit}`, rows: { kind: 'changes', changes: [change] } };
        },
      }),
      question(place, {
        name: `${place.system}_deployments`,
        topic: 'changes',
        description:
          'Deployments of the incident and of the calm before it, newest first, each with the commit it brought.',
        parameters: z.object({ environment: z.string().min(1).optional().describe('Such as `production`.') }),
        cost: `one request for ${pageSize} deployments`,
        reach: 'baseline',
        read: ({ environment }, asking) => readDeployments(forge, environment, asking),
      }),
    ]),
    health: (signal, mask) => checkHealth(forge.health, signal, mask),
    ...(forge.inspect !== undefined && { inspect: forge.inspect }),
    close: async () => {},
  } satisfies Signal);
}

async function readCommits(
  forge: Forge,
  path: string | undefined,
  { window, limits, signal }: ReadContext,
): Promise<Reading | SignalFailure> {
  const found = await readPages<Change, number>(
    maxPages,
    (page) => forge.commits(page ?? 1, { window, path, signal }),
    (items) => items.length > limits.rows,
  );
  if (found.kind === 'failure') return found;
  const changes: Change[] = [];
  const failed: string[] = [];
  for (const [k, one] of found.items.entries()) {
    const full = k < Math.min(maxDiffs, limits.rows) ? await forge.withDiff(one, signal) : one;
    if (full.kind === 'failure') failed.push(full.message);
    changes.push(full.kind === 'failure' ? one : full);
  }
  return {
    kind: 'reading',
    query: `commits${path === undefined ? '' : ` of ${path}`} ${windowText(window)}`,
    rows: { kind: 'changes', changes },
    ...(!found.isComplete && { total: null }),
    notes: [
      ...found.notes,
      ...(changes.length > maxDiffs ? [`Diffs were read of the newest ${maxDiffs} commits.`] : []),
      ...(failed.length > 0 ? [`${failed.length} diffs could not be read: ${failed[0]}`] : []),
    ],
  };
}

async function readDeployments(
  forge: Forge,
  environment: string | undefined,
  { window, signal }: ReadContext,
): Promise<Reading | SignalFailure> {
  const isBeforeBaseline = ({ at }: Change): boolean => at < window.baseline_from;
  const found = await readPages<Change, number>(
    maxPages,
    (page) => forge.deployments(page ?? 1, { window, environment, signal }),
    (items) => items.length > 0 && isBeforeBaseline(items.at(-1)!),
  );
  if (found.kind === 'failure') return found;
  const oldest = found.items.at(-1);
  return {
    kind: 'reading',
    query: `deployments${environment === undefined ? '' : ` to ${environment}`} ${windowText(window)}`,
    rows: { kind: 'changes', changes: found.items },
    // The list is newest first, so unread deployments are older than the last one that was read.
    ...(!found.isComplete && oldest !== undefined && !isBeforeBaseline(oldest) && { total: null }),
    notes: found.notes,
  };
}

function windowText({ baseline_from, to }: IncidentWindow): string {
  return `from ${time(baseline_from)} to ${time(to)}`;
}
