import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { messageOf, SondeError } from '../core/index.ts';
import type { Confinement } from './confinement.ts';
import type { Image } from './image.ts';
import { type ChildCommand, type ChildReport, firstPipe } from './inside/child-protocol.ts';
import { FrameReader, frame } from './inside/frames.ts';
import { type Message, noBytes } from './inside/protocol.ts';
import { type WorkerConnection, type WorkerHost, waitUntilReady } from './worker-host.ts';

/**
 * Maximum number of workers in one process. Each has a pipe, and pipes can only be passed to a process when it starts.
 */
const slotsPerProcess = 32;
/** In bytes. The largest message is a checkpoint of the largest session. */
const maxMessageBytes = 1.25 * 2 ** 30;
const maxErrorBytes = 4000;
/** A worker that should end gets this long before it is ended by force. */
const quitMs = 1000;
/** A process in which a worker can't be ended within this time is killed. */
const killMs = 10_000;
/**
 * The first flag: otherwise V8 gives the heap of a thread that ends to another thread, which returns it to the system
 * when idle. A worker is never idle, since it has no event loop: 100 parallel sessions would leave 400 MB behind. The
 * second: V8 compiles hot code in one thread; with four, the first hundred statements of a new process take twice as
 * long on two cores. The flags of the compiler are in worker-process.ts.
 */
const engineFlags = ['--no-memory-pool-share-memory-on-teardown', '--v8-pool-size=1'];

/** Files that the process may read: its own code and the snapshot. */
function readablePaths({ workerPath, processPath, modulePath, libraryPath }: Image): string[] {
  return [workerPath, processPath, modulePath, libraryPath];
}

/** Flags of Node's permission model that allow reading these files, and threads; nothing else. */
export function permissionFlags(readable: readonly string[]): string[] {
  return [
    '--permission',
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--disallow-code-generation-from-strings',
    '--no-warnings',
  ];
}

/**
 * Workers in child processes with an empty environment, under Node's permission model (no files but the engine's, no
 * child processes, no network, no add-ons) and a confinement by the operating system. An exploit of V8 would reach the
 * sessions of one such process, and nothing else.
 */
export async function openProcessHost(image: Image, confinement: Confinement): Promise<WorkerHost> {
  const processes = new Set<SandboxProcess>();
  let starting: Promise<void> | null = null;
  let number = 0;
  const startProcess = async () => {
    const started = new SandboxProcess(image, confinement, ++number);
    processes.add(started);
    // V8 does not return memory, so idle processes are ended; one is kept, so that the next session starts fast.
    started.onIdle = () => {
      if (processes.size > 1 || started.freeSlots === 0) void started.end();
    };
    void started.gone.then(() => processes.delete(started));
    await started.started;
  };
  /** Takes a free slot of any process, or waits for a new process. Other callers may wait for the same process. */
  const takeSlot = async (): Promise<WorkerConnection> => {
    for (;;) {
      const free = [...processes].find((candidate) => candidate.ready && candidate.freeSlots > 0);
      if (free) return free.connect();
      starting ??= startProcess().finally(() => {
        starting = null;
      });
      await starting;
    }
  };
  await startProcess();
  return {
    connect: async () => {
      const connection = await takeSlot();
      await waitUntilReady(connection);
      return connection;
    },
    facts: () => [
      { name: 'isolation', ok: true, detail: `child process, ${processes.size} running, empty environment` },
      {
        name: 'permission model',
        ok: true,
        detail: 'no files but the engine, no processes, no network, no add-ons',
      },
      { name: 'confinement', ok: true, detail: confinement.detail },
    ],
    close: async () => {
      await Promise.all([...processes].map((sandboxProcess) => sandboxProcess.end()));
    },
  };
}

class SandboxProcess {
  readonly started: Promise<void>;
  /** Called whenever the last worker of the process has ended. */
  onIdle: () => void = () => {};
  /** Settles with the reason once the process is gone. */
  readonly gone: Promise<string>;
  readonly #number: number;
  readonly #child: ChildProcess;
  readonly #freeSlotNumbers = Array.from({ length: slotsPerProcess }, (_, slot) => slot);
  readonly #unusableSlots = new Set<number>();
  readonly #ended = new Map<number, (reason: string) => void>();
  #ready = false;
  #errors = '';
  /** Why this host killed the process; null if it did not. */
  #cause: string | null = null;

  constructor(image: Image, confinement: Confinement, number: number) {
    this.#number = number;
    const readable = readablePaths(image);
    const filterDescriptor = firstPipe + slotsPerProcess;
    const [command = '', ...args] = confinement.wrap(
      process.execPath,
      [...permissionFlags(readable), ...engineFlags, image.processPath],
      readable,
      filterDescriptor,
    );
    this.#child = spawn(command, args, {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', ...new Array<'pipe'>(slotsPerProcess + 1).fill('pipe')],
    });
    // Registered before the streams are used: if the machine can't start the process, there are no streams.
    this.gone = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(messageOf(error)));
      this.#child.on('exit', (code, signal) => resolve(this.#exitReason(code, signal)));
    });
    this.#child.stderr?.on('data', (text: Buffer) => {
      if (this.#errors.length < maxErrorBytes) this.#errors += text.toString();
    });
    for (const pipe of this.#pipes()) {
      // Ignored: the process has ended, which `gone` and `ended` report.
      pipe.on('error', () => {});
    }
    this.#pipes()
      .at(-1)
      ?.end(confinement.filter ?? '');
    void this.gone.then((reason) => {
      for (const end of this.#ended.values()) end(reason);
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#child.on('message', (report: ChildReport) => {
      if (report.kind === 'begun') {
        this.#ready = true;
        resolve();
      } else this.#onEnded(report.slot, report.problem);
    });
    void this.gone.then((reason) => {
      const remedy = 'run `sonde doctor`; the isolation `thread` needs no process';
      reject(
        new SondeError('tool_failed', { message: `the sandbox process did not start: ${reason}`, remedy }),
      );
    });
    this.started = promise;
    this.#sendCommand({
      kind: 'begin',
      program: image.workerPath,
      module: image.modulePath,
      library: image.libraryPath,
      snapshot: image.snapshot,
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  get freeSlots(): number {
    return this.#freeSlotNumbers.length;
  }

  connect(): WorkerConnection {
    const slot = this.#freeSlotNumbers.shift();
    if (slot === undefined)
      throw new SondeError('internal', { message: 'the sandbox process has no free slot' });
    const socket = this.#child.stdio[firstPipe + slot] as Duplex;
    const ended = new Promise<string>((resolve) => this.#ended.set(slot, resolve));
    let serial = 0;
    let listener: (message: Message) => void = () => {};
    const reader = new FrameReader(maxMessageBytes);
    const onData = (bytes: Buffer) => {
      try {
        reader.push(bytes);
        for (let message = reader.next(); message; message = reader.next()) listener(message);
      } catch {
        // No correct worker sends this: the worker must not be trusted any more.
        this.#kill('it sent an invalid message');
      }
    };
    socket.on('data', onData);
    void ended.then(() => socket.off('data', onData));
    this.#sendCommand({ kind: 'start', slot });
    return {
      send: (kind, text, bytes) => socket.write(frame(kind, text, bytes)),
      listen: (next) => {
        listener = next;
      },
      ended,
      processNumber: this.#number,
      nextSerial: () => ++serial,
      cancel: (serial) => this.#sendCommand({ kind: 'cancel', slot, serial }),
      end: async () => {
        socket.write(frame('quit', '', noBytes));
        // A worker that does not answer on its pipe is ended by force. Unread or half written data stays in the pipe,
        // so no other worker can use it.
        const force = setTimeout(() => {
          this.#unusableSlots.add(slot);
          this.#sendCommand({ kind: 'end', slot });
        }, quitMs);
        const last = setTimeout(() => this.#kill('it did not end a worker in time'), killMs);
        await ended;
        clearTimeout(force);
        clearTimeout(last);
      },
    };
  }

  async end(): Promise<void> {
    this.#kill('the sandbox was closed, or had no session left');
    await this.gone;
    for (const pipe of this.#pipes()) pipe.destroy();
  }

  #kill(cause: string): void {
    this.#cause ??= cause;
    this.#child.kill('SIGKILL');
  }

  #pipes(): Duplex[] {
    return (this.#child.stdio ?? []).slice(firstPipe) as Duplex[];
  }

  #sendCommand(command: ChildCommand): void {
    if (this.#child.connected) this.#child.send(command, () => {});
  }

  #onEnded(slot: number, problem: string | null): void {
    this.#ended.get(slot)?.(
      problem === null ? 'the worker thread ended' : `the worker thread failed: ${problem}`,
    );
    this.#ended.delete(slot);
    if (problem === null && !this.#unusableSlots.has(slot)) this.#freeSlotNumbers.push(slot);
    if (this.#ended.size === 0) this.onIdle();
  }

  #exitReason(code: number | null, signal: string | null): string {
    const status = signal === null ? `ended with status ${code}` : `was killed by ${signal}`;
    const last = this.#errors.trim().split('\n').slice(-3).join(' ');
    return `the sandbox process ${status}${this.#cause === null ? '' : ` by its host, since ${this.#cause}`}${last === '' ? '' : `: ${last}`}`;
  }
}
