import { CapturedOutput } from './captured-output.ts';
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint-file.ts';
import { CellKilled, Engine, type EngineHost } from './engine.ts';
import { captureImage, grain, type MemoryImage, resetMemory } from './memory-image.ts';
import type { Excess, KillReason, RunCommand, RunLimits, RunReport, WorkerStart } from './protocol.ts';
import { libraryPath } from './protocol.ts';
import { type RandomState, RandomStream } from './random-stream.ts';

/** How a session reaches the world; the only part that differs between a thread and a process. */
export interface SessionHost {
  /** Sends a request and waits for the answer; `stop` kills the cell. */
  call(request: Uint8Array): Uint8Array | 'stop';
  /** Does the host want the cell with this number killed? */
  cancelled(serial: number): boolean;
}

/** A cell that ran since the last image, with all that it was told from outside, so that it can be run again. */
interface PastCell {
  readonly request: Uint8Array;
  readonly limits: RunLimits;
  readonly fuel: number;
  readonly answers: readonly (Uint8Array | null)[];
  readonly clock: readonly number[];
}

/**
 * Cells may be repeated, instead of being saved by an image, while they cost less than taking one: fuel for each
 * page of 4 KiB in use, and bytes of answers.
 */
const repeatableFuelPerPage = 300;
const repeatableAnswerBytes = 1 << 20;

const unseeded: RandomState = [0, 0, 0, 0];

/** The session can't go on: its past could not be restored. */
export class SessionLost extends Error {}

/**
 * A worker's interpreter, which holds one session after another. Between two cells a session can always be brought
 * back: from the snapshot or the last image, and by repeating the cells since. So a cell that was killed costs that
 * cell only, and light cells cost no image.
 */
export class GuestSession {
  readonly #start: WorkerStart;
  readonly #host: SessionHost;
  #engine: Engine;
  /** Where the session stood when `#past` began: an image, or the snapshot itself. */
  #image: MemoryImage | null = null;
  #randomThen: RandomState = unseeded;
  #random = new RandomStream(unseeded);
  #past: PastCell[] = [];
  #pastFuel = 0;
  #pastAnswers = 0;
  /** The engine is as the snapshot left it. */
  #untouched = true;
  /** The cell that runs, or is repeated. */
  #cell: RunningCell = idle;

  constructor(start: WorkerStart, host: SessionHost) {
    this.#start = start;
    this.#host = host;
    this.#engine = this.#newEngine();
  }

  /** A fresh session. */
  begin(seed: RandomState): void {
    if (this.#untouched) {
      this.#keep(null, seed);
      this.#random = new RandomStream(seed);
    } else this.#standAt(null, seed);
  }

  /** Continues a session; its note, or what is wrong with the bytes. */
  restore(bytes: Uint8Array): { readonly note: string } | { readonly problem: string } {
    const decoded = decodeCheckpoint(bytes, this.#start.snapshot);
    if (typeof decoded === 'string') return { problem: decoded };
    this.#standAt(decoded.image, decoded.image.random);
    return { note: decoded.note };
  }

  /** Forgets the session, so that nothing of it is left. */
  end(): void {
    this.#standAt(null, unseeded);
    this.#untouched = true;
  }

  checkpoint(note: string): Uint8Array {
    const unchanged = this.#past.length === 0 ? this.#image : null;
    return encodeCheckpoint(unchanged ?? this.#capture(), this.#start.snapshot, note);
  }

  run(command: RunCommand): RunReport {
    const { limits, discard } = command;
    this.#untouched = false;
    if (discard && this.#past.length > 0) this.#capture();
    const request = new TextEncoder().encode(JSON.stringify(command.request));
    const cell = new LiveCell(command, this.#host);
    this.#cell = cell;
    const reply = this.#attempt(request, limits);
    const wallMs = performance.now() - cell.started - cell.hostMs;
    const engine = this.#engine;
    const report = {
      excesses: [...cell.excesses, ...(engine.memoryRefused ? [engine.memoryRefused] : [])],
      stdout: cell.stdout.report(),
      stderr: cell.stderr.report(),
      fuel: engine.fuel.used,
      wallMs,
      hostMs: cell.hostMs,
      calls: cell.calls,
      memoryBytes: engine.memoryBytes,
    };
    const interrupted = engine.fuel.interrupted && !cell.overtime;
    this.#cell = idle;
    if (typeof reply === 'object') {
      this.#rollBack();
      return { ...report, outcome: { killed: cell.overtime ?? reply } };
    }
    if (discard) this.#rollBack();
    else
      this.#remember(cell, { request, limits, fuel: report.fuel, answers: cell.answers, clock: cell.clock });
    if (interrupted) report.excesses.push({ limit: 'fuel', allowed: limits.fuel, used: report.fuel });
    return { ...report, outcome: { reply } };
  }

  /** Between two commands: makes sure that bringing the session back would not take long. */
  settle(): void {
    const pages = this.#engine.memoryBytes / grain;
    if (this.#pastFuel > pages * repeatableFuelPerPage || this.#pastAnswers > repeatableAnswerBytes)
      this.#capture();
  }

  #attempt(request: Uint8Array, limits: RunLimits): string | KillReason {
    try {
      const reply = this.#engine.run(request, limits);
      const text = reply ? new TextDecoder().decode(reply) : '';
      return isJson(text) ? text : { kind: 'abort', detail: 'the driver failed' };
    } catch (thrown) {
      if (thrown instanceof CellKilled) return thrown.reason;
      // A trap of WebAssembly, or V8's own stack at its end.
      if (thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError) {
        return { kind: 'abort', detail: thrown.message };
      }
      throw thrown;
    }
  }

  #remember(cell: LiveCell, past: PastCell): void {
    // A cell that the clock or the host interrupted can't be repeated exactly.
    if (cell.overtime) this.#capture();
    else {
      this.#past.push(past);
      this.#pastFuel += past.fuel;
      this.#pastAnswers += past.answers.reduce((sum, answer) => sum + (answer?.length ?? 0), 0);
    }
  }

  #capture(): MemoryImage {
    const image = captureImage(this.#engine, this.#start.base, this.#random.state);
    this.#keep(image, image.random);
    return image;
  }

  #keep(image: MemoryImage | null, random: RandomState): void {
    this.#image = image;
    this.#randomThen = random;
    this.#past = [];
    this.#pastFuel = 0;
    this.#pastAnswers = 0;
  }

  #standAt(image: MemoryImage | null, random: RandomState): void {
    this.#untouched = false;
    this.#keep(image, random);
    this.#rollBack();
  }

  #rollBack(): void {
    this.#random = new RandomStream(this.#randomThen);
    if (!resetMemory(this.#engine, this.#start.base, this.#image)) {
      this.#engine = this.#newEngine();
      if (!resetMemory(this.#engine, this.#start.base, this.#image)) throw new SessionLost('no memory');
    }
    for (const past of this.#past) {
      this.#cell = new RepeatedCell(past);
      const reply = this.#attempt(past.request, past.limits);
      if (typeof reply === 'object' || this.#engine.fuel.used !== past.fuel) {
        throw new SessionLost('a cell did not run the same way twice');
      }
    }
    this.#cell = idle;
  }

  #newEngine(): Engine {
    const host: EngineHost = {
      files: new Map([[libraryPath, this.#start.library]]),
      call: (request) => this.#cell.call(request),
      output: (stream, bytes) => this.#cell.output(stream, bytes),
      now: (clock) => this.#cell.now(clock),
      random: (into) => this.#random.fill(into),
      inspect: () => this.#cell.inspect(),
    };
    return new Engine(this.#start.module, host);
  }
}

interface RunningCell {
  call(request: Uint8Array): Uint8Array | null;
  output(stream: number, bytes: Uint8Array): void;
  now(clock: 'real' | 'monotonic'): number;
  inspect(): 'continue' | 'interrupt' | { readonly kill: KillReason };
}

const idle: RunningCell = {
  call: () => null,
  output: () => {},
  now: () => 0,
  inspect: () => 'continue',
};

class LiveCell implements RunningCell {
  readonly started = performance.now();
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  readonly answers: (Uint8Array | null)[] = [];
  readonly clock: number[] = [];
  readonly excesses: Excess[] = [];
  hostMs = 0;
  calls = 0;
  /** Set once the clock has interrupted it. */
  overtime: KillReason | null = null;
  readonly #limits: RunLimits;
  readonly #serial: number;
  readonly #host: SessionHost;

  constructor({ limits, serial }: RunCommand, host: SessionHost) {
    this.#limits = limits;
    this.#serial = serial;
    this.#host = host;
    this.stdout = new CapturedOutput(limits.outputBytes);
    this.stderr = new CapturedOutput(limits.outputBytes);
  }

  call(request: Uint8Array): Uint8Array | null {
    this.calls++;
    const answer = this.#answer(request);
    this.answers.push(answer);
    return answer;
  }

  #answer(request: Uint8Array): Uint8Array | null {
    const { callBytes, calls } = this.#limits;
    if (request.length > callBytes) {
      this.#exceed({ limit: 'call_bytes', allowed: callBytes, used: request.length });
      return null;
    }
    if (this.calls > calls) {
      this.#exceed({ limit: 'calls', allowed: calls, used: this.calls });
      return refusal(`no more than ${calls} calls are allowed in one cell`, 'too_many_calls');
    }
    const before = performance.now();
    const answer = this.#host.call(request);
    this.hostMs += performance.now() - before;
    if (answer === 'stop') throw new CellKilled({ kind: 'cancelled' });
    return answer;
  }

  #exceed(excess: Excess): void {
    const others = this.excesses.filter(({ limit }) => limit !== excess.limit);
    this.excesses.splice(0, this.excesses.length, ...others, excess);
  }

  output(stream: number, bytes: Uint8Array): void {
    (stream === 2 ? this.stderr : this.stdout).write(bytes);
  }

  now(clock: 'real' | 'monotonic'): number {
    const ms = Math.floor(clock === 'real' ? Date.now() : performance.now());
    this.clock.push(ms);
    return ms;
  }

  inspect(): 'continue' | 'interrupt' | { readonly kill: KillReason } {
    if (this.#host.cancelled(this.#serial)) return { kill: { kind: 'cancelled' } };
    const { wallMs, graceMs } = this.#limits;
    const used = Math.ceil(performance.now() - this.started - this.hostMs);
    if (used <= wallMs) return 'continue';
    const excess: Excess = { limit: 'wall_ms', allowed: wallMs, used };
    if (this.overtime) return used > wallMs + graceMs ? { kill: { kind: 'limit', excess } } : 'continue';
    this.overtime = { kind: 'limit', excess };
    this.#exceed(excess);
    return 'interrupt';
  }
}

/** A cell run again: it gets what it got the first time, and nobody hears it. */
class RepeatedCell implements RunningCell {
  readonly #past: PastCell;
  #answers = 0;
  #clock = 0;

  constructor(past: PastCell) {
    this.#past = past;
  }

  call(): Uint8Array | null {
    return this.#past.answers[this.#answers++] ?? null;
  }

  output(): void {}

  now(): number {
    return this.#past.clock[this.#clock++] ?? 0;
  }

  inspect(): 'continue' {
    return 'continue';
  }
}

export function refusal(error: string, code: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ error, code }));
}

/** The driver is Python like the cells, which may have broken it. */
function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
