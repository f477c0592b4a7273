import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { messageOf, SondeError } from '../core/index.ts';
import type { Confinement } from './confinement.ts';
import type { Image } from './image.ts';
import { type ChildCommand, type ChildReport, firstPipe } from './inside/child-protocol.ts';
import { FrameReader, frame } from './inside/frames.ts';
import { type Message, noBytes } from './inside/protocol.ts';
import { untilReady, type WorkerConnection, type WorkerHost } from './worker-host.ts';

/**
 * Maximum number of workers in one process. Each has a pipe, and pipes can only be passed to a process when it starts.
 */
const slotsPerProcess = 32;
/** A checkpoint of the largest session is the largest message. */
const maxMessageBytes = 1.25 * 2 ** 30;
const maxErrorBytes = 4000;
/** A worker that is to end gets this long to do so by itself. */
const quitMs = 1000;
/** A process in which a worker can't be ended within this does not answer at all. */
const hungMs = 10_000;
/**
 * V8 hands the heap of a thread that ends to another thread, which gives it back to the system when it is
 * next idle. A worker never is: it has no event loop. 100 sessions at once would leave 400 MB behind. V8
 * compiles hot code in one thread beside the cells: with four, the first hundred statements of a new process
 * take twice as long on two cores. Flags of the compiler are in worker-process.ts.
 */
const engineFlags = ['--no-memory-pool-share-memory-on-teardown', '--v8-pool-size=1'];

/** Files that the process may read: its own code and the snapshot. */
function readablePaths({ workerPath, processPath, modulePath, libraryPath }: Image): string[] {
  return [workerPath, processPath, modulePath, libraryPath];
}

/** Node's permission model: reading these, and threads; nothing else. */
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
 * Workers in processes of their own, with an empty environment, under Node's permission model (no files but the
 * engine's, no child processes, no network, no add-ons) and what confinement the operating system offers. A flaw in
 * V8 would reach the sessions of one such process, and nothing else.
 */
export async function processHost(image: Image, confinement: Confinement): Promise<WorkerHost> {
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
    await started.begun;
  };
  /** Takes a slot at once, wherever one is free: others may be waiting for the same. */
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
      await untilReady(connection);
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
  readonly begun: Promise<void>;
  /** Called whenever its last worker has ended. */
  onIdle: () => void = () => {};
  /** Settles with the reason once the process is gone. */
  readonly gone: Promise<string>;
  readonly #number: number;
  readonly #child: ChildProcess;
  readonly #free = Array.from({ length: slotsPerProcess }, (_, slot) => slot);
  readonly #spoilt = new Set<number>();
  readonly #ended = new Map<number, (reason: string) => void>();
  #ready = false;
  #errors = '';
  /** Why it was killed from here; null if that was somebody else. */
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
      // The other end is gone: `gone` and `ended` tell of it.
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
      const remedy = 'run `sonde doctor`; the in-process isolation does without a process';
      reject(
        new SondeError('tool_failed', { message: `the sandbox process did not start: ${reason}`, remedy }),
      );
    });
    this.begun = promise;
    this.#tell({
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
    return this.#free.length;
  }

  connect(): WorkerConnection {
    const slot = this.#free.shift();
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
        // No honest worker sends this: the other end of the pipe is not to be talked to any more.
        this.#kill('it sent what no worker sends');
      }
    };
    socket.on('data', onData);
    void ended.then(() => socket.off('data', onData));
    this.#tell({ kind: 'start', slot });
    return {
      send: (kind, text, bytes) => socket.write(frame(kind, text, bytes)),
      listen: (next) => {
        listener = next;
      },
      ended,
      processNumber: this.#number,
      nextSerial: () => ++serial,
      cancel: (serial) => this.#tell({ kind: 'cancel', slot, serial }),
      end: async () => {
        socket.write(frame('quit', '', noBytes));
        // A worker that does not answer on its pipe is ended by force. What it has left unread or half
        // written stays in the pipe, so no other worker can use it.
        const force = setTimeout(() => {
          this.#spoilt.add(slot);
          this.#tell({ kind: 'end', slot });
        }, quitMs);
        const last = setTimeout(() => this.#kill('it did not end a worker in time'), hungMs);
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

  #tell(command: ChildCommand): void {
    if (this.#child.connected) this.#child.send(command, () => {});
  }

  #onEnded(slot: number, problem: string | null): void {
    this.#ended.get(slot)?.(
      problem === null ? 'the worker thread ended' : `the worker thread failed: ${problem}`,
    );
    this.#ended.delete(slot);
    if (problem === null && !this.#spoilt.has(slot)) this.#free.push(slot);
    if (this.#ended.size === 0) this.onIdle();
  }

  #exitReason(code: number | null, signal: string | null): string {
    const status = signal === null ? `ended with status ${code}` : `was killed by ${signal}`;
    const last = this.#errors.trim().split('\n').slice(-3).join(' ');
    return `the sandbox process ${status}${this.#cause === null ? '' : ` by its host, since ${this.#cause}`}${last === '' ? '' : `: ${last}`}`;
  }
}
