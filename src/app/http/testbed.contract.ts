/** The interface over a workspace on the disk, for tests: real stores, the real table, no network. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { type Caller, type RunEvent, systemClock } from '../../core/index.ts';
import { type Memory, openMemory } from '../../memory/index.ts';
import { findRoles } from '../../session/index.ts';
import {
  openDatabase,
  openSessionsIn,
  openStore,
  openStoreIn,
  type Sessions,
  type Store,
} from '../../store/index.ts';
import { type PageQuery, type WorldOperation, worldWrite } from '../../world/index.ts';
import { threadActions } from '../agent/thread-actions.ts';
import { openServerAudit } from '../audit/server-audit.ts';
import type { PruneOptions, PruneReport } from '../prune/prune.ts';
import type { ServerEnvironment, ServerPart } from '../server/server-part.ts';
import { openTokens } from '../tokens/open-tokens.ts';
import type { Token } from '../tokens/tokens.ts';
import { listOtherItems } from '../workspace/other-inbox-items.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { type ApiOptions, apiPart } from './api-part.ts';
import { chatPart } from './chat/chat-part.ts';
import { type FakeChild, fakeChild } from './fake-child.contract.ts';
import { changeFinder } from './feed/changes.ts';
import { openRunFeed } from './feed/run-feed.ts';
import { openWorkspaceTail } from './feed/workspace-tail.ts';
import type { ApiPorts } from './ports.ts';
import { openRecords } from './records.ts';
import { runStarter } from './run-starter.ts';
import { openTalkingAgent, type TalkingAgent } from './talking-agent.contract.ts';
import { openThreadLog } from './threads/thread-log.ts';
import { workspaceThreads } from './threads/workspace-threads.ts';
import { visibleRuns } from './visible-runs.ts';
import { openWorkspaceTokens } from './workspace-tokens.ts';

const person: Caller = { kind: 'user', name: 'vera', device: 'd', thread: null, channel: null };
const agent: Caller = { kind: 'agent', name: 'planner', device: 'd', thread: 'talk', channel: null };

const emptyReport: Omit<PruneReport, 'removed'> = {
  ...{ days: [], indexes: [], bytes: 2_100, notes: [] },
  runs: [
    {
      ...{ run_id: 'old', workspace: null, created: '2026-01-02T03:04:05.000Z', bytes: 2_100 },
      question: 'How bread runs out',
    },
  ],
  kept: { unfinished: 0, behind_pages: 0, recent: 0 },
};

/** Any JSON value: a test says what it expects. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Desk {
  readonly world: Awaited<ReturnType<typeof openWorkspace>>['world'];
  readonly store: Store;
  readonly own: Store;
  readonly sessions: Sessions;
  readonly memory: Memory;
  readonly agent: TalkingAgent;
  /** The processes of runs that were begun, in order. */
  readonly children: readonly FakeChild[];
  readonly logged: string[];
  /** The options of each prune that was asked for. */
  readonly prunes: readonly PruneOptions[];
  /** The queries of searches, in order. */
  readonly searches: readonly PageQuery[];
  /** For a server with a socket. */
  readonly apiServerPart: ServerPart;
  readonly code: () => string;
  /** The valid tokens by name; a test revokes a token by deleting it here. */
  readonly tokens: Map<string, Pick<Token, 'allow' | 'author' | 'name' | 'team'>>;
  write(caller: 'author' | 'agent', operation: WorldOperation, derivedFrom?: readonly string[]): string[];
  /** Makes a run with these events. */
  run(id: string, events: readonly RunEvent[], store?: Store): Promise<void>;
  /** Requests any address of the server, as the library of a client does. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  ask(path: string, init?: RequestInit & { readonly as?: string | null }): Promise<Response>;
  send(
    method: string,
    path: string,
    body: unknown,
    more?: { readonly as?: string; readonly key?: string },
  ): Promise<{ readonly status: number; readonly body: Json }>;
  get(path: string, as?: string): Promise<{ readonly status: number; readonly body: Json }>;
  close(): Promise<void>;
}

export async function openDesk(): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-http-'));
  const open = await openWorkspace(join(folder, 'notes.db'), { name: 'notes' });
  const store = openStoreIn(open.database);
  const own = openStore(join(folder, 'runs.db'));
  const sessions = openSessionsIn(open.database);
  const account = openDatabase({ path: ':memory:', schemas: [], busyMs: 0, holds: 'account' });
  const memory = openMemory({ workspace: open.database, workspaceId: open.world.workspace.id, account });
  const records = openRecords({ path: join(folder, 'http.db') });
  const { world } = open;
  const logged: string[] = [];
  const children: FakeChild[] = [];
  const starter = runStarter({
    spawn: (setting) => fakeChild(setting, children, own),
    tell: (line) => logged.push(line),
  });
  const talking = await openTalkingAgent({
    sessions,
    store,
    propose(path) {
      const operation = { op: 'create_page', path, text: 'Proposed.\n' } as const;
      const result = world.submit(
        worldWrite({ operation, caller: agent, source: 'test', idempotencyKey: null }),
      );
      if (result.kind === 'refused') throw new Error(result.message);
      return { write_id: result.write_id, id: result.content_ids[0]! };
    },
  });
  const tokens: Desk['tokens'] = new Map([
    ['reads', { name: 'reads', allow: 'read-only', author: false }],
    ['operates', { name: 'operates', allow: 'operator', author: false }],
    ['decides', { name: 'decides', allow: 'owner', author: true }],
    ['program', { name: 'program', allow: 'owner', author: false }],
  ]);
  const runs = visibleRuns({ conversations: store, openOwn: async () => own });
  const place = { kind: 'workspace', workspace: 'notes', id: world.workspace.id } as const;
  const workspaceTokens = openWorkspaceTokens({ data: folder }, place);
  const realTokens = openTokens({ data: folder });
  const audit = openServerAudit({
    configuration: {
      directories: { data: folder, config: folder, cache: folder },
      values: { store: 'sqlite' },
    } as never,
    ...{ database: open.database, world, place },
  });
  const pruned: PruneOptions[] = [];
  const searches: PageQuery[] = [];
  const ports: ApiPorts = {
    workspace: {
      name: 'notes',
      id: world.workspace.id,
      file: open.path,
      code: { name: 'depot', folder },
      world,
      person,
      tail: openWorkspaceTail(
        world,
        openRunFeed({ records: records.feed(world.workspace.id), runs, clock: systemClock }),
      ),
      async search(query) {
        searches.push(query);
        const hitFields = {
          snippet: 'It says so.',
          found_in: 'text',
          provenance: 'bm25',
          blocks: [],
        } as const;
        const hits = world.pages({ view: query.view ?? 'all' }).map(({ id, path, title, lifecycle }, n) => ({
          ...hitFields,
          ...{ page: id, path, title, lifecycle, score: 1 / (n + 1) },
        }));
        return { hits: hits.slice(0, query.k), completeness: 'complete', notes: [] };
      },
    },
    runs,
    starter,
    records,
    threads: workspaceThreads({
      actions: threadActions(talking.requests, sessions),
      log: openThreadLog({
        records,
        workspace: world.workspace.id,
        onEvent: talking.requests.onEvent,
        changesOf: changeFinder(world),
      }),
      sessions,
      store,
    }),
    scheduling: sessions,
    startSchedule: async (id) =>
      (await import('../serve/schedules.ts')).startNow(id, {
        ...{ sessions, requests: talking.requests },
        now: systemClock.now(),
      }),
    tokens: workspaceTokens,
    audit,
    prune: async (options) => {
      pruned.push(options);
      return { ...emptyReport, removed: options.remove };
    },
    memory: async () => memory,
    async readRoles({ id, channel }) {
      const sources = { workspace: sessions.roles, account: sessions.roles };
      const found = await findRoles({ work: 'planner', thread: id, channel }, sources);
      return found.map(({ level, role }) => ({ level, text: role.content }));
    },
    otherInboxItems: () => listOtherItems({ sessions, memory: async () => memory }),
    version: '0',
    clock: systemClock,
    settings: () => ({ model: { value: 'none', source: 'default' } }),
  };
  const access = {
    findToken(shown) {
      if (shown === 'wrong_place') return shown;
      const real = realTokens.check(shown, place);
      return (tokens.get(shown) as Token | undefined) ?? (real.kind === 'holder' ? real.token : null);
    },
    mask: { value: (value) => JSON.parse(JSON.stringify(value).replaceAll('hunter22secret', '[secret]')) },
    tell: (line) => logged.push(line),
  } satisfies Omit<ApiOptions, 'ports'>;
  const app = new Hono<ServerEnvironment>();
  const apiServerPart = apiPart({ ports, ...access });
  apiServerPart.mount(app);
  chatPart({ ports, ...access }).mount(app);

  const ask: Desk['ask'] = async (path, { as = 'decides', ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (as !== null) headers.set('authorization', `Bearer ${as}`);
    return app.request(`/api/v1${path}`, { ...init, headers });
  };
  return {
    world,
    store,
    own,
    sessions,
    memory,
    agent: talking,
    children,
    logged,
    prunes: pruned,
    searches,
    apiServerPart,
    tokens,
    code: () => records.createCode(world.workspace.id),
    write(caller, operation, derivedFrom) {
      const result = world.submit(
        worldWrite({
          operation,
          caller: caller === 'author' ? person : agent,
          source: 'test',
          idempotencyKey: null,
          ...(derivedFrom && { derivedFrom }),
        }),
      );
      if (result.kind === 'refused') throw new Error(result.message);
      return [...result.content_ids, ...result.deviation_ids];
    },
    async run(id, events, runStore = store) {
      const shape = events[0]?.kind === 'run_started' ? events[0].shape : 'research';
      const params = shape === 'incident' ? { sent: 'checkout burns', now: 1_700_000_000_000 } : {};
      await runStore.runs.create({ id, shape, question: 'Why?', root: folder, params });
      const lease = await runStore.runs.acquire(id);
      const log = runStore.log(lease);
      for (const [n, event] of events.entries()) log.append(`e${n}`, event);
      if (events.at(-1)?.kind === 'run_finished') runStore.runs.finish(id, lease);
      await runStore.commit(lease);
      await lease.release();
    },
    fetch: async (url, init) => app.request(url, init),
    ask,
    async send(method, path, body, { as = 'decides', key } = {}) {
      const response = await ask(path, {
        method,
        as,
        body: JSON.stringify(body),
        headers: key === undefined ? {} : { 'idempotency-key': key },
      });
      return { status: response.status, body: await response.json() };
    },
    async get(path, as = 'decides') {
      const response = await ask(path, { as });
      return { status: response.status, body: await response.json() };
    },
    async close() {
      await starter.close();
      await talking.close();
      records.close();
      await audit.close();
      workspaceTokens.close();
      realTokens.close();
      sessions.close();
      account.close();
      await store.close();
      await own.close();
      open.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const spent = { tokens: 10, usd: 0.01, wall_ms: 5, fuel: 0, calls: 1, steps: 1 };

/** The events of a small run that read one file and answered. */
export const researchEvents: readonly RunEvent[] = [
  { kind: 'run_started', shape: 'research', question: 'Why?', params: {}, limits: { tokens: 1000 } },
  { kind: 'step_started', step: 1, left: { tokens: 1000 } },
  {
    kind: 'model_called',
    step: 1,
    call: 'step-1/model-1',
    model: 'm',
    signature: 'plan',
    reserved: { tokens: 5 },
  },
  {
    kind: 'model_replied',
    step: 1,
    call: 'step-1/model-1',
    spent: { tokens: 10 },
    unknown: false,
    wall_ms: 3,
    text: 'look',
  },
  {
    kind: 'action_started',
    step: 1,
    call: 'a1',
    action: 'open',
    input: { path: 'a.ts' },
    reasoning: 'to see',
  },
  {
    kind: 'evidence_registered',
    step: 1,
    evidence: {
      id: 'ev-0123456789',
      file_path: 'a.ts',
      start_line: 1,
      end_line: 2,
      content: 'one\ntwo',
      reason: 'asked',
      provenance: 'manual',
      score: null,
      symbol_id: null,
      symbol_kind: null,
      hash: 'h',
      commit: null,
    },
  },
  {
    kind: 'action_finished',
    step: 1,
    call: 'a1',
    action: 'open',
    outcome: 'ok',
    summary: 'two lines',
    evidence: ['ev-0123456789'],
    fresh: 1,
    completeness: { complete: true } as never,
    wall_ms: 1,
  },
  { kind: 'citation_checked', id: 'ev-0123456789', status: 'valid' },
  {
    kind: 'claims_checked',
    claims: [{ text: 'It is one.', verdict: 'shown', evidence: ['ev-0123456789'], flags: [] }],
  },
  {
    kind: 'run_finished',
    spent,
    result: {
      run_id: 'r',
      status: 'verified',
      answer: 'It is one [ev-0123456789].',
      citations: [],
      unsupported: [],
      confidence: null,
      stop_reason: 'finalized',
      model: 'm',
      spent,
      coverage: {
        ...{ files: 1, skipped: 0, searches: 0, files_read: 1, evidence: 1, notes: [] },
        completeness: { complete: true } as never,
      },
    },
  },
];

/** The events of an incident that was investigated. */
export const incidentEvents: readonly RunEvent[] = researchEvents.map((event) =>
  event.kind === 'run_started'
    ? { ...event, shape: 'incident', question: 'It burns' }
    : event.kind === 'run_finished'
      ? { ...event, incident: { run_id: 'r', verdict: 'state', root_cause: 'The disk is full.' } as never }
      : event,
);
