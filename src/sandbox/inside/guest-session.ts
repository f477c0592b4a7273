import { decodeCheckpoint, encodeCheckpoint } from './checkpoint-file.ts';
import { CellKilled, Engine, type EngineHost } from './engine.ts';
import { captureImage, type MemoryImage, pageBytes, resetMemory } from './memory-image.ts';
import type { KillReason, RunCommand, RunLimits, RunReport, WorkerStart } from './protocol.ts';
import { libraryPath } from './protocol.ts';
import { type RandomState, RandomStream } from './random-stream.ts';
import {
  idle,
  LiveCell,
  type PastCell,
  ReplayedCell,
  type RunningCell,
  type SessionHost,
} from './running-cell.ts';

/**
 * An image of the memory is taken only when replaying the past cells would cost more. The limits of replaying: fuel per
 * page of 4 KiB in use, and bytes of answers by the host.
 */
const maxReplayFuelPerPage = 300;
const maxReplayAnswerBytes = 1 << 20;

const unseeded: RandomState = [0, 0, 0, 0];
const decoder = new TextDecoder();

/** Thrown if a session can't go on, since its state could not be restored. */
export class SessionLost extends Error {}

/**
 * A worker's interpreter, which serves one session after another. Between two cells a session can always be restored:
 * from the snapshot or the last image, and by replaying the cells since. So killing a cell loses only that cell's work,
 * and after cheap cells no image is taken.
 */
export class GuestSession {
  readonly #start: WorkerStart;
  readonly #host: SessionHost;
  #engine: Engine;
  /** The state at the beginning of `#past`: an image, or the snapshot itself. */
  #image: MemoryImage | null = null;
  #randomAtBase: RandomState = unseeded;
  #random = new RandomStream(unseeded);
  #past: PastCell[] = [];
  #pastFuel = 0;
  #pastAnswers = 0;
  /** Whether the engine still is in the state of the snapshot. */
  #isPristine = true;
  /** The cell that runs or is replayed. */
  #cell: RunningCell = idle;

  constructor(start: WorkerStart, host: SessionHost) {
    this.#start = start;
    this.#host = host;
    this.#engine = this.#newEngine();
  }

  /** Begins a new session. */
  begin(seed: RandomState): void {
    if (this.#isPristine) {
      this.#setBase(null, seed);
      this.#random = new RandomStream(seed);
    } else this.#resetTo(null, seed);
  }

  /** Continues a session from a checkpoint. Returns the text that the host saved with it, or why the bytes are unusable. */
  restore(bytes: Uint8Array): { readonly note: string } | { readonly problem: string } {
    const decoded = decodeCheckpoint(bytes, this.#start.snapshot);
    if (typeof decoded === 'string') return { problem: decoded };
    this.#resetTo(decoded.image, decoded.image.random);
    return { note: decoded.note };
  }

  /** Erases the session. */
  end(): void {
    this.#resetTo(null, unseeded);
    this.#isPristine = true;
  }

  checkpoint(note: string): Uint8Array {
    const unchanged = this.#past.length === 0 ? this.#image : null;
    return encodeCheckpoint(unchanged ?? this.#capture(), this.#start.snapshot, note);
  }

  /**
   * Runs a cell. Returns the report of the run, and the reply of the guest's driver as JSON. Keeps `request` for replay:
   * don't modify it afterwards.
   */
  run(
    command: RunCommand,
    request: Uint8Array,
  ): { readonly run: RunReport; readonly reply: Uint8Array | null } {
    const { limits, discard } = command;
    this.#isPristine = false;
    if (discard && this.#past.length > 0) this.#capture();
    const cell = new LiveCell(command, this.#host);
    this.#cell = cell;
    const reply = this.#runInEngine(request, limits);
    const wallMs = performance.now() - cell.started - cell.hostMs;
    const engine = this.#engine;
    const report = {
      excesses: [...cell.excesses, ...(engine.memoryRefused ? [engine.memoryRefused] : [])],
      stdout: cell.outputOf(1),
      stderr: cell.outputOf(2),
      fuel: engine.fuel.used,
      wallMs,
      hostMs: cell.hostMs,
      calls: cell.calls,
      memoryBytes: engine.memoryBytes,
      clock: cell.readings(),
    };
    const interrupted = engine.fuel.interrupted && !cell.interruptedBy;
    this.#cell = idle;
    if (!(reply instanceof Uint8Array)) {
      this.#rollBack();
      return { run: { ...report, killed: cell.interruptedBy ?? reply }, reply: null };
    }
    if (discard) this.#rollBack();
    else
      this.#remember(cell, { request, limits, fuel: report.fuel, answers: cell.answers, clock: cell.clock });
    if (interrupted) report.excesses.push({ limit: 'fuel', allowed: limits.fuel, used: report.fuel });
    return { run: { ...report, killed: null }, reply };
  }

  /** Called between two commands: takes an image if replaying would take too long. */
  captureIfCostly(): void {
    const pages = this.#engine.memoryBytes / pageBytes;
    if (this.#pastFuel > pages * maxReplayFuelPerPage || this.#pastAnswers > maxReplayAnswerBytes)
      this.#capture();
  }

  #runInEngine(request: Uint8Array, limits: RunLimits): Uint8Array | KillReason {
    try {
      const reply = this.#engine.run(request, limits);
      return reply && isJson(reply) ? reply : { kind: 'abort', detail: 'the driver failed' };
    } catch (thrown) {
      if (thrown instanceof CellKilled) return thrown.reason;
      // A WebAssembly trap, or a V8 stack overflow.
      if (thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError) {
        return { kind: 'abort', detail: thrown.message };
      }
      throw thrown;
    }
  }

  #remember(cell: LiveCell, past: PastCell): void {
    // A cell that the clock or the host interrupted can't be repeated exactly.
    if (cell.interruptedBy) this.#capture();
    else {
      this.#past.push(past);
      this.#pastFuel += past.fuel;
      this.#pastAnswers += past.answers.reduce((sum, answer) => sum + (answer?.length ?? 0), 0);
    }
  }

  #capture(): MemoryImage {
    const image = captureImage(this.#engine, this.#start.base, this.#random.state);
    this.#setBase(image, image.random);
    return image;
  }

  #setBase(image: MemoryImage | null, random: RandomState): void {
    this.#image = image;
    this.#randomAtBase = random;
    this.#past = [];
    this.#pastFuel = 0;
    this.#pastAnswers = 0;
  }

  #resetTo(image: MemoryImage | null, random: RandomState): void {
    this.#isPristine = false;
    this.#setBase(image, random);
    this.#rollBack();
  }

  #rollBack(): void {
    this.#random = new RandomStream(this.#randomAtBase);
    if (!resetMemory(this.#engine, this.#start.base, this.#image)) {
      this.#engine = this.#newEngine();
      if (!resetMemory(this.#engine, this.#start.base, this.#image))
        throw new SessionLost('its memory could not be restored');
    }
    for (const past of this.#past) {
      this.#cell = new ReplayedCell(past);
      const reply = this.#runInEngine(past.request, past.limits);
      if (!(reply instanceof Uint8Array) || this.#engine.fuel.used !== past.fuel) {
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

/** The driver is Python like the cells, which may have broken it. */
function isJson(reply: Uint8Array): boolean {
  try {
    return typeof JSON.parse(decoder.decode(reply)) === 'object';
  } catch {
    return false;
  }
}
