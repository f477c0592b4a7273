import { FuelGauge } from './fuel-gauge.ts';
import { type GuestMemory, guestMemory } from './guest-memory.ts';
import type { Excess, KillReason, RunLimits } from './protocol.ts';
import type { FileTree } from './virtual-files.ts';
import { createWasi, deny, type Wasi, type WasiFunction } from './wasi.ts';

/** Services that the engine needs from its session while the guest runs. */
export interface EngineHost {
  readonly files: FileTree;
  /**
   * Answers a request of the guest; null refuses it as too large. May throw `CellKilled`. `request` is a view of the
   * guest's memory: send or copy it before the guest runs again.
   */
  call(request: Uint8Array): Uint8Array | null;
  output(stream: number, bytes: Uint8Array): void;
  now(clock: 'real' | 'monotonic'): number;
  random(into: Uint8Array): void;
  /** Called about every 10 ms of the guest's work: whether the guest may go on. */
  inspect(): 'continue' | 'interrupt' | { readonly kill: KillReason };
}

/** Ends the guest's work from within a host function. Afterwards the engine can't be used until it is reset. */
export class CellKilled extends Error {
  readonly reason: KillReason;

  constructor(reason: KillReason) {
    super(`the cell was killed: ${reason.kind}`);
    this.reason = reason;
  }
}

/** Fuel for each call out of the guest; large data costs more for each byte. */
const callFee = 100;
const fees: Readonly<Record<string, (...args: number[]) => number>> = {
  random_get: (_at, length = 0) => (length >>> 0) * 2,
  out: (_stream, _at, length = 0) => length >>> 0,
  call: (_at, length = 0) => length >>> 0,
  fd_readdir: () => 5000,
  path_open: () => 2000,
  path_filestat_get: () => 500,
};
/** Functions that cost no fuel: the fuel counter itself, and the one that never returns. */
const freeOfCharge = new Set(['fuel_out', 'proc_exit']);

interface GuestExports {
  readonly memory: WebAssembly.Memory;
  readonly _initialize?: () => void;
  readonly sbx_init: (paths: number, driver: number) => number;
  readonly sbx_run: (request: number, length: number) => number;
  readonly sbx_result: () => number;
  readonly sbx_alloc: (length: number) => number;
  readonly sbx_free: (address: number) => void;
  readonly sbx_interrupt: () => void;
  readonly sbx_top: () => number;
}

/** The module's own mutable globals, by the name of their export. */
export function mutableGlobals(exports: WebAssembly.Exports): [string, WebAssembly.Global][] {
  return Object.entries(exports).flatMap(([name, value]) =>
    value instanceof WebAssembly.Global && name.startsWith('__global_') ? [[name, value]] : [],
  );
}

export function globalValues(exports: WebAssembly.Exports): ReadonlyMap<string, number | bigint> {
  return new Map(mutableGlobals(exports).map(([name, global]) => [name, global.value]));
}

/** One instance of CPython. After `CellKilled` or a trap its memory must be reset before it is run again. */
export class Engine {
  readonly fuel: FuelGauge;
  readonly wasi: Wasi;
  readonly memory: GuestMemory;
  readonly exports: WebAssembly.Exports;
  /** The globals before anything ran. */
  readonly initialGlobals: ReadonlyMap<string, number | bigint>;
  readonly #guest: GuestExports;
  readonly #host: EngineHost;
  #limits: RunLimits | null = null;
  #memoryRefused: Excess | null = null;
  #answer: Uint8Array | null = null;

  constructor(module: WebAssembly.Module, host: EngineHost) {
    this.#host = host;
    this.wasi = createWasi({
      ...host,
      exit: (code) => {
        throw new CellKilled({ kind: 'exit', code });
      },
    });
    const instance = new WebAssembly.Instance(module, this.#imports(module));
    this.exports = instance.exports;
    this.initialGlobals = globalValues(instance.exports);
    this.#guest = instance.exports as unknown as GuestExports;
    this.memory = guestMemory(this.#guest.memory);
    this.wasi.attach(this.#guest.memory);
    const counter = instance.exports['__fuel'];
    this.fuel = new FuelGauge(counter instanceof WebAssembly.Global ? counter : undefined);
  }

  get memoryBytes(): number {
    return this.#guest.memory.buffer.byteLength;
  }

  /** The end of the guest's allocated memory; memory above it was never used. */
  get top(): number {
    return this.#guest.sbx_top() >>> 0;
  }

  /** The growth of memory that was refused in the last run; null for none. */
  get memoryRefused(): Excess | null {
    return this.#memoryRefused;
  }

  /** Starts the interpreter. Called only to build a snapshot; an engine from a snapshot is already started. */
  boot(searchPath: string, driver: string): void {
    this.fuel.start({ fuel: Number.POSITIVE_INFINITY, graceFuel: 0 });
    this.#guest._initialize?.();
    const status = this.#guest.sbx_init(
      this.#writeToGuest(`${searchPath}\0`),
      this.#writeToGuest(`${driver}\0`),
    );
    if (status !== 0) throw new Error(`the interpreter did not start: ${status}`);
  }

  /** Hands a request to the guest's driver; its answer, or null if the driver itself failed. */
  run(request: Uint8Array, limits: RunLimits): Uint8Array | null {
    this.#limits = limits;
    this.#memoryRefused = null;
    this.fuel.start(limits);
    const address = this.#writeToGuest(request);
    const length = this.#guest.sbx_run(address, request.length);
    this.#guest.sbx_free(address);
    if (length < 0) return null;
    return this.memory.bytes(this.#guest.sbx_result(), length).slice();
  }

  #writeToGuest(content: Uint8Array | string): number {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const address = this.#guest.sbx_alloc(bytes.length + 1);
    if (address === 0) throw new CellKilled(this.#outOfMemory(bytes.length));
    this.memory.bytes(address, bytes.length).set(bytes);
    return address;
  }

  #outOfMemory(length: number): KillReason {
    const allowed = this.#limits?.memoryBytes ?? 0;
    const excess = this.#memoryRefused ?? { limit: 'memory_bytes', allowed, used: this.memoryBytes + length };
    return { kind: 'limit', excess };
  }

  #imports(module: WebAssembly.Module): WebAssembly.Imports {
    const ownImports: Record<string, WasiFunction> = {
      call: (address: number, length: number) => {
        const limit = this.#limits?.callBytes ?? 0;
        // A longer request is cut just above the limit; the session then answers null.
        const kept = Math.min(length >>> 0, limit + 1);
        this.#answer = this.#host.call(this.memory.bytes(address, kept));
        return this.#answer ? this.#answer.length : -1;
      },
      take: (address: number) => {
        if (this.#answer) this.memory.bytes(address, this.#answer.length).set(this.#answer);
        this.#answer = null;
        return 0;
      },
      out: (stream: number, address: number, length: number) => {
        this.#host.output(stream, this.memory.bytes(address, length));
        return 0;
      },
      grow: (bytes: number) => this.#mayGrow(bytes >>> 0),
      fuel_out: () => this.#onFuelOut(),
    };
    const imports: Record<string, Record<string, WasiFunction>> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      const wasiFunction =
        from === 'sbx'
          ? ownImports[name]
          : from === 'wasi_snapshot_preview1'
            ? this.wasi.imports[name]
            : null;
      imports[from] ??= {};
      imports[from][name] = this.#chargeFuel(name, wasiFunction ?? deny);
    }
    return imports;
  }

  #chargeFuel(name: string, call: WasiFunction): WasiFunction {
    if (freeOfCharge.has(name)) return call;
    const fee = fees[name];
    return (...args) => {
      this.fuel.charge(callFee + (fee ? fee(...args) : 0));
      return call(...args);
    };
  }

  #mayGrow(bytes: number): number {
    const allowed = this.#limits?.memoryBytes ?? Number.POSITIVE_INFINITY;
    if (bytes <= allowed) return 1;
    this.#memoryRefused = { limit: 'memory_bytes', allowed, used: bytes };
    return 0;
  }

  #onFuelOut(): number {
    const verdict = this.fuel.refill();
    if (typeof verdict === 'object') throw new CellKilled({ kind: 'limit', excess: verdict.over });
    // The interrupt uses fuel too: `refill` has filled the counter again, so that the interrupt can run.
    if (verdict === 'interrupt') {
      this.#guest.sbx_interrupt();
      return 0;
    }
    const decision = this.#host.inspect();
    if (typeof decision === 'object') throw new CellKilled(decision.kill);
    if (decision === 'interrupt') {
      this.fuel.interruptWithin(this.#limits?.graceFuel ?? 0);
      this.#guest.sbx_interrupt();
    }
    return 0;
  }
}
