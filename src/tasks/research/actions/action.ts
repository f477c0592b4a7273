/**
 * The contract of an action: what one step of a research run can do. An implementer must not: keep state between calls,
 * return text of the material anywhere but in `text` and in evidence (only those are shown in marked blocks; `summary`
 * and `notes` are not), widen the run's scope by its input, or call a shortened list complete.
 */
import type { z } from 'zod';
import type { ClaimedSpan, EntryOutput, Scope } from '../../../catalogue/index.ts';
import type { Completeness, Evidence } from '../../../core/index.ts';
import type { Material } from '../material/material.ts';
import type { Turn } from '../state.ts';

export interface ActionContext {
  readonly question: string;
  readonly material: Material;
  readonly scope: Scope;
  /** The run's evidence so far, oldest first. */
  readonly evidence: readonly Evidence[];
  /** The steps before this one. */
  readonly turns: readonly Turn[];
  readonly signal: AbortSignal;
  /** True if a model reads the outcome, and so must be able to cite each listed line. */
  readonly citable: boolean;
  /** Reads the lines of spans. This is the only way to make evidence. */
  collect(spans: readonly ClaimedSpan[]): Promise<EntryOutput>;
  /** Asks the analyst to compress the run's evidence towards a goal. `failure` is one line with the reason. */
  summarize(goal: string): Promise<{ readonly memo: string } | { readonly failure: string }>;
  /**
   * Asks the analyst which definitions answer the question. `best`: their indices, best first. `failure` is one line
   * with the reason.
   */
  rerank(
    definitions: readonly Evidence[],
  ): Promise<{ readonly best: readonly number[] } | { readonly failure: string }>;
}

export interface ActionDone {
  readonly kind: 'done';
  /** One line of plain facts: numbers, no text of the material. */
  readonly summary: string;
  /** The listing, cut to size; text of the material. Empty if the evidence says everything. */
  readonly text: string;
  readonly evidence: readonly Evidence[];
  readonly completeness: Completeness;
  /** What was skipped, failed, cut or stale; may contain paths. */
  readonly notes: readonly string[];
  /** Ids of evidence whose lines are in the text, each after its id. They are not shown again. */
  readonly inText?: readonly string[];
  /** The relative score of each piece of evidence. */
  readonly scores?: readonly number[];
  /** A summary of the evidence, which replaces the previous one. */
  readonly memo?: string;
  /** Ids of evidence that is dropped. */
  readonly dropped?: readonly string[];
  /** Ends the run. */
  readonly final?: { readonly answer: string; readonly confidence: number };
}

/** An expected failure: the next step may try something else. */
export interface ActionFailed {
  readonly kind: 'failed';
  /** One line that says what failed and names an alternative. */
  readonly message: string;
}

export type ActionOutcome = ActionDone | ActionFailed;

export interface Action<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  /** For the model: what the action does and when to use it, in a sentence or two. */
  readonly description: string;
  /**
   * Plain strings, numbers and booleans without constraints, which every provider's structured output accepts. No field
   * may be called `name`, under which the action's name is sent. An optional field has a default.
   */
  readonly input: z.ZodObject<Shape>;
  available(material: Material): boolean;
  run(input: z.infer<z.ZodObject<Shape>>, context: ActionContext): Promise<ActionOutcome>;
}

/**
 * Freezes an action, and drops the type of its input, since the registry contains actions with different inputs. The
 * parameter's type checks that `run` fits `input`.
 */
export function action<Shape extends z.ZodRawShape>(definition: Action<Shape>): Action {
  return Object.freeze(definition) as unknown as Action;
}
