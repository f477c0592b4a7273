/** A sandbox for a program: Python of anybody, with nothing in reach but what is handed in. */
import type {
  CellOptions,
  CellResult,
  CellValue,
  Limits,
  Operations,
  SandboxOptions,
} from '../../sandbox/index.ts';

export interface SandboxAsked extends Pick<SandboxOptions, 'isolation' | 'confinement'> {
  /** What the code may ask for, by `from sonde_host import call_host`. Nothing where it is absent. */
  readonly operations?: Operations;
  readonly limits?: Partial<Limits>;
  /** What its random numbers follow from; another each time where it is absent. */
  readonly seed?: string;
  /** Where the started interpreter is kept between two programs; that of the user where it is absent. */
  readonly cacheDirectory?: string;
}

export interface PythonSandbox extends AsyncDisposable {
  /** Runs a piece of code; names stay for the next one. What goes wrong in it is a value, too: `status`. */
  run(code: string, options?: CellOptions): Promise<CellResult>;
  /** The value of one name; null where there is none. */
  read(name: string): Promise<CellValue | null>;
  /** All of its names and values, to go on with by `sandbox({ from })`. */
  checkpoint(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * CPython in WebAssembly: no file, no network, no clock but what it is told. `from`: a checkpoint to go on with.
 * Close it, or hold it by `await using`.
 */
export async function sandbox({
  operations,
  limits,
  seed,
  from,
  ...options
}: SandboxAsked & { readonly from?: Uint8Array } = {}): Promise<PythonSandbox> {
  const [{ createSandbox }, cacheDirectory] = await Promise.all([
    import('../../sandbox/index.ts'),
    options.cacheDirectory ?? usualDirectory(),
  ]);
  const made = createSandbox({ warm: 1, ...options, cacheDirectory });
  const close = () => made.close();
  try {
    const given = {
      ...(operations !== undefined && { operations }),
      ...(limits !== undefined && { limits }),
      ...(seed !== undefined && { seed }),
    };
    const session = await (from === undefined ? made.open(given) : made.restore(from, given));
    return Object.freeze({
      run: (code: string, cell?: CellOptions) => session.execute(code, cell),
      read: (name: string) => session.read(name),
      checkpoint: () => session.checkpoint(),
      close,
      [Symbol.asyncDispose]: close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

async function usualDirectory(): Promise<string> {
  const [{ join }, { directories, processEnvironment }] = await Promise.all([
    import('node:path'),
    import('../config/index.ts'),
  ]);
  return join(directories(processEnvironment()).cache, 'sandbox');
}
