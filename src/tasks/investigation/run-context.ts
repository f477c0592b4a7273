import type { Scope } from '../../catalogue/index.ts';
import type { Capability, Clock, Journal, LogOnce, Pool, Step } from '../../core/index.ts';
import type { Model, Prices, RetryPolicy, Tier } from '../../model/index.ts';
import type { Sandbox, SandboxImage } from '../../sandbox/index.ts';
import type { Snapshots } from '../../store/index.ts';
import type { ClaimHandling } from '../check/claim-handling.ts';
import type { Limits } from './limits.ts';
import type { Material } from './material.ts';
import type { CellRecord } from './state.ts';
import type { AnswerForm } from './talk/answer-form.ts';

/** The models of the two tiers. With `extractive` as the planner, a fixed program runs instead of a model. */
export interface Models {
  readonly planner: Model;
  readonly analyst: Model;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
}

/**
 * Everything that a run uses besides its state, shared by all its investigations. All of it is passed in, so that a
 * test can replace it.
 */
export interface RunContext {
  readonly models: Models;
  /** The tier that writes the code (`outer`), and the tier that answers llm_query by default (`inner`). */
  readonly outer: Tier;
  readonly inner: Tier;
  readonly material: Material;
  readonly capabilities: ReadonlySet<Capability>;
  readonly limits: Limits;
  readonly sandbox: Pick<Sandbox, 'open' | 'restore'>;
  readonly snapshots: Snapshots;
  /** Reads results that steps of this run have recorded. */
  readonly recorded: Pick<Journal, 'recall'>;
  readonly claimHandling: ClaimHandling;
  /** The question of the root. The answer may use its words without citing them. */
  readonly question: string;
  readonly step: Step;
  readonly tell: LogOnce;
  readonly clock: Clock;
  /** Aborts when the person stops the run. */
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** The seed of the random numbers in the sandbox. */
  readonly seed: string;
  /** Errors that must end the whole run: a lost lease, a bug. Sandbox code must not be able to catch them. */
  readonly failure: Failure;
  /** In a replay: called with each recorded cell and its repetition. */
  readonly onCell?: (recorded: CellRecord, again: CellRecord) => void;
  /** In a replay: true if version 0.1 made the run. */
  readonly isVersion01?: boolean;
  /** In a replay: called with the image that a session runs on. */
  readonly onSession?: (image: SandboxImage) => void;
}

/** Holds the first fatal error of a run. `signal` then aborts running work. */
export interface Failure {
  readonly signal: AbortSignal;
  set(thrown: unknown): void;
  /** Throws the failure if one has occurred. */
  check(): void;
}

export function openFailure(): Failure {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    set: (thrown) => controller.abort(thrown),
    check() {
      if (controller.signal.aborted) throw controller.signal.reason;
    },
  };
}

/** One investigation of the tree, and its question. */
export interface TreeNode {
  /** `root`, and below it `root/2.1-3`: the turn, cell and call that started it; `root/2.1-3.0` in a batch. */
  readonly key: string;
  /** 0 for the root. */
  readonly depth: number;
  /** The turn of the root during which it works; null for the root itself. */
  readonly step: number | null;
  readonly prompt: string;
  /** A value that JSON can hold; null if none was passed. */
  readonly context: unknown;
  readonly scope: Scope;
  readonly form: AnswerForm | null;
  /** The maximum number of its own turns, without nested ones. `Infinity` for the root, which the budget limits. */
  readonly turns: number;
  readonly pool: Pool;
}
