/** The parts of V8's WebAssembly interface that are used here; TypeScript has them in its browser library only. */
declare namespace WebAssembly {
  type ImportValue = (...args: never[]) => unknown;
  type Imports = Record<string, Record<string, ImportValue>>;
  type Exports = Record<string, unknown>;

  class Module {
    constructor(bytes: Uint8Array);
    static imports(module: Module): { module: string; name: string; kind: string }[];
    static exports(module: Module): { name: string; kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Exports;
  }
  class Memory {
    constructor(size: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Global<T = number> {
    value: T;
  }
  class RuntimeError extends Error {}
  function validate(bytes: Uint8Array): boolean;
}
