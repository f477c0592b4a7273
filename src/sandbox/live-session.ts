import { randomBytes } from 'node:crypto';
import { SondeError, sha256 } from '../core/index.ts';
import { type DriverReply, parseVariables, toCellResult, toCellValue } from './cell-result.ts';
import { noBytes, type OpenCommand, type RunReport } from './inside/protocol.ts';
import { type Limits, mergeLimits } from './limits.ts';
import { runCommand } from './run-command.ts';
import type {
  CellOptions,
  CellResult,
  CellValue,
  SandboxImage,
  Session,
  SessionOptions,
  Variable,
} from './sandbox.ts';
import { StopRequest } from './stop-request.ts';
import { createEndedError, type DoneMessage, WorkerCommands } from './worker-commands.ts';
import type { WorkerConnection } from './worker-host.ts';

/** Limits for reading variables and values, which are not charged to the guest's own limits. */
const inspectLimits = { fuel: 50_000_000, wall_ms: 2000, calls: 0 };
/** A worker is interrupted at `wall_ms`; if it has not answered after this many further milliseconds, it is ended. */
const watchdogMs = 10_000;
/** Timeouts of commands that run no cell. A checkpoint of the largest session takes seconds. */
const timeoutMs = { open: 60_000, checkpoint: 60_000, restore: 60_000, close: 5000 };

/** A worker whose memory, in bytes, has grown beyond this is not reused, since its memory can't shrink. */
const maxReusableBytes = 64 * 2 ** 20;

/** Data stored with a checkpoint to continue the session elsewhere. */
interface SessionNote {
  readonly cells: number;
  readonly names: readonly string[];
}

/** The host's side of one session on one worker. */
export class LiveSession implements Session {
  readonly image: SandboxImage;
  readonly #connection: WorkerConnection;
  readonly #line: WorkerCommands;
  readonly #limits: Limits;
  /** Gives the worker back. `reusable`: nothing went wrong with it. */
  readonly #release: (reusable: boolean) => Promise<void>;
  /** Settles when all commands so far have ended; null if there are none. Never rejects. */
  #queue: Promise<void> | null = null;
  /** Kills the running cell, if there is one. */
  #cancel: () => void = () => {};
  #cells = 0;
  #names: readonly string[] = [];
  #memoryBytes = 0;
  #closing: Promise<void> | null = null;

  constructor(
    connection: WorkerConnection,
    image: SandboxImage,
    options: SessionOptions,
    defaults: Limits,
    release: (reusable: boolean) => Promise<void>,
  ) {
    this.#connection = connection;
    this.image = image;
    this.#line = new WorkerCommands(connection, options.operations ?? {});
    this.#limits = mergeLimits(defaults, options.limits);
    this.#release = release;
  }

  async begin(seed: string = randomBytes(16).toString('hex')): Promise<void> {
    const hash = Buffer.from(sha256(seed), 'hex');
    const command: OpenCommand = {
      seed: [hash.readUInt32LE(0), hash.readUInt32LE(4), hash.readUInt32LE(8), hash.readUInt32LE(12)],
      first: runCommand(this.#connection, this.#limits),
    };
    const first = toJsonBytes({ op: 'seed', seed: sha256(`random ${seed}`) });
    const { report } = await this.#sendCommand('open', JSON.stringify(command), first);
    if (!report.ok) throw this.#line.markLost(report.problem);
  }

  async resume(checkpoint: Uint8Array): Promise<void> {
    const { report } = await this.#sendCommand('restore', '', checkpoint);
    if (report.ok) {
      const note = JSON.parse(report.note ?? '{}') as Partial<SessionNote>;
      this.#cells = note.cells ?? 0;
      this.#names = note.names ?? [];
      return;
    }
    const remedy = 'restore with the version and the helper modules that made it';
    throw new SondeError('bad_argument', { message: report.problem, remedy });
  }

  execute(code: string, options: CellOptions = {}): Promise<CellResult> {
    const limits = mergeLimits(this.#limits, options.limits);
    const length = Buffer.byteLength(code);
    if (length > limits.code_bytes) {
      throw new SondeError('bad_argument', {
        message: `the cell has ${length} bytes of code, where ${limits.code_bytes} are allowed`,
        remedy: 'send less code, or raise the limit code_bytes',
        details: { limit: 'code_bytes', allowed: limits.code_bytes, used: length },
      });
    }
    return this.#enqueue(async () => {
      const request = { op: 'cell', code, number: ++this.#cells, value_bytes: limits.value_bytes };
      const { run, reply } = await this.#run(request, limits, options);
      const result = toCellResult(run, reply, limits, this.#names);
      this.#names = result.names;
      return result;
    });
  }

  variables(): Promise<readonly Variable[]> {
    return this.#enqueue(async () => {
      const limits = mergeLimits(this.#limits, inspectLimits);
      const full = await this.#inspect({ op: 'variables', previews: true }, limits);
      const rows = parseVariables(full.reply);
      if (rows) return rows;
      const withoutPreviews = await this.#inspect({ op: 'variables', previews: false }, limits);
      return parseVariables(withoutPreviews.reply) ?? [];
    });
  }

  read(name: string): Promise<CellValue | null> {
    return this.#enqueue(async () => {
      const limits = mergeLimits(this.#limits, inspectLimits);
      const { reply } = await this.#inspect({ op: 'value', name, value_bytes: limits.value_bytes }, limits);
      if (reply?.status === 'missing') return null;
      const value = reply?.status === 'ok' ? toCellValue(reply.value) : null;
      if (value) return value;
      return { type: '?', repr: '', problem: 'reading it took too long' };
    });
  }

  checkpoint(): Promise<Uint8Array> {
    return this.#enqueue(async () => {
      const note: SessionNote = { cells: this.#cells, names: this.#names };
      const { image } = await this.#sendCommand('checkpoint', JSON.stringify(note));
      if (!image) throw new SondeError('internal', { message: 'the worker sent no checkpoint' });
      return image;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.#cancel();
    await this.#queue;
    if (!this.#line.lost) await this.#sendCommand('close').catch(() => {});
    const reusable = !this.#line.lost && this.#memoryBytes <= maxReusableBytes;
    this.#line.markLost('the session was closed');
    await this.#release(reusable);
  }

  /** Runs one command at a time; throws if the session is closed. */
  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#queue;
    this.#queue = promise;
    try {
      if (before) await before;
      if (this.#closing) throw createEndedError('the session was closed');
      return await work();
    } finally {
      if (this.#queue === promise) this.#queue = null;
      resolve();
    }
  }

  #inspect(request: unknown, limits: Limits) {
    return this.#run(request, limits, { discard: true });
  }

  async #run(
    request: unknown,
    limits: Limits,
    { signal, clock, discard = false }: CellOptions & { readonly discard?: boolean } = {},
  ): Promise<{ run: RunReport; reply: DriverReply | null }> {
    const command = runCommand(this.#connection, limits, { discard, ...(clock !== undefined && { clock }) });
    const stopRequest = new StopRequest();
    const cancel = () => {
      stopRequest.request();
      this.#connection.cancel(command.serial);
    };
    this.#cancel = cancel;
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      if (signal?.aborted || this.#closing) cancel();
      const message = { kind: 'run', text: JSON.stringify(command), bytes: toJsonBytes(request) } as const;
      const timeout = limits.wall_ms + watchdogMs;
      const { report, reply } = await this.#line.command(message, timeout, { limits, stop: stopRequest });
      if (!report.ok || !report.run)
        throw this.#line.markLost(report.ok ? 'the worker sent no report' : report.problem);
      this.#memoryBytes = report.run.memoryBytes;
      return { run: report.run, reply };
    } finally {
      this.#cancel = () => {};
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** A command that runs no code of a cell. */
  #sendCommand(
    kind: 'open' | 'restore' | 'checkpoint' | 'close',
    text = '',
    bytes: Uint8Array = noBytes,
  ): Promise<DoneMessage> {
    return this.#line.command({ kind, text, bytes }, timeoutMs[kind]);
  }
}

function toJsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
