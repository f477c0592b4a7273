import { SondeError } from '../core/index.ts';
import { defaultLimits, mergeLimits } from './limits.ts';
import type { CellResult, CellValue, Sandbox, Session, SessionOptions, Variable } from './sandbox.ts';
import type { Value } from './value.ts';

/** The environment of a scripted cell: the host's operations, and variables that it may set. */
export interface ScriptedCell {
  readonly code: string;
  /** Counts the cells of the session, from 1. */
  readonly number: number;
  readonly names: Map<string, Value>;
  /** Asks the host, as `call_host` does. */
  ask(operation: string, args?: Readonly<Record<string, Value>>): Promise<Value>;
}

/** A result whose missing fields are those of an `ok` cell; `printed` is its output. */
export type ScriptedResult = Partial<CellResult> & { readonly printed?: string };
type Step = ScriptedResult | ((cell: ScriptedCell) => ScriptedResult | Promise<ScriptedResult>);

/** One step for every cell, a list of steps for consecutive cells, or a function that is called each time. */
export type Script = Step | readonly Step[];

export interface ScriptedSandbox extends Sandbox {
  /** The code of every cell, in the order they ran. */
  readonly cells: readonly string[];
  readonly open_sessions: number;
}

/** A sandbox that runs no Python: each cell gets its result from the script. A cell after the end of the script throws. */
export function scriptedSandbox(script: Script = {}): ScriptedSandbox {
  const cells: string[] = [];
  const live = new Set<Session>();
  let step = 0;
  const next = (): Step => {
    if (!Array.isArray(script)) return script as Step;
    const found = (script as readonly Step[])[step++];
    if (!found) throw new SondeError('internal', { message: `the script has no cell ${step}` });
    return found;
  };
  const start = (options: SessionOptions, names: Map<string, Value>): Session => {
    mergeLimits(defaultLimits, options.limits);
    let number = 0;
    let closed = false;
    const requireOpen = () => {
      if (closed) throw new SondeError('sandbox_ended', { message: 'the sandbox session has ended' });
    };
    const ask = async (operation: string, args: Readonly<Record<string, Value>> = {}) => {
      const answer = options.operations?.[operation];
      if (!answer) throw new SondeError('not_found', { message: `there is no operation ${operation}` });
      return answer(args, { signal: new AbortController().signal });
    };
    const session: Session = {
      image: { interpreter: 'scripted', library: 'scripted', snapshot: 'scripted' },
      execute: async (code) => {
        requireOpen();
        cells.push(code);
        const step = next();
        const cell = { code, number: ++number, names, ask };
        return fillResult(typeof step === 'function' ? await step(cell) : step, names);
      },
      variables: async () => {
        requireOpen();
        return Array.from(names, ([name, value]) => toVariable(name, value));
      },
      read: async (name) => {
        requireOpen();
        const value = names.get(name);
        return value === undefined ? null : toCellValue(value);
      },
      checkpoint: async () => {
        requireOpen();
        return Buffer.from(JSON.stringify([...names]));
      },
      close: async () => {
        closed = true;
        live.delete(session);
      },
    };
    live.add(session);
    return session;
  };
  return {
    cells,
    get open_sessions() {
      return live.size;
    },
    open: async (options = {}) => start(options, new Map()),
    restore: async (checkpoint, options = {}) => start(options, new Map(parseCheckpoint(checkpoint))),
    health: async () => ({ ok: true, facts: [{ name: 'scripted', ok: true, detail: 'runs no Python' }] }),
    close: async () => {
      for (const session of live) await session.close();
    },
  };
}

function parseCheckpoint(checkpoint: Uint8Array): [string, Value][] {
  try {
    return JSON.parse(Buffer.from(checkpoint).toString()) as [string, Value][];
  } catch {
    throw new SondeError('bad_argument', { message: 'not a checkpoint of a sandbox session' });
  }
}

function fillResult(
  { printed = '', ...given }: ScriptedResult,
  names: ReadonlyMap<string, Value>,
): CellResult {
  const output = (text: string) => ({ text, bytes: Buffer.byteLength(text), truncated: false });
  const common = { stdout: output(printed), stderr: output(''), fuel: 0, wall_ms: 0, host_ms: 0, calls: 0 };
  const rest = {
    memory_bytes: 0,
    names: [...names.keys()],
    hits: [],
    kind: 'ok',
    value: null,
    clock: null,
  };
  return { ...common, ...rest, ...given } as CellResult;
}

function toCellValue(value: Value): CellValue {
  return { type: typeof value, repr: String(value), value };
}

function toVariable(name: string, value: Value): Variable {
  return { name, type: typeof value, size: null, preview: String(value) };
}
