/** Sets up the HTTP interface for the workspace that a server has open. */
import { basename } from 'node:path';
import { type Masker, systemClock } from '../../core/index.ts';
import type { Sessions, Store } from '../../store/index.ts';
import { startChild } from '../agent/channel/child-wire.ts';
import type { RequestQueue } from '../agent/requests/request-queue.ts';
import { threadActions } from '../agent/thread-actions.ts';
import { openServerAudit } from '../audit/server-audit.ts';
import { openRuns } from '../compose.ts';
import { describeSettings } from '../config/describe.ts';
import type { Configuration, Environment } from '../config/index.ts';
import { openOnce } from '../host/host-material.ts';
import { type AccountOf, openHostMemory } from '../host/host-memory.ts';
import type { ServerPart } from '../server/server-part.ts';
import { workspacePlace } from '../tokens/place.ts';
import type { Token } from '../tokens/tokens.ts';
import { version } from '../version.ts';
import { searchPages } from '../workspace/search.ts';
import { author, type OpenWorkspace } from '../workspace/workspace.ts';
import { apiPart } from './api-part.ts';
import { chatPart } from './chat/chat-part.ts';
import { changeFinder } from './feed/changes.ts';
import { openRunFeed } from './feed/run-feed.ts';
import { openWorkspaceTail } from './feed/workspace-tail.ts';
import type { ApiPorts } from './ports.ts';
import { openRecords } from './records.ts';
import { runStarter } from './run-starter.ts';
import { openThreadLog } from './threads/thread-log.ts';
import { workspaceThreads } from './threads/workspace-threads.ts';
import { visibleRuns } from './visible-runs.ts';
import { openWorkspaceTokens } from './workspace-tokens.ts';

export interface ApiRequest {
  readonly configuration: Configuration;
  readonly open: Pick<OpenWorkspace, 'world' | 'database' | 'path'>;
  readonly sessions: Sessions;
  readonly requests: RequestQueue;
  /** The name of the workspace, as the person uses it. */
  readonly name: string;
  /** The folder of code that the server was started with; null: none. */
  readonly folder: string | null;
  /** The environment, with keys, for the processes of runs that are started over HTTP. */
  readonly environment: Environment;
  /** The schema of the workspace in a shared store; absent: its conversations are in its file. */
  readonly schema?: string;
  /** Which account the memory of the workspace uses. Default: that of the person. */
  readonly accountOf?: AccountOf;
  /** The store with the runs of the workspace's conversations. */
  readonly store: Store;
  readonly mask: Masker;
  readonly findToken: (shown: string) => Token | 'wrong_place' | null;
  readonly tell: (line: string) => void;
}

export interface OpenApi {
  readonly parts: readonly ServerPart[];
  /** Stores the address of the server, so that `sonde ui` finds it. */
  listensAt(address: string): void;
  close(): Promise<void>;
}

export function openApi(request: ApiRequest): OpenApi {
  const {
    configuration,
    open,
    name,
    folder,
    environment,
    store,
    sessions,
    requests: requestQueue,
    mask,
    findToken,
    tell,
  } = request;
  const { world } = open;
  const records = openRecords(configuration.directories);
  let personalStore: Promise<Store> | undefined;
  const memory = openOnce(() => openHostMemory(open, request.accountOf));
  const starter = runStarter({ spawn: (setting) => startChild(setting, environment, 'runner'), tell });
  const runs = visibleRuns({
    conversations: store,
    openOwn() {
      personalStore ??= openRuns(configuration);
      return personalStore;
    },
  });
  const tokenPlace = workspacePlace(configuration.directories, { path: open.path, id: world.workspace.id });
  const tokens = openWorkspaceTokens(configuration.directories, tokenPlace);
  const audit = openServerAudit({
    ...{ configuration, database: open.database, world, place: tokenPlace },
    ...(request.schema !== undefined && { schema: request.schema }),
  });
  const ports: ApiPorts = {
    workspace: {
      name,
      id: world.workspace.id,
      file: open.path,
      code: folder === null ? null : { name: basename(folder), folder },
      world,
      person: author(),
      tail: openWorkspaceTail(
        world,
        openRunFeed({ records: records.feed(world.workspace.id), runs, clock: systemClock }),
      ),
      search: (query) => searchPages(world, query),
    },
    runs,
    starter,
    records,
    threads: workspaceThreads({
      actions: threadActions(requestQueue, sessions),
      log: openThreadLog({
        records,
        workspace: world.workspace.id,
        onEvent: requestQueue.onEvent,
        changesOf: changeFinder(world),
      }),
      sessions,
      store,
    }),
    scheduling: sessions,
    startSchedule: async (id) =>
      (await import('../serve/schedules.ts')).startNow(id, {
        ...{ sessions, requests: requestQueue },
        now: systemClock.now(),
      }),
    tokens,
    audit,
    prune: async (options) =>
      (await import('../prune/prune.ts')).prune(configuration, { ...options, shared: false }),
    memory: async () => (await memory.get()).memory,
    readRoles: async (thread) =>
      (await import('./conversation-roles.ts')).readRoles(thread, sessions, configuration),
    otherInboxItems: async () =>
      (await import('../workspace/other-inbox-items.ts')).listOtherItems({
        sessions,
        memory: async () => (await memory.get()).memory,
      }),
    version: version(),
    clock: systemClock,
    settings: () => describeSettings(configuration),
  };
  return {
    parts: [apiPart({ ports, findToken, mask, tell }), chatPart({ ports, findToken, tell })],
    listensAt: (address) => records.storeAddress(world.workspace.id, address),
    async close() {
      await starter.close();
      records.close();
      tokens.close();
      await audit.close();
      await memory.close();
      await (await personalStore)?.close();
    },
  };
}
