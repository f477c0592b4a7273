/**
 * The data that a front shows to one team: conversations of the workspace, and the runs that the team has queued. Each
 * batch of SQL statements sets the team, so that row-level security hides the rows of other teams.
 */
import { systemClock } from '../../core/index.ts';
import type { HostChannel, Store } from '../../store/index.ts';
import type { PostgresPool } from '../../store/postgres/index.ts';
import { threadActions } from '../agent/thread-actions.ts';
import { type Configuration, storeAddress } from '../config/index.ts';
import type { ApiPorts } from '../http/ports.ts';
import { workspaceThreads } from '../http/threads/workspace-threads.ts';
import { visibleRuns } from '../http/visible-runs.ts';
import { conversationRoutes, type RoutesOptions } from '../serve/routes.ts';
import { forwardingQueue } from './forwarding-queue.ts';
import type { FrontEvents } from './front-events.ts';
import { createSessionsOpener } from './shared-sessions.ts';

export interface FrontTeamOptions {
  readonly configuration: Pick<Configuration, 'values'>;
  /** The schema with the workspace's conversations. */
  readonly schema: string;
  readonly hostChannel: HostChannel;
  readonly events: FrontEvents;
  readonly tokenOf: RoutesOptions['tokenOf'];
  /** Connections to the schema of the workspace, and to that of queued runs. */
  readonly pools: { readonly workspace: PostgresPool; readonly shared: PostgresPool };
}

export interface FrontTeam {
  /** The store of the workspace's conversations. */
  readonly store: Store;
  /** The store of queued runs: those of the team, or all for the operators of the store. */
  readonly queuedRuns: Store;
  readonly ports: Pick<ApiPorts, 'runs' | 'threads' | 'scheduling' | 'startSchedule'>;
  readonly answer: ReturnType<typeof conversationRoutes>;
  close(): Promise<void>;
}

/** An empty `team` stands for the operators of the store. */
async function openFrontTeam(team: string, options: FrontTeamOptions): Promise<FrontTeam> {
  const { configuration, schema, hostChannel, events, tokenOf, pools } = options;
  const { values } = configuration;
  const { openPostgresStore } = await import('../../store/postgres/index.ts');
  const openSessions = await createSessionsOpener(values, schema, { team, pool: pools.workspace });
  const { sessions, store } = openSessions();
  const queuedRuns = openPostgresStore({
    ...{ url: storeAddress(values), team, pool: pools.shared },
    ...(team !== '' && { runsOf: team }),
  });
  const requests = forwardingQueue({ sessions, hostChannel, events });
  return {
    store,
    queuedRuns,
    ports: {
      runs: visibleRuns({ conversations: store, openOwn: async () => queuedRuns, isTeamStore: team !== '' }),
      threads: workspaceThreads({
        actions: threadActions(requests, sessions),
        log: events.log,
        sessions,
        store,
      }),
      scheduling: sessions,
      startSchedule: async (id) =>
        (await import('../serve/schedules.ts')).startNow(id, { sessions, requests, now: systemClock.now() }),
    },
    answer: conversationRoutes({ requests, sessions, tokenOf }),
    async close() {
      await queuedRuns.close();
      await store.close();
      await sessions.close();
    },
  };
}

/** Opens each team at the first request of one of its members. */
export function frontTeams(options: FrontTeamOptions) {
  const openedTeams = new Map<string, Promise<FrontTeam>>();
  return {
    get(team: string): Promise<FrontTeam> {
      const openingTeam = openedTeams.get(team) ?? openFrontTeam(team, options);
      openedTeams.set(team, openingTeam);
      openingTeam.catch(() => openedTeams.delete(team));
      return openingTeam;
    },
    async close(): Promise<void> {
      for (const openedTeam of await Promise.allSettled(openedTeams.values()))
        if (openedTeam.status === 'fulfilled') await openedTeam.value.close();
    },
  };
}
