/**
 * Runs the agent of a workspace: its request queue, the child process that reaches the pages over tools, its schedules,
 * backups of its file, and the port for commands on this machine. `sonde serve` uses it, and so does a worker that is a
 * host.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Masker, messageOf } from '../../core/index.ts';
import type { Sessions, Store } from '../../store/index.ts';
import { capabilitySet, mcpHandler, openGrants, serveHttp } from '../../tools/index.ts';
import { type ChildSetting, startChild } from '../agent/channel/child-wire.ts';
import { openAccount } from '../agent/compose-agent.ts';
import { agentCaller } from '../agent/in-process.ts';
import { openPort } from '../agent/port/port-server.ts';
import { openPositionStore } from '../agent/requests/position-store.ts';
import { openRequestQueue, type RequestQueue } from '../agent/requests/request-queue.ts';
import { supervise } from '../agent/supervise.ts';
import { progressCounter } from '../agent/thread-runs.ts';
import type { Configuration, Environment } from '../config/index.ts';
import type { OpenHost } from '../host/host.ts';
import { openMasker } from '../masking.ts';
import type { Clients } from '../tokens/clients.ts';
import { version } from '../version.ts';
import { type BackupOptions, backupRules, keepBackups } from '../workspace/backups.ts';
import { conversationRoutes } from './routes.ts';
import { runSchedules, type SchedulingOptions } from './schedules.ts';

export interface WorkspaceAgentOptions {
  readonly configuration: Configuration;
  readonly opened: OpenHost;
  readonly sessions: Sessions;
  readonly store: Store;
  /** The environment of the agent's process, with its keys. */
  readonly environment: Environment;
  readonly child: Pick<ChildSetting, 'settings' | 'root' | 'schema'>;
  /** Who may use the tools and conversations, in addition to the agent. */
  readonly clients?: Clients;
  /** Maximum number of turns at once. Default: no limit. */
  readonly maxTurns?: number;
  /** Interval between renewals of the leases of active requests. Milliseconds. */
  readonly renewMs?: number;
  /** Called with each backup of the workspace. */
  readonly onBackup?: BackupOptions['onBackup'];
  readonly tell: (line: string) => void;
}

export interface WorkspaceAgent {
  readonly requests: RequestQueue;
  /** The tools, for the agent and for clients. */
  readonly handler: Awaited<ReturnType<typeof mcpHandler>>;
  readonly mask: Masker;
  /** Whether the agent's process accepts messages. */
  isUp(): boolean;
  /** Starts the agent and the schedules, and listens to commands. */
  start(): Promise<void>;
  /** Waits up to `drainMs` milliseconds for active requests; those not done then are left for the next start. */
  stop(drainMs?: number): Promise<void>;
  /** Call it after `stop`. */
  close(): Promise<void>;
}

/** The wait before schedules are run again after a failure. Milliseconds. */
const retryMs = 1_000;

export async function openWorkspaceAgent(options: WorkspaceAgentOptions): Promise<WorkspaceAgent> {
  const { configuration, opened, sessions, store, environment, clients, maxTurns, renewMs, tell } = options;
  const { database, world, path } = opened.open;
  const closables: (() => unknown)[] = [];
  const stopped = new AbortController();
  const close = async (): Promise<void> => {
    stopped.abort();
    for (const close of closables.splice(0).reverse()) await close();
  };
  let tracing: Promise<void> = Promise.resolve();
  function traceTurn(run: string): void {
    if (configuration.values.traces_url === undefined) return;
    tracing = tracing.then(async () =>
      (await import('../telemetry/send-run.ts')).sendTurn(configuration, store, run, tell),
    );
  }
  let scheduling: Promise<void> = Promise.resolve();
  let backups: Promise<void> = Promise.resolve();
  try {
    // The agent may not change a schema, so all tables that it needs are made here.
    openAccount(configuration, false).close();
    // Opened before the request queue, since its schema moves requests of older versions to the queue.
    const positions = openPositionStore(database);
    const grants = openGrants();
    const agentCapabilities = capabilitySet('agent');
    let url = '';
    const requests = await openRequestQueue({
      queue: sessions.queue,
      ...(renewMs !== undefined && { renewMs }),
      ...(maxTurns !== undefined && { maxTurns }),
      tell,
      progress: progressCounter(store, sessions),
      async issue({ thread, request }) {
        const schedule = request.kind === 'message' ? request.schedule : null;
        const caller = await agentCaller(sessions, thread, schedule);
        const token = grants.issue({ caller, capabilities: agentCapabilities });
        return { tools: { url, token: token }, revoke: () => grants.revoke(token) };
      },
    });
    closables.push(() => requests.close());
    requests.onEvent((_thread, event) => {
      if (event.kind === 'turn_ended' && event.run_id !== null) traceTurn(event.run_id);
    });
    const mask = openMasker(configuration);
    const http = {
      host: opened.host,
      grants:
        clients === undefined
          ? grants
          : {
              findConnection: (shown: string) =>
                grants.findConnection(shown) ?? clients.findConnection(shown),
            },
      version: version(),
      ...(clients !== undefined && {
        routes: conversationRoutes({ requests, sessions, tokenOf: clients.tokenOf }),
      }),
      onError: (message: string) => tell(opened.redact(`http: ${message}`)),
    };
    const handler = await mcpHandler(http);
    closables.push(() => handler.close());
    // The agent connects here without TLS, on this machine only, however other clients connect.
    const server = await serveHttp(http, handler);
    url = server.url;
    closables.push(() => server.close());
    let isUp = false;
    return {
      requests,
      handler: handler,
      mask,
      isUp: () => isUp,
      async start() {
        const child: ChildSetting = { workspace: path, name: world.workspace.name, ...options.child };
        const supervisor = supervise({
          start: () => startChild(child, environment),
          onUp(client, pid) {
            isUp = true;
            tell(`agent ${pid} is ready`);
            requests.up(client);
          },
          onDown(why, wasRequested) {
            isUp = false;
            if (!wasRequested) tell(`the agent ended: ${why}`);
            requests.down();
          },
          sleep: (ms, signal) => sleep(ms, undefined, { signal }),
        });
        closables.push(() => supervisor.close());
        const defaultLimits = { usd: configuration.values.max_usd };
        const { signal } = stopped;
        scheduling = runSchedulesWithRetries({
          sessions,
          store,
          defaultLimits,
          requests,
          marks: positions,
          world,
          signal,
          tell,
        });
        const port = await openPort({
          workspace: path,
          requests,
          greeting: {
            version: version(),
            root: options.child.root ?? null,
            ...(options.child.schema !== undefined && { shared: true }),
          },
          mask,
          redact: opened.redact,
          tell,
        });
        closables.push(() => port.close());
        const rules = backupRules(configuration);
        if (rules !== null) {
          const onBackup = options.onBackup ?? (async () => {});
          backups = keepBackups({ rules, open: opened.open, signal, tell, onBackup });
        }
      },
      async stop(drainMs) {
        stopped.abort();
        await requests.close(drainMs);
        await Promise.all([scheduling, backups, tracing]);
      },
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Runs the schedules, again after each failure. Resolves when the signal aborts. */
async function runSchedulesWithRetries(options: SchedulingOptions): Promise<void> {
  const { signal, tell } = options;
  while (!signal.aborted) {
    const failed = new AbortController();
    try {
      await runSchedules({ ...options, signal: AbortSignal.any([signal, failed.signal]) });
    } catch (thrown) {
      // The failed attempt must end before the next one begins.
      failed.abort();
      tell(`schedules: ${messageOf(thrown)}`);
      await sleep(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}
