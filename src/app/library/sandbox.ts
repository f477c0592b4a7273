/** A sandbox for programs: runs any Python code, which can reach only what is passed in. */
import type {
  CellOptions,
  CellResult,
  CellValue,
  Limits,
  Operations,
  SandboxOptions,
} from '../../sandbox/index.ts';
import { checkOptions, checkText, type OptionNames } from './known-options.ts';

/** `isolation`: process or thread. `confinement`: how the system restricts that process. */
export interface SandboxAsked extends Pick<SandboxOptions, 'isolation' | 'confinement'> {
  /** Functions that the code may call, by `from sonde_host import call_host`; absent: none. */
  readonly operations?: Operations;
  readonly limits?: Partial<Limits>;
  /** The random seed; absent: a new one each time. */
  readonly seed?: string;
  /** The folder that keeps the started interpreter between programs; absent: in the user's cache. */
  readonly cacheDirectory?: string;
}

export interface PythonSandbox extends AsyncDisposable {
  /** Runs a piece of code. Names stay for the next piece. Errors in the code are values, too: see `kind` of the result. */
  run(code: string, options?: CellOptions): Promise<CellResult>;
  /** The value of a variable; null if it is not defined. */
  read(name: string): Promise<CellValue | null>;
  /** All names and values, to continue with by `sandbox({ from })`. */
  checkpoint(): Promise<Uint8Array>;
  close(): Promise<void>;
}

const sandboxOptionNames: OptionNames<SandboxAsked> = {
  ...{ operations: true, limits: true, seed: true, cacheDirectory: true },
  ...{ isolation: true, confinement: true },
};

/**
 * CPython in WebAssembly without files, network or clock. `from`: a checkpoint to continue with. Close it, or hold it
 * by `await using`.
 */
export async function sandbox(
  settings: SandboxAsked & { readonly from?: Uint8Array } = {},
): Promise<PythonSandbox> {
  checkOptions('sandbox', settings, { ...sandboxOptionNames, from: true });
  const { operations, limits, seed, from, ...options } = settings;
  const [{ createSandbox }, cacheDirectory] = await Promise.all([
    import('../../sandbox/index.ts'),
    options.cacheDirectory ?? readCacheDirectory(),
  ]);
  const created = createSandbox({ warm: 1, ...options, cacheDirectory });
  const close = () => created.close();
  try {
    const sessionOptions = {
      ...(operations !== undefined && { operations }),
      ...(limits !== undefined && { limits }),
      ...(seed !== undefined && { seed }),
    };
    const session = await (from === undefined
      ? created.open(sessionOptions)
      : created.restore(from, sessionOptions));
    return Object.freeze({
      async run(code: string, cell?: CellOptions) {
        checkText('run', 'code', code);
        return session.execute(code, cell);
      },
      async read(name: string) {
        checkText('read', 'the name of a variable', name);
        return session.read(name);
      },
      checkpoint: () => session.checkpoint(),
      close,
      [Symbol.asyncDispose]: close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

async function readCacheDirectory(): Promise<string> {
  const [{ join }, { directories, processEnvironment }] = await Promise.all([
    import('node:path'),
    import('../config/index.ts'),
  ]);
  return join(directories(processEnvironment()).cache, 'sandbox');
}
