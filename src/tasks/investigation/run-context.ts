import type { Capability, Clock, Journal, Pool, Step, Tell } from '../../core/index.ts';
import type { Model, Prices, RetryPolicy, Tier } from '../../model/index.ts';
import type { Sandbox, SandboxImage } from '../../sandbox/index.ts';
import type { Snapshots } from '../../store/index.ts';
import type { Claiming } from '../check/claiming.ts';
import type { Scope } from '../research/scope.ts';
import type { AnswerForm } from './answer-form.ts';
import type { Limits } from './limits.ts';
import type { Material } from './material.ts';
import type { CellRecord } from './state.ts';

/** The two tiers. `extractive` as the planner: no model is called, one fixed program runs. */
export interface Models {
  readonly planner: Model;
  readonly analyst: Model;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
}

/** What a run works with, shared by all its investigations. All of it is an argument. */
export interface RunContext {
  readonly models: Models;
  /** Which of them writes the code, and which answers llm_query where nothing else is said. */
  readonly outer: Tier;
  readonly inner: Tier;
  readonly material: Material;
  readonly capabilities: ReadonlySet<Capability>;
  readonly limits: Limits;
  readonly sandbox: Pick<Sandbox, 'open' | 'restore'>;
  readonly snapshots: Snapshots;
  /** What was recorded, to look at. */
  readonly recorded: Pick<Journal, 'recall'>;
  readonly claiming: Claiming;
  /** As the root was asked: its terms count as known in the answer. */
  readonly question: string;
  readonly step: Step;
  readonly tell: Tell;
  readonly clock: Clock;
  /** The person's wish to stop. */
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Random numbers inside follow from it. */
  readonly seed: string;
  /** What must end the whole run: a lost lease, a bug. Code inside must not be able to catch it. */
  readonly failure: Failure;
  /** In a replay: each cell is run again, and its result is compared with the record. */
  readonly compare?: (recorded: CellRecord, again: CellRecord) => void;
  /** In a replay: the run is one of version 0.1. */
  readonly isOfBefore?: boolean;
  /** In a replay: called with the image that a session runs on. */
  readonly opened?: (image: SandboxImage) => void;
}

/** The first error that is set counts, and `signal` ends running work. */
export interface Failure {
  readonly signal: AbortSignal;
  set(thrown: unknown): void;
  /** Throws it where there is one. */
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

/** One investigation: its place in the tree, and what it is asked. */
export interface TreeNode {
  /** `root`; below it `root/2.1-3`: the turn, the cell and the call it was asked in; `root/2.1-3.0` in a batch. */
  readonly key: string;
  /** 0 for the root. */
  readonly depth: number;
  /** The turn of the root during which it works; null for the root itself. */
  readonly step: number | null;
  readonly prompt: string;
  /** A value that JSON can hold; null where nothing was passed along. */
  readonly context: unknown;
  readonly scope: Scope;
  readonly form: AnswerForm | null;
  /** Its own turns, without those of nested ones. `Infinity` for the root, which is bounded by the pool. */
  readonly turns: number;
  readonly pool: Pool;
}
