import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, SondeError } from '../core/index.ts';
import { type ConfinementChoice, chooseConfinement } from './confinement.ts';
import { type Image, type ImageOptions, prepareImage } from './image.ts';
import { defaultLimits, type Limits, mergeLimits } from './limits.ts';
import { LiveSession } from './live-session.ts';
import { openProcessHost } from './process-host.ts';
import type { Sandbox, SandboxHealth, Session, SessionOptions } from './sandbox.ts';
import { openThreadHost } from './thread-host.ts';
import type { WorkerConnection } from './worker-host.ts';
import { WorkerPool } from './worker-pool.ts';

export interface SandboxOptions extends ImageOptions {
  /**
   * `process`: workers in a confined child process. `thread`: in this process, where V8 keeps the heaps of ended threads,
   * 6 MB each, for later ones. Default `process`.
   */
  readonly isolation?: 'process' | 'thread';
  /** The confinement of the operating system for the process. Default `best`: the strictest one that works here. */
  readonly confinement?: ConfinementChoice;
  /** Default limits of sessions. */
  readonly limits?: Partial<Limits>;
  /**
   * Maximum number of idle workers kept for later sessions; each takes about 8 MB. One is started in advance with the
   * first session and whenever none is left; the others are reused workers. With 1, none is reused. Default 2.
   */
  readonly warm?: number;
  /** Sessions that may be open at once. Default 256. */
  readonly maxSessions?: number;
}

/** Running cells get this long to end when the sandbox is closed. */
const closeMs = 2000;
/** Codes of the errors for a worker that has ended or could not be started. */
const lossCodes: ReadonlySet<string> = new Set(['sandbox_ended', 'tool_failed']);

/** CPython in WebAssembly. Nothing is started before the first session is opened. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits = mergeLimits(defaultLimits, options.limits);
  const { isolation = 'process', confinement = 'best', warm = 2, maxSessions = 256 } = options;
  const sessions = new Set<LiveSession>();
  let started: Promise<WorkerPool> | null = null;
  let currentImage: Image | null = null;
  let closed = false;

  const start = async () => {
    const image = await prepareImage(options);
    currentImage = image;
    const host =
      isolation === 'thread'
        ? await openThreadHost(image)
        : await openProcessHost(image, await chooseConfinement(confinement));
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

  const openSession = async (
    session: SessionOptions,
    begin: (live: LiveSession) => Promise<void>,
  ): Promise<Session> => {
    mergeLimits(limits, session.limits);
    const workers = await pool();
    if (sessions.size >= maxSessions) {
      throw new SondeError('run_state', {
        message: `${sessions.size} sandbox sessions are open, where ${maxSessions} are allowed`,
        remedy: 'close one, or raise maxSessions',
        details: { allowed: maxSessions, used: sessions.size },
      });
    }
    const openOn = async (connection: WorkerConnection): Promise<Session> => {
      const { interpreter, library, snapshot } = currentImage!;
      const image = { interpreter, library, snapshot };
      const live = new LiveSession(connection, image, session, limits, async (reusable) => {
        sessions.delete(live);
        await workers.giveBack(connection, reusable);
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
      return await openOn(await workers.take());
    } catch (error) {
      // An idle or starting worker may have ended. The session has not begun, so try once more.
      if (closed || !(error instanceof SondeError && lossCodes.has(error.code))) throw error;
      return openOn(await workers.host.connect());
    }
  };

  return {
    open: (session = {}) => openSession(session, (live) => live.begin(session.seed)),
    restore: (checkpoint, session = {}) => openSession(session, (live) => live.resume(checkpoint)),
    health: async () => checkHealth(options, pool),
    close: async () => {
      closed = true;
      const ended = Promise.all([...sessions].map((session) => session.close()));
      // Sessions that have not ended by then are ended with their worker.
      await Promise.race([ended, sleep(closeMs, null, { ref: false })]);
      await started?.then(
        (running) => running.close(),
        () => {},
      );
      await ended;
    },
  };
}

/** Starts the sandbox if needed and checks it. Never throws. */
async function checkHealth(options: SandboxOptions, pool: () => Promise<WorkerPool>): Promise<SandboxHealth> {
  const helpers = options.helpers?.map(({ name }) => name).join(', ');
  try {
    const workers = await pool();
    await workers.giveBack(await workers.take(), true);
    const facts = [
      {
        name: 'interpreter',
        ok: true,
        detail: `CPython 3.13 as WebAssembly${helpers ? ` with ${helpers}` : ''}`,
      },
      { name: 'metering', ok: options.metered !== false, detail: options.metered === false ? 'off' : 'on' },
      ...workers.host.facts(),
    ];
    return Object.freeze({ ok: facts.every(({ ok }) => ok), facts });
  } catch (error) {
    return Object.freeze({ ok: false, facts: [{ name: 'start', ok: false, detail: messageOf(error) }] });
  }
}
