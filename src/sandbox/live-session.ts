import { randomBytes } from 'node:crypto';
import { messageOf, SondeError, sha256 } from '../core/index.ts';
import { cellResult, cellValue, type DriverReply, variableRows } from './cell-result.ts';
import type { DoneReport, Message, OpenCommand, RunReport } from './inside/protocol.ts';
import { type Limits, limitsWith } from './limits.ts';
import { answerCall, type CallAnswer } from './operations.ts';
import { runCommand } from './run-command.ts';
import type {
  CellOptions,
  CellResult,
  CellValue,
  Operations,
  SandboxImage,
  Session,
  SessionOptions,
  Variable,
} from './sandbox.ts';
import { Watchdog } from './watchdog.ts';
import type { Connection } from './worker-host.ts';

/** Looking at variables and values is the host's wish: it does not count as the guest's. */
const lookLimits = { fuel: 50_000_000, wall_ms: 2000, calls: 0 };
/** A worker is asked to stop at `wall_ms`; if it has not answered by so much later, it is ended. */
const watchdogMs = 10_000;
/** For what runs no code of the guest: a checkpoint of the largest session takes seconds, closing none. */
const patienceMs = { checkpoint: 60_000, restore: 60_000, close: 5000 };

/** A worker whose memory has grown beyond this serves no other session: it would not shrink. */
const wornBytes = 64 * 2 ** 20;

/** What the host itself must know of a session that is continued elsewhere. */
interface Note {
  readonly cells: number;
  readonly names: readonly string[];
}

/** The host's side of one session on one worker. */
export class LiveSession implements Session {
  readonly image: SandboxImage;
  readonly #connection: Connection;
  readonly #operations: Operations;
  readonly #limits: Limits;
  /** Gives the worker back: `reusable` where nothing went wrong with it. */
  readonly #release: (reusable: boolean) => Promise<void>;
  /** Ends the cell that runs, and the operations it waits for. */
  #stop = new AbortController();
  /** Fails the command that is under way. */
  #fail: (error: SondeError) => void = () => {};
  #queue: Promise<unknown> = Promise.resolve();
  /** Serial number of the command that runs; 0: none. */
  #running = 0;
  #cells = 0;
  #names: readonly string[] = [];
  #memoryBytes = 0;
  #lost: SondeError | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    connection: Connection,
    image: SandboxImage,
    options: SessionOptions,
    defaults: Limits,
    release: (reusable: boolean) => Promise<void>,
  ) {
    this.#connection = connection;
    this.image = image;
    this.#operations = options.operations ?? {};
    this.#limits = limitsWith(defaults, options.limits);
    this.#release = release;
    void connection.ended.then((reason) => this.#lose(reason));
  }

  async begin(seed: string = randomBytes(16).toString('hex')): Promise<void> {
    const hash = Buffer.from(sha256(seed), 'hex');
    const command: OpenCommand = {
      seed: [hash.readUInt32LE(0), hash.readUInt32LE(4), hash.readUInt32LE(8), hash.readUInt32LE(12)],
      first: runCommand(this.#connection, { op: 'seed', seed: sha256(`random ${seed}`) }, this.#limits),
    };
    const { report } = await this.#command('open', json(command));
    if (!report.ok) throw this.#lose(report.problem);
  }

  async resume(checkpoint: Uint8Array): Promise<void> {
    const { report } = await this.#command('restore', checkpoint);
    if (report.ok) {
      const note = JSON.parse(report.note ?? '{}') as Partial<Note>;
      this.#cells = note.cells ?? 0;
      this.#names = note.names ?? [];
      return;
    }
    const remedy = 'restore with the version and the helper modules that made it';
    throw new SondeError('bad_argument', { message: report.problem, remedy });
  }

  execute(code: string, options: CellOptions = {}): Promise<CellResult> {
    const limits = limitsWith(this.#limits, options.limits);
    const length = Buffer.byteLength(code);
    if (length > limits.code_bytes) {
      throw new SondeError('bad_argument', {
        message: `the cell has ${length} bytes of code, where ${limits.code_bytes} are allowed`,
        remedy: 'send less code, or raise the limit code_bytes',
        details: { limit: 'code_bytes', allowed: limits.code_bytes, used: length },
      });
    }
    return this.#inTurn(async () => {
      const request = { op: 'cell', code, number: ++this.#cells, value_bytes: limits.value_bytes };
      const { run, reply } = await this.#run(request, limits, options);
      const result = cellResult(run, reply, limits, this.#names);
      this.#names = result.names;
      return result;
    });
  }

  variables(): Promise<readonly Variable[]> {
    return this.#inTurn(async () => {
      const limits = limitsWith(this.#limits, lookLimits);
      const full = await this.#look({ op: 'variables', previews: true }, limits);
      const rows = variableRows(full.reply);
      if (rows) return rows;
      const bare = await this.#look({ op: 'variables', previews: false }, limits);
      return variableRows(bare.reply) ?? [];
    });
  }

  read(name: string): Promise<CellValue | null> {
    return this.#inTurn(async () => {
      const limits = limitsWith(this.#limits, lookLimits);
      const { reply } = await this.#look({ op: 'value', name, value_bytes: limits.value_bytes }, limits);
      if (reply?.status === 'missing') return null;
      const value = reply?.status === 'ok' ? cellValue(reply.value) : null;
      if (value) return value;
      return { type: '?', repr: '', problem: 'reading it took too long' };
    });
  }

  checkpoint(): Promise<Uint8Array> {
    return this.#inTurn(async () => {
      const note: Note = { cells: this.#cells, names: this.#names };
      const { image } = await this.#command('checkpoint', json(note));
      if (!image) throw new SondeError('internal', { message: 'the worker sent no checkpoint' });
      return image;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    const ended = this.#lost;
    this.#stop.abort();
    if (this.#running !== 0) this.#connection.cancel(this.#running);
    await this.#queue.catch(() => {});
    const idle = !ended && !this.#lost;
    if (idle) await this.#command('close', new Uint8Array(0)).catch(() => {});
    const reusable = idle && !this.#lost && this.#memoryBytes <= wornBytes;
    this.#lost ??= sandboxEnded('the session was closed');
    await this.#release(reusable);
  }

  /** One command at a time; a closed or lost session refuses. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => {
      if (this.#closing) throw sandboxEnded('the session was closed');
      return work();
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  #look(request: unknown, limits: Limits) {
    return this.#run(request, limits, { discard: true });
  }

  async #run(
    request: unknown,
    limits: Limits,
    { signal, clock, discard = false }: CellOptions & { readonly discard?: boolean } = {},
  ): Promise<{ run: RunReport; reply: DriverReply | null }> {
    const command = runCommand(this.#connection, request, limits, {
      discard,
      ...(clock !== undefined && { clock }),
    });
    const { serial } = command;
    this.#running = serial;
    const stop = new AbortController();
    this.#stop = stop;
    const cancel = () => {
      stop.abort();
      this.#connection.cancel(serial);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      if (signal?.aborted || this.#closing) cancel();
      const { report } = await this.#command('run', json(command), { limits, stop: stop.signal });
      if (!report.ok || !report.run)
        throw this.#lose(report.ok ? 'the worker sent no report' : report.problem);
      this.#memoryBytes = report.run.memoryBytes;
      return { run: report.run, reply: (report.reply as DriverReply | undefined) ?? null };
    } finally {
      this.#running = 0;
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Sends a command, answers the calls that the guest makes meanwhile, and waits for the end of it. */
  async #command(
    kind: Message['kind'],
    bytes: Uint8Array,
    running?: { limits: Limits; stop: AbortSignal },
  ): Promise<{ report: DoneReport; image: Uint8Array | null }> {
    if (this.#lost) throw this.#lost;
    const { promise, resolve, reject } = Promise.withResolvers<{
      report: DoneReport;
      image: Uint8Array | null;
    }>();
    const patience =
      kind in patienceMs
        ? patienceMs[kind as keyof typeof patienceMs]
        : (running?.limits ?? this.#limits).wall_ms + watchdogMs;
    const watchdog = new Watchdog(patience, () => {
      void this.#connection.end();
      reject(this.#lose('the worker stopped answering'));
    });
    let image: Uint8Array | null = null;
    this.#connection.listen((message) => {
      if (message.kind === 'image') image = message.bytes;
      else if (message.kind === 'done') {
        try {
          resolve({ report: JSON.parse(Buffer.from(message.bytes).toString()) as DoneReport, image });
        } catch (error) {
          reject(this.#lose(`the worker sent a malformed report: ${messageOf(error)}`));
        }
      } else if (message.kind === 'call' && running) {
        watchdog.pause();
        const send = (answer: CallAnswer) => {
          watchdog.resume();
          if (answer === 'stop') this.#connection.send('stop', new Uint8Array(0));
          else this.#connection.send('answer', answer);
        };
        const answer = answerCall(message.bytes, this.#operations, running.limits, running.stop);
        if (answer instanceof Promise) void answer.then(send);
        else send(answer);
      }
    });
    this.#fail = reject;
    this.#connection.send(kind, bytes);
    try {
      return await promise;
    } finally {
      watchdog.stop();
      this.#fail = () => {};
    }
  }

  #lose(reason: string): SondeError {
    this.#lost ??= sandboxEnded(reason);
    this.#stop.abort();
    this.#fail(this.#lost);
    return this.#lost;
  }
}

function sandboxEnded(reason: string): SondeError {
  return new SondeError('sandbox_ended', {
    message: `the sandbox session has ended: ${reason}`,
    remedy: 'open a new session, or restore a checkpoint',
  });
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
