/** Reads stored runs: lists, traces, evidence and reports. Needs no lease, so a run can be read while it runs. */

import { existsSync } from 'node:fs';
import {
  type Claim,
  isSondeError,
  type ListArtifact,
  type LoggedEvent,
  type RunResult,
  SondeError,
} from '../../core/index.ts';
import { buildTrace, formatCells, formatReport, listEvidence, runState } from '../../core/runs.ts';
import type { RunRow, Store } from '../../store/index.ts';
import { type ExitCode, exitCodeOfResult } from '../cli/exit-codes.ts';
import { openRuns } from '../compose.ts';
import { loadConfiguration, processEnvironment, workspaceFile } from '../config/index.ts';
import { findKind } from '../kinds/find-kind.ts';

/** `interrupted`: not finished, and no process works on it. `sonde resume` continues it. */
export type RunCondition = 'running' | 'finished' | 'interrupted';

export interface RunSummary {
  readonly run_id: string;
  readonly state: RunCondition;
  readonly question: string;
  readonly root: string;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** The process that works on the run, and its machine; null if none does. */
  readonly holder: { readonly host: string; readonly pid: number } | null;
}

export interface RunView extends RunSummary {
  /** Null if there is no result yet. */
  readonly result: RunResult | null;
  /** Fields that the kind of run shows besides the result. */
  fields(): Readonly<Record<string, unknown>>;
  trace(): unknown;
  evidence(): unknown;
  /** All claims of its answer with their verdicts; null if nobody checked them. */
  claims(): readonly Claim[] | null;
  /** Lists that were too long for the answer and are stored beside it. */
  artifacts(): readonly ListArtifact[];
  /** The report as Markdown. */
  report(): string;
  /** The exit code of its command; 0 if there is no answer yet, and for turns of conversations. */
  exitCode(): ExitCode;
  /** Markdown: the code that ran, its calls and its output. */
  cells(): string;
  /** One HTML file to share: secrets are masked, and it has no path of this machine. */
  page(): Promise<string>;
}

async function summarizeRun(store: Store, row: RunRow): Promise<RunSummary> {
  const holder = row.status === 'finished' ? null : await store.runs.holder(row.id);
  const state = row.status === 'finished' ? 'finished' : holder === null ? 'interrupted' : 'running';
  return {
    run_id: row.id,
    state,
    question: row.question,
    root: row.root,
    created: new Date(row.created).toISOString(),
    holder: holder && { host: holder.host, pid: holder.pid },
  };
}

async function withRuns<Value>(work: (store: Store) => Promise<Value>): Promise<Value> {
  const store = await openRuns(loadConfiguration({ environment: processEnvironment() }));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Calls `work` with the store of a run: the user's own, or the file of the workspace whose conversation it belongs to. */
async function withStoreOf<Value>(
  id: string,
  workspace: string | undefined,
  work: (store: Store) => Promise<Value>,
): Promise<Value> {
  try {
    if (workspace === undefined) return await withRuns((store) => workOnRun(store, id, work));
  } catch (error) {
    const result = isSondeError(error, 'not_found') ? await withConversations(undefined, id, work) : null;
    if (result === null) throw error;
    return result.value;
  }
  const result = await withConversations(workspace, id, work);
  if (result !== null) return result.value;
  throw noWorkspaceError(workspace);
}

const noWorkspaceError = (workspace: string): SondeError =>
  new SondeError('not_found', {
    message: `There is no workspace ${workspace}`,
    remedy: 'Give its name or path, as for sonde chat.',
  });

async function workOnRun<Value>(
  store: Store,
  id: string,
  work: (store: Store) => Promise<Value>,
): Promise<Value> {
  await store.runs.get(id);
  return work(store);
}

/** Returns null if there is no such workspace, or if the configured one has no such run. */
async function withConversations<Value>(
  workspace: string | undefined,
  id: string,
  work: (store: Store) => Promise<Value>,
): Promise<{ readonly value: Value } | null> {
  try {
    return await withWorkspace(workspace, (store) => workOnRun(store, id, work));
  } catch (error) {
    if (workspace === undefined && isSondeError(error, 'not_found')) return null;
    throw error;
  }
}

/** Calls `work` with the store in a workspace's file. Returns null if there is no such workspace. */
async function withWorkspace<Value>(
  workspace: string | undefined,
  work: (store: Store) => Promise<Value>,
): Promise<{ readonly value: Value } | null> {
  const flags = workspace === undefined ? {} : { workspace };
  const { directories, values } = loadConfiguration({ environment: processEnvironment(), flags });
  const path = workspaceFile(directories, values.workspace);
  if (!existsSync(path)) return null;
  const { openStore } = await import('../../store/index.ts');
  const store = openStore(path, { holds: 'workspace' });
  try {
    return { value: await work(store) };
  } finally {
    await store.close();
  }
}

const listSummaries =
  (max: number) =>
  async (store: Store): Promise<readonly RunSummary[]> =>
    summarizeRuns(store, await store.runs.list(max));

const summarizeRuns = (store: Store, rows: readonly RunRow[]): Promise<readonly RunSummary[]> =>
  Promise.all(rows.map((row) => summarizeRun(store, row)));

/** Lists runs outside of conversations, newest first. `root`: only runs over this folder. */
export function listRuns(max = 1000, root?: string): Promise<readonly RunSummary[]> {
  if (root === undefined) return withRuns(listSummaries(max));
  return withRuns(async (store) => {
    const rows = await store.runs.list(maxRunsSearched);
    return summarizeRuns(store, rows.filter((row) => row.root === root).slice(0, max));
  });
}

/** Maximum runs that are searched for those over a folder. */
const maxRunsSearched = 100_000;

/** Lists all runs and the turns of the configured workspace, or only the turns of the named one. Newest first. */
export async function listAllRuns(workspace?: string, max = 1000): Promise<readonly RunSummary[]> {
  const conversationRuns = await withWorkspace(workspace, listSummaries(max));
  if (workspace !== undefined && conversationRuns === null) throw noWorkspaceError(workspace);
  const otherRuns = workspace === undefined ? await listRuns(max) : [];
  return [...otherRuns, ...(conversationRuns?.value ?? [])]
    .toSorted((a, b) => b.created.localeCompare(a.created))
    .slice(0, max);
}

/** Throws `not_found`, and `bad_argument` if several runs begin with `id`. */
export function openRun(id: string, workspace?: string): Promise<RunView> {
  return withStoreOf(id, workspace, async (store) => {
    const row = await store.runs.get(id);
    const events: readonly LoggedEvent[] = await store.events(row.id);
    const lastEvent = events.at(-1)?.event;
    const end = lastEvent?.kind === 'run_finished' ? lastEvent : null;
    const shown = findKind(row.shape)?.shown;
    const { report, fields, exitCode } = shown ?? {};
    const { result, claims } = runState(events);
    return {
      ...(await summarizeRun(store, row)),
      result,
      // A run that logged no claims may have them in its result.
      claims: () => claims ?? result?.claims ?? null,
      artifacts: () => end?.investigation?.artifacts ?? [],
      fields: () => (end === null ? {} : (fields?.(end) ?? {})),
      trace: () => ({ run_id: row.id, ...buildTrace(events) }),
      evidence: () => listEvidence(events),
      report: () => (end === null ? null : report?.(end, events)) ?? formatReport(events),
      cells: () => formatCells(events),
      async page() {
        const [{ renderPage }, { openHider }] = await Promise.all([
          import('./page/page.ts'),
          import('./page/hide.ts'),
        ]);
        const ownReport = end === null ? undefined : report?.(end, events);
        return renderPage(events, { hide: openHider(row.root), report: ownReport ?? null });
      },
      exitCode: () =>
        end === null || shown === undefined ? 0 : (exitCode?.(end as never) ?? exitCodeOfResult(end.result)),
    };
  });
}
