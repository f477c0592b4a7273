/**
 * The host of a workspace whose conversations are kept in a shared store: one process at a time, on the machine that
 * has the workspace's file. It processes the requests that fronts have queued, with an agent in a separate process,
 * starts schedules, and is the only process that writes to the workspace. A second host waits until the first one's
 * lease is free.
 */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSondeError, messageOf, SondeError } from '../../core/index.ts';
import type { HostChannel, HostSeat } from '../../store/index.ts';
import { openFileLock } from '../../store/lock.ts';
import { withoutHostKeys } from '../agent/keys.ts';
import { servingLock } from '../agent/port/port.ts';
import type { openRequestQueue } from '../agent/requests/request-queue.ts';
import { requestTopic, toRequestRow } from '../agent/requests/request-rows.ts';
import { type Configuration, processEnvironment, workspaceFile } from '../config/index.ts';
import { openHost } from '../host/host.ts';
import { type AccountOf, findAbandonedAccount } from '../host/host-memory.ts';
import { changeFinder } from '../http/feed/changes.ts';
import { openWorkspaceAgent } from '../serve/workspace-agent.ts';
import type { ServerPart } from '../server/server-part.ts';
import { version } from '../version.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { reportCitedRuns } from './cited-runs.ts';
import { type HostAddress, type HostEndpoint, openHostEndpoint, openPassCheck } from './host-endpoint.ts';
import { readHostFile, requireHostFile } from './host-file.ts';
import { answerRequest } from './host-requests.ts';
import { openRelay, type Relay } from './relay.ts';
import { createSessionsOpener, openHostChannel, renewMs } from './shared-sessions.ts';

export interface WorkspaceHostRequest {
  readonly configuration: Configuration;
  /** The name of the workspace, which is the same in the team's store and on this machine. */
  readonly workspace: string;
  /** A folder of code that its agent may read. */
  readonly root?: string;
  /** The address at which fronts reach this worker, known once it listens. */
  readonly address: Promise<HostAddress>;
  /** The id of this worker. */
  readonly id: string;
  readonly tell: (line: string) => void;
}

export interface WorkspaceHost {
  readonly workspace: string;
  /** False: another worker is the host, or the store is away. */
  isHost(): boolean;
  /** The routes by which fronts reach this host. */
  readonly part: ServerPart;
  /** Waits up to `drainMs` milliseconds for running turns; the next host continues the rest. */
  close(drainMs: number): Promise<void>;
}

/** Interval between attempts to become the host. Milliseconds. */
const lookMs = 1_000;
/** The wait after the file was refused, since somebody may restore the right one. Milliseconds. */
const lookAgainMs = 10_000;
/** Interval between records of the newest write. Milliseconds. */
const recordMs = 1_000;
/** Maximum ended turns that a new host checks, since a dead host may not have sent the ends of its last turns. */
const maxEnds = 50;
/** Maximum turns at once; others wait in the queue, since all turns share the database connections. */
const maxTurns = 32;
/** Each workspace has its own account, since the authors of two workspaces may be of different teams. */
const accountOf: AccountOf = 'workspace';

/** Throws `not_found` if this home has no such workspace. */
export async function openWorkspaceHost(request: WorkspaceHostRequest): Promise<WorkspaceHost> {
  const { configuration, workspace, id, tell } = request;
  const { toWorkspaceSchema } = await import('../../store/postgres/index.ts');
  const schema = toWorkspaceSchema(workspace);
  const path = workspaceFile(configuration.directories, workspace);
  // Reports a missing workspace now, not only when this worker becomes the host.
  await (await openHost({ workspace: path })).close();
  let refusal: string | null = null;
  const hostChannel = await openHostChannel(configuration.values, schema);
  const closing = new AbortController();
  let hostSeat: HostSeat | null = null;
  let wasAway = false;
  let drainTimeMs = 0;
  let endpoint: HostEndpoint | null = null;

  async function takeSeat(): Promise<HostSeat | null> {
    try {
      const hostSeat = await hostChannel.takeSeat({ worker: id, version: version() });
      if (wasAway) tell(`${workspace}: the store is there again`);
      wasAway = false;
      return hostSeat;
    } catch (thrown) {
      if (!wasAway) tell(`${workspace}: waits for the store: ${messageOf(thrown)}`);
      wasAway = true;
      return null;
    }
  }

  async function keepHosting(): Promise<void> {
    const hasClosed = new Promise<null>((done) =>
      closing.signal.addEventListener('abort', () => done(null), { once: true }),
    );
    const address = await Promise.race([request.address, hasClosed]);
    if (address === null) return;
    while (!closing.signal.aborted) {
      // The file lock excludes other processes of this machine, even without the store; the lease excludes other
      // machines.
      const lock = openFileLock(servingLock(path));
      try {
        hostSeat = lock.tryTake() && (await isRightFile()) ? await takeSeat() : null;
        if (hostSeat !== null) await hostWhileHeld(hostSeat, address);
      } finally {
        hostSeat = null;
        lock.release();
      }
      const waitMs = refusal === null ? lookMs : lookAgainMs;
      await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  /** Whether the local file may be the team's. Checked first, so that a worker with a wrong file takes no lease. */
  async function isRightFile(): Promise<boolean> {
    try {
      if ((await hostChannel.readAbout()) !== null) return false;
      const recordedFile = await hostChannel.file();
      const openedWorkspace = await openWorkspace(path, { make: false });
      try {
        requireHostFile(openedWorkspace.world, recordedFile, { workspace, path });
      } finally {
        openedWorkspace.close();
      }
      refusal = null;
      return true;
    } catch (thrown) {
      if (!isSondeError(thrown, 'run_state')) return true;
      if (refusal !== thrown.message)
        tell(`${workspace}: not hosted here. ${thrown.message}. ${thrown.remedy}`);
      refusal = thrown.message;
      return false;
    }
  }

  async function hostWhileHeld(seat: HostSeat, address: HostAddress): Promise<void> {
    tell(`${workspace}: this worker is its host`);
    try {
      await hostOnce({
        ...request,
        schema,
        path,
        hostChannel,
        seat,
        closed: closing.signal,
        hostAddress: address,
        drainMs: () => drainTimeMs,
        onEndpoint: (newEndpoint) => {
          endpoint = newEndpoint;
        },
      });
    } catch (thrown) {
      tell(`${workspace}: ${messageOf(thrown)}`);
    }
    if (seat.lost.aborted) tell(`${workspace}: another worker is its host now`);
    await seat.release().catch(() => {});
  }

  const hosting = keepHosting();
  return {
    workspace,
    isHost: () => hostSeat?.isHeld() === true,
    part: {
      name: `host of ${workspace}`,
      mount(app) {
        const prefix = `/hosts/${encodeURIComponent(workspace)}`;
        app.all(`${prefix}/*`, async ({ req }) => {
          const { pathname, search } = new URL(req.url);
          return endpoint === null
            ? notHostResponse()
            : endpoint.answer(req.raw, `${pathname.slice(prefix.length)}${search}`);
        });
      },
    },
    async close(drainMs) {
      drainTimeMs = drainMs;
      closing.abort();
      await hosting;
      await hostChannel.close().catch(() => {});
    },
  };
}

interface HostingRequest extends WorkspaceHostRequest {
  readonly schema: string;
  readonly path: string;
  readonly hostChannel: HostChannel;
  readonly seat: HostSeat;
  readonly closed: AbortSignal;
  readonly drainMs: () => number;
  readonly hostAddress: HostAddress;
  /** Called with the endpoint that answers fronts, and with null when it is closed. */
  readonly onEndpoint: (endpoint: HostEndpoint | null) => void;
}

/** Resolves when this process is told to stop, or when another host has taken over. */
async function hostOnce(request: HostingRequest): Promise<void> {
  const { configuration, workspace, root, schema, path, hostChannel, seat, tell, closed, drainMs } = request;
  const { id, hostAddress, onEndpoint } = request;
  // Aborted when hosting ends, even by an error, to end its background tasks.
  const workEnd = new AbortController();
  const hostingEnd = AbortSignal.any([closed, seat.lost, workEnd.signal]);
  const { sessions, store } = (await createSessionsOpener(configuration.values, schema))();
  const closers: (() => unknown)[] = [() => store.close(), () => sessions.close()];
  const checkWrite = (): void => {
    if (!seat.isHeld()) throw notHostError(workspace);
  };
  try {
    const openedHost = await openHost({
      workspace: path,
      runStore: store,
      accountOf,
      checkWrite,
      ...(root !== undefined && { root }),
    });
    closers.push(() => openedHost.close());
    // Checked again while holding the lease, since another host may have written before.
    requireHostFile(openedHost.open.world, await hostChannel.file(), { workspace, path });
    const file = readHostFile(openedHost.open.world);
    await seat.recordFile(file);
    const recordingDone = recordWrites(
      { seat, world: openedHost.open.world, signal: hostingEnd },
      file.writes,
    );
    closers.push(() => recordingDone);
    const accountNote = await findAbandonedAccount(openedHost.open);
    if (accountNote !== null) tell(`${workspace}: ${accountNote}`);
    const agent = await openWorkspaceAgent({
      ...{ configuration, opened: openedHost, sessions, store, maxTurns, renewMs },
      environment: withoutHostKeys(processEnvironment()),
      child: { settings: {}, schema, ...(root !== undefined && { root }) },
      onBackup: ({ file, at, bytes }) =>
        seat.recordBackup(
          { file, bytes, machine: hostname(), every: configuration.values.backup_every },
          Date.now() - at,
        ),
      tell: (line) => tell(`${workspace}: ${line}`),
    });
    closers.push(() => agent.close());
    const { requests: requestQueue, mask } = agent;
    const relay = openRelay({ seat, changesOf: changeFinder(openedHost.open.world), tell });
    requestQueue.onEvent(relay.onEvent);
    await sendMissedEnds({ queue: sessions.queue, seat, relay });
    seat.serve((question) => answerRequest(question, requestQueue));
    closers.push(
      hostChannel.listen(({ kind }) => (kind === 'posted' || kind === 'missed') && requestQueue.wake()),
    );
    await agent.start();
    const reportingDone = reportCitedRuns({
      ...{ seat, open: openedHost.open, signal: hostingEnd },
      tell: (line) => tell(`${workspace}: ${line}`),
    });
    closers.push(() => reportingDone);
    const passCheck = await openPassCheck(seat, hostAddress, {
      ...{ worker: id, tell },
      place: { kind: 'workspace', workspace, id: schema },
    });
    closers.push(() => passCheck.close());
    const onError = (message: string) => tell(openedHost.redact(`fronts: ${message}`));
    const api = (await import('../http/open-api.ts')).openApi({
      ...{
        configuration,
        open: openedHost.open,
        name: workspace,
        folder: root ?? null,
        store,
        sessions,
        requests: requestQueue,
      },
      schema,
      accountOf,
      environment: withoutHostKeys(processEnvironment()),
      mask,
      findToken: passCheck.findToken,
      tell: onError,
    });
    closers.push(() => api.close());
    const endpoint = await openHostEndpoint({
      host: openedHost.host,
      passes: passCheck,
      api,
      checkWrite,
      onError,
    });
    closers.push(() => endpoint.close());
    onEndpoint(endpoint);
    await new Promise<void>((done) => {
      if (hostingEnd.aborted) done();
      else hostingEnd.addEventListener('abort', () => done(), { once: true });
    });
    onEndpoint(null);
    // If the lease is lost, it does not wait for running turns: the next host continues them.
    await agent.stop(seat.isHeld() ? drainMs() : 0);
    await relay.waitUntilSent();
  } finally {
    workEnd.abort();
    onEndpoint(null);
    for (const close of closers.splice(0).reverse())
      await Promise.resolve(close()).catch((thrown: unknown) => tell(`${workspace}: ${messageOf(thrown)}`));
  }
}

/** Records each new last write in the store. Resolves when the signal aborts. */
async function recordWrites(
  {
    seat,
    world,
    signal,
  }: {
    readonly seat: HostSeat;
    readonly world: Parameters<typeof readHostFile>[0];
    readonly signal: AbortSignal;
  },
  recordedWrites: number,
): Promise<void> {
  for (;;) {
    const isOver = signal.aborted;
    if (world.head() !== recordedWrites) {
      const file = readHostFile(world);
      const isKept = await seat.recordFile(file).then(
        () => true,
        () => false,
      );
      if (isKept) recordedWrites = file.writes;
    }
    if (isOver) return;
    await sleep(recordMs, undefined, { signal }).catch(() => {});
  }
}

/** Sends the ends of turns that a dead host has stored but not sent, since readers wait for them. */
async function sendMissedEnds({
  queue,
  seat,
  relay,
}: {
  readonly queue: Parameters<typeof openRequestQueue>[0]['queue'];
  readonly seat: HostSeat;
  readonly relay: Relay;
}): Promise<void> {
  const { jobs } = await queue.list({ topic: requestTopic, states: ['done', 'failed'], max: maxEnds });
  for (const { id, thread, outcome } of jobs.map(toRequestRow).toReversed()) {
    const wasBegun = await seat.hasEvent(thread, id, 'turn_started');
    if (outcome === null || !wasBegun || (await seat.hasEvent(thread, id, 'turn_ended'))) continue;
    const status = outcome.status as 'answered';
    relay.onEvent(
      thread,
      { kind: 'turn_ended', run_id: null, status, text: outcome.text, questions: [] },
      id,
    );
  }
}

const notHostResponse = (): Response =>
  Response.json(
    { error: 'this worker is not the host of the workspace' },
    { status: 503, headers: { 'retry-after': '1' } },
  );

const notHostError = (workspace: string): SondeError =>
  new SondeError('lease_lost', {
    message: `This process may not write in ${workspace}: it no longer knows that it is its host`,
    remedy: 'Another worker goes on, or this one once the store answers again.',
  });
