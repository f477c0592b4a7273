import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError } from '../core/index.ts';
import { type ConfinementChoice, chooseConfinement } from './confinement.ts';
import { healthOf } from './health.ts';
import { type Image, type ImageOptions, prepareImage } from './image.ts';
import { defaultLimits, type Limits, limitsWith } from './limits.ts';
import { LiveSession } from './live-session.ts';
import { processHost } from './process-host.ts';
import type { Sandbox, Session, SessionOptions } from './sandbox.ts';
import { threadHost } from './thread-host.ts';
import type { WorkerConnection } from './worker-host.ts';
import { WorkerPool } from './worker-pool.ts';

export interface SandboxOptions extends ImageOptions {
  /**
   * `process`: workers in a child process with nothing in reach. `thread`: in this process, where V8 keeps the heaps
   * of threads that ended, 6 MB each, for later ones. Default `process`.
   */
  readonly isolation?: 'process' | 'thread';
  /** The confinement of the operating system for the process. Default `best`: the strictest one that works here. */
  readonly confinement?: ConfinementChoice;
  /** Default limits of sessions. */
  readonly limits?: Partial<Limits>;
  /**
   * Most workers kept ready for later sessions; each takes about 8 MB. One is made ready with the first
   * session and whenever none is left; the others have served before. With 1, none is kept in addition.
   * Default 2.
   */
  readonly warm?: number;
  /** Sessions that may be open at once. Default 256. */
  readonly maxSessions?: number;
}

/** When a sandbox is closed, cells that run get this long to come to their end. */
const orderlyMs = 2000;
/** Codes of errors that say that a worker is gone, or could not be started. */
const lossCodes: ReadonlySet<string> = new Set(['sandbox_ended', 'tool_failed']);

/** CPython in WebAssembly. Nothing is started before the first session is opened. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits = limitsWith(defaultLimits, options.limits);
  const { isolation = 'process', confinement = 'best', warm = 2, maxSessions = 256 } = options;
  const sessions = new Set<LiveSession>();
  let started: Promise<WorkerPool> | null = null;
  let runsOn: Image | null = null;
  let closed = false;

  const start = async () => {
    const image = await prepareImage(options);
    runsOn = image;
    const host =
      isolation === 'thread'
        ? await threadHost(image)
        : await processHost(image, await chooseConfinement(confinement));
    return new WorkerPool(host, warm);
  };
  const pool = () => {
    if (closed)
      throw new SondeError('sandbox_ended', { message: 'the sandbox was closed', remedy: 'create another' });
    // A start that failed is tried again by the next session.
    started ??= start().catch((error: unknown) => {
      started = null;
      throw error;
    });
    return started;
  };

  const enter = async (
    session: SessionOptions,
    begin: (live: LiveSession) => Promise<void>,
  ): Promise<Session> => {
    limitsWith(limits, session.limits);
    const from = await pool();
    if (sessions.size >= maxSessions) {
      throw new SondeError('run_state', {
        message: `${sessions.size} sandbox sessions are open, where ${maxSessions} are allowed`,
        remedy: 'close one, or raise maxSessions',
        details: { allowed: maxSessions, used: sessions.size },
      });
    }
    const openOn = async (connection: WorkerConnection): Promise<Session> => {
      const { interpreter, library, snapshot } = runsOn!;
      const image = { interpreter, library, snapshot };
      const live = new LiveSession(connection, image, session, limits, async (reusable) => {
        sessions.delete(live);
        await from.giveBack(connection, reusable);
      });
      sessions.add(live);
      try {
        await begin(live);
      } catch (error) {
        await live.close();
        throw error;
      }
      return live;
    };
    try {
      return await openOn(await from.take());
    } catch (error) {
      // A worker that waited for its session, or was to start, may have ended. The session has not begun: once more.
      if (closed || !(error instanceof SondeError && lossCodes.has(error.code))) throw error;
      return openOn(await from.host.connect());
    }
  };

  return {
    open: (session = {}) => enter(session, (live) => live.begin(session.seed)),
    restore: (checkpoint, session = {}) => enter(session, (live) => live.resume(checkpoint)),
    health: async () => healthOf(options, pool),
    close: async () => {
      closed = true;
      const ended = Promise.all([...sessions].map((session) => session.close()));
      // Sessions that have not ended by then are ended with their worker.
      await Promise.race([ended, sleep(orderlyMs, null, { ref: false })]);
      await started?.then(
        (running) => running.close(),
        () => {},
      );
      await ended;
    },
  };
}
