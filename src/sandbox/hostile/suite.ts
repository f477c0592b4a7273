import { SondeError } from '../../core/index.ts';
import type { CellResult, Operations, Sandbox, Session } from '../sandbox.ts';
import { createSandbox, type SandboxOptions } from '../wasm-sandbox.ts';
import { type HostileProgram, helperModule } from './programs.ts';

/** Texts that no output may contain. */
export interface Canaries {
  /** Path of a file on the host. */
  readonly file: string;
  readonly texts: readonly string[];
}

export interface Verdict {
  readonly program: HostileProgram;
  readonly result: CellResult;
  /** Expectations that failed; empty if all is well. */
  readonly problems: readonly string[];
  readonly session: 'alive' | 'rolled back' | 'ruined' | 'ended';
  /** The first final answer that the program gave. */
  readonly answer: unknown;
  /** Names of the operations that the program called. */
  readonly asked: readonly string[];
}

const limits = { fuel: 20_000_000, wall_ms: 20_000, output_bytes: 10_000 };
/** Maximum length, in characters, of everything that a program makes visible. */
const maxVisible = 400_000;
const limitErrors = new Set(['MemoryError', 'RecursionError', 'OverflowError', 'KeyboardInterrupt']);
const secret = 'witness-s3cret-value';

/** Runs hostile programs, each in its own session, beside a witness session that must not be disturbed. */
export class HostileSuite {
  readonly sandbox: Sandbox;
  readonly #canaries: Canaries;
  #witness: Session | null = null;

  constructor(canaries: Canaries, options: SandboxOptions = {}) {
    this.#canaries = canaries;
    this.sandbox = createSandbox({ ...options, helpers: [helperModule], limits });
  }

  async run(program: HostileProgram): Promise<Verdict> {
    const host = new SuiteHost();
    const session = await this.sandbox.open({ operations: host.operations, seed: 'hostile' });
    try {
      await session.execute('keep = 123');
      const code = program.code.replaceAll('@CANARY_FILE@', this.#canaries.file);
      const result = await session.execute(code);
      const { state, later } = await this.#afterwards(session, result);
      const problems = [
        ...findProblems(program, result, state),
        ...this.#leaks([result, later, host.asked]),
        ...(await this.#witnessProblems()),
      ];
      return { program, result, problems, session: state, answer: host.answer, asked: host.asked };
    } finally {
      await session.close();
    }
  }

  async close(): Promise<void> {
    await this.sandbox.close();
  }

  /** Checks what is left of the session: each later cell must get some answer. */
  async #afterwards(session: Session, result: CellResult) {
    const later: unknown[] = [];
    try {
      const next = await session.execute('print(keep)\nkb_search');
      later.push(next, await session.variables());
      const alive = next.kind === 'ok' && next.stdout.text === '123\n';
      const state = !alive ? 'ruined' : result.kind === 'killed' ? 'rolled back' : 'alive';
      return { state, later } as const;
    } catch (error) {
      if (!(error instanceof SondeError && error.code === 'sandbox_ended')) throw error;
      return { state: 'ended', later } as const;
    }
  }

  #leaks(seen: readonly unknown[]): string[] {
    const text = JSON.stringify(seen, (_key, value) => (typeof value === 'bigint' ? `${value}` : value));
    const leaked = [...this.#canaries.texts, secret].filter((canary) => text.includes(canary));
    const long = text.length > maxVisible ? [`${text.length} characters are visible`] : [];
    return [...leaked.map((canary) => `${canary} leaked`), ...long];
  }

  async #witnessProblems(): Promise<string[]> {
    this.#witness ??= await this.sandbox.open({ seed: 'witness' });
    const result = await this.#witness.execute(`secret = globals().get("secret", "${secret}")\nlen(secret)`);
    const fine =
      result.kind === 'ok' && result.value?.value === secret.length && result.names.join() === 'secret';
    return fine ? [] : ['the witness was disturbed'];
  }
}

function findProblems({ expect }: HostileProgram, result: CellResult, state: Verdict['session']): string[] {
  const { kind } = result;
  const failed = kind !== 'ok';
  const isAsExpected = {
    denied: failed,
    limited:
      result.hits.length > 0 || (kind === 'error' && limitErrors.has(result.error.type)) || kind === 'killed',
    stopped: failed || result.hits.length > 0,
    truncated: result.stdout.truncated || result.stderr.truncated,
    killed: kind === 'killed',
    kept: kind !== 'killed',
    contained: true,
    ruins: true,
  }[expect];
  const problems = isAsExpected ? [] : [`expected to be ${expect}, and it ended ${kind}`];
  if (expect !== 'ruins' && (state === 'ruined' || state === 'ended'))
    problems.push(`its session is ${state}`);
  return problems;
}

/** The operations of an investigation that the programs use. */
class SuiteHost {
  readonly asked: string[] = [];
  answer: unknown = null;
  readonly operations: Operations;

  constructor() {
    const guard = (name: string, answer: Operations[string]): Operations => ({
      [name]: (args, context) => {
        if (this.asked.length < 100) this.asked.push(name);
        if (this.answer !== null) throw new SondeError('run_state', { message: 'the answer has been given' });
        return answer(args, context);
      },
    });
    this.operations = {
      ...guard('kb_search', ({ query, k }) => {
        if (typeof query !== 'string' || !Number.isSafeInteger(k)) throw badArgument('query and k');
        return [{ path: 'notes/a.md', score: 1, k: Math.min(Math.max(Number(k), 1), 100) }];
      }),
      ...guard('kb_read', ({ path }) => {
        if (typeof path !== 'string' || !/^[a-z]+\/[a-z.]+$/.test(path)) throw badArgument('path');
        return 'text of a note';
      }),
      ...guard('memory_get', () => null),
      ...guard('llm_query', () => 'an answer'),
      ...guard('llm_query_batched', ({ prompts }) => {
        if (!Array.isArray(prompts) || prompts.length > 16) throw badArgument('prompts');
        return prompts.map(() => 'an answer');
      }),
      ...guard('final', ({ answer }) => {
        this.answer = answer;
        return null;
      }),
    };
  }
}

function badArgument(name: string): SondeError {
  return new SondeError('bad_argument', { message: `${name}: not allowed` });
}
