import { CapturedOutput, emptyOutput } from './captured-output.ts';
import { ClockTape, noReadings } from './clock-tape.ts';
import { CellKilled } from './engine.ts';
import type { ClockReadings, Excess, KillReason, OutputHeadTail, RunCommand, RunLimits } from './protocol.ts';

/** A session's access to the host; the only part that differs between a thread and a process. */
export interface SessionHost {
  /** Sends a request and waits for the answer; `stop` kills the cell. */
  call(request: Uint8Array): Uint8Array | 'stop';
  /** Whether the host wants the cell with this number killed. */
  isCancelled(serial: number): boolean;
}

/** A cell that ran since the last image, with all its inputs from the host, so that it can be replayed. */
export interface PastCell {
  readonly request: Uint8Array;
  readonly limits: RunLimits;
  readonly fuel: number;
  readonly answers: readonly (Uint8Array | null)[];
  readonly clock: readonly number[];
}

/** The handlers of the engine's calls while a cell runs. */
export interface RunningCell {
  call(request: Uint8Array): Uint8Array | null;
  output(stream: number, bytes: Uint8Array): void;
  now(clock: 'real' | 'monotonic'): number;
  inspect(): 'continue' | 'interrupt' | { readonly kill: KillReason };
}

/** The handlers between two cells. */
export const idle: RunningCell = {
  call: () => null,
  output: () => {},
  now: () => 0,
  inspect: () => 'continue',
};

/** A cell that runs for the first time: the host answers it, and all its inputs are recorded. */
export class LiveCell implements RunningCell {
  readonly started = performance.now();
  readonly answers: (Uint8Array | null)[] = [];
  readonly clock: number[] = [];
  readonly excesses: Excess[] = [];
  hostMs = 0;
  calls = 0;
  /** The time limit that interrupted the cell; null if none did. */
  interruptedBy: KillReason | null = null;
  readonly #limits: RunLimits;
  readonly #serial: number;
  readonly #host: SessionHost;
  readonly #replayedReadings: ClockReadings | undefined;
  // Created when needed: most cells read no clock, and many print nothing.
  #tape: ClockTape | null = null;
  readonly #printed: [CapturedOutput | null, CapturedOutput | null] = [null, null];

  constructor({ limits, serial, clock }: RunCommand, host: SessionHost) {
    this.#replayedReadings = clock;
    this.#limits = limits;
    this.#serial = serial;
    this.#host = host;
  }

  outputOf(stream: 1 | 2): OutputHeadTail {
    return this.#printed[stream - 1]?.report() ?? emptyOutput;
  }

  readings(): ClockReadings | null {
    return this.#tape ? this.#tape.readings() : noReadings;
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
      this.#addExcess({ limit: 'call_bytes', allowed: callBytes, used: request.length });
      return null;
    }
    if (this.calls > calls) {
      this.#addExcess({ limit: 'calls', allowed: calls, used: this.calls });
      return encodeRefusal(`no more than ${calls} calls are allowed in one cell`, 'too_many_calls');
    }
    const before = performance.now();
    const answer = this.#host.call(request);
    this.hostMs += performance.now() - before;
    if (answer === 'stop') throw new CellKilled({ kind: 'cancelled' });
    return answer;
  }

  #addExcess(excess: Excess): void {
    const others = this.excesses.filter(({ limit }) => limit !== excess.limit);
    this.excesses.splice(0, this.excesses.length, ...others, excess);
  }

  output(stream: number, bytes: Uint8Array): void {
    const index = stream === 2 ? 1 : 0;
    this.#printed[index] ??= new CapturedOutput(this.#limits.outputBytes);
    this.#printed[index].write(bytes);
  }

  now(clock: 'real' | 'monotonic'): number {
    this.#tape ??= new ClockTape(this.#replayedReadings);
    const ms = this.#tape.now(clock);
    this.clock.push(ms);
    return ms;
  }

  inspect(): 'continue' | 'interrupt' | { readonly kill: KillReason } {
    if (this.#host.isCancelled(this.#serial)) return { kill: { kind: 'cancelled' } };
    const { wallMs, graceMs } = this.#limits;
    const used = Math.ceil(performance.now() - this.started - this.hostMs);
    if (used <= wallMs) return 'continue';
    const excess: Excess = { limit: 'wall_ms', allowed: wallMs, used };
    if (this.interruptedBy) return used > wallMs + graceMs ? { kill: { kind: 'limit', excess } } : 'continue';
    this.interruptedBy = { kind: 'limit', excess };
    this.#addExcess(excess);
    return 'interrupt';
  }
}

/** A replayed cell: it gets the answers that it got the first time, and its output goes nowhere. */
export class ReplayedCell implements RunningCell {
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

function encodeRefusal(error: string, code: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ error, code }));
}
