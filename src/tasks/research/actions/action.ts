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
  readonly held: readonly Evidence[];
  /** The steps before this one. */
  readonly taken: readonly Turn[];
  readonly signal: AbortSignal;
  /** A model reads the outcome, and cites the lines of its listing. */
  readonly citable: boolean;
  /** Reads the lines of finds; the only way to make evidence. */
  collect(finds: readonly ClaimedSpan[]): Promise<EntryOutput>;
  /** Lets the analyst compress held evidence towards a goal. A failure is a line with the reason. */
  summarize(goal: string): Promise<{ readonly memo: string } | { readonly failure: string }>;
  /**
   * Asks the analyst which definitions answer the question: their indices, best first. A failure is a line with the
   * reason.
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
  /** Ids of evidence whose lines are in the text, each after its id: not shown again. */
  readonly inText?: readonly string[];
  /** How well each piece of the evidence fits, relative to the others. */
  readonly scores?: readonly number[];
  /** A compressed account of the evidence; replaces the one before. */
  readonly memo?: string;
  /** Ids of evidence that is dropped. */
  readonly dropped?: readonly string[];
  /** Ends the run. */
  readonly final?: { readonly answer: string; readonly confidence: number };
}

/** An expected failure: the next step may try something else. */
export interface ActionFailed {
  readonly kind: 'failed';
  /** One line that names the thing and an alternative. */
  readonly message: string;
}

export type ActionOutcome = ActionDone | ActionFailed;

export interface Action<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  /** For the model: what the action does and when to use it, in a sentence or two. */
  readonly about: string;
  /**
   * Plain strings, numbers and booleans without constraints: what every provider's structured output accepts. No field
   * may be called `name`, since the action's own name is sent under it. An optional field has a default.
   */
  readonly input: z.ZodObject<Shape>;
  available(material: Material): boolean;
  run(input: z.infer<z.ZodObject<Shape>>, context: ActionContext): Promise<ActionOutcome>;
}

/**
 * Freezes an action, and drops the type of its input, since the registry holds actions with different inputs. The type
 * of the parameter makes `run` fit `input`.
 */
export function action<Shape extends z.ZodRawShape>(definition: Action<Shape>): Action {
  return Object.freeze(definition) as unknown as Action;
}
