/** The state of a research run: plain data, the same for the loop and the graph, and nothing that can be recomputed. */

import type { Completeness, Evidence, StopReason } from '../../core/index.ts';
import type { Dialogue, DialogueCut, Reply } from '../../model/index.ts';
import { findMissingNames } from '../missing-names.ts';
import type { RunContext } from './run-context.ts';

/** One completed step. */
export interface Turn {
  readonly step: number;
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reasoning: string;
  readonly outcome: 'ok' | 'error' | 'cached';
  /** One line of plain facts. */
  readonly summary: string;
  /** Text of the material: a listing, or the message of a failure. */
  readonly text: string;
  readonly notes: readonly string[];
  readonly completeness: Completeness;
  /** Ids of all evidence that the action returned, new or known. */
  readonly evidence: readonly string[];
  /** Ids of the evidence whose lines `text` contains. */
  readonly inText?: readonly string[];
  /** The relative score of each piece of evidence, if the action gives scores. */
  readonly scores?: readonly number[];
  /** Number of pieces of evidence that were new to the run. */
  readonly fresh: number;
}

export interface Choice {
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reasoning: string;
}

/** Why the research has to answer now. */
export type Pressure = 'budget' | 'stagnant';

export type Pending =
  | { readonly kind: 'plan' }
  /** The model is asked for an action or, under pressure, for the answer. */
  | { readonly kind: 'choose'; readonly pressure: Pressure | null }
  /** An action is run, and `next` follows. */
  | { readonly kind: 'act'; readonly choice: Choice; readonly next: Pending }
  /** The calls of a model's reply are run. */
  | { readonly kind: 'call'; readonly reply: Reply; readonly pressure: Pressure | null }
  | { readonly kind: 'end'; readonly end: ResearchEnd };

export interface ResearchEnd {
  readonly stop: StopReason;
  /** The answer as the model wrote it; null if the answer is composed from the evidence. */
  readonly answer: string | null;
  readonly confidence: number | null;
  /** Why no model wrote an answer, with the remedy if there is one. */
  readonly trouble: string | null;
}

/** An answer as its author wrote it. */
export interface WrittenAnswer {
  readonly answer: string;
  readonly confidence: number | null;
}

/** The dialogue with the model. */
export interface Talk {
  readonly dialogue: Dialogue;
  /** Where the dialogue was cut for the model's window. */
  readonly cut: DialogueCut;
  /** For each id of evidence, the entry of the dialogue that shows it in full. */
  readonly shown: Readonly<Record<string, number>>;
  /** Number of consecutive replies without a call or, if the answer was due, without the answer. */
  readonly idle: number;
}

export interface ResearchState {
  readonly question: string;
  /** The present step, from 1; 0 before the first. */
  readonly step: number;
  readonly turns: readonly Turn[];
  /** Oldest first, each id once. */
  readonly evidence: readonly Evidence[];
  /** The latest memo of the analyst about the evidence. */
  readonly memo: string | null;
  /** Number of consecutive rounds without new evidence. */
  readonly stepsWithoutEvidence: number;
  /** Null without a model, and before the first message to it. */
  readonly talk: Talk | null;
  /** Notes on fallbacks that were taken. The result contains them. */
  readonly notes: readonly string[];
  /** Names in the question that occur nowhere in the material. */
  readonly missing: readonly string[];
  /**
   * The answer that was returned to its author because the cited lines do not support it; this happens once. It is used
   * if the author gives no other.
   */
  readonly returnedAnswer: WrittenAnswer | null;
  readonly pending: Pending;
}

export function initialState(question: string): ResearchState {
  return {
    question,
    step: 0,
    turns: [],
    evidence: [],
    memo: null,
    stepsWithoutEvidence: 0,
    talk: null,
    notes: [],
    missing: [],
    returnedAnswer: null,
    pending: { kind: 'plan' },
  };
}

export function withEnd(state: ResearchState, end: ResearchEnd): ResearchState {
  return { ...state, pending: { kind: 'end', end } };
}

/** Ends the state as cancelled. Nothing of the cancelled step is recorded, so that a resumed run repeats the step. */
export function cancel(state: ResearchState): ResearchState {
  return withEnd(state, {
    stop: 'cancelled',
    answer: null,
    confidence: null,
    trouble: 'The run was cancelled; it can be resumed.',
  });
}

const noModelToRerank = 'No model re-ranked the definitions: none is configured as the analyst';

/** The first state of a run. It is already finished if a name in the question occurs nowhere. */
export async function beginState(
  question: string,
  { material, scope, step, start }: RunContext,
): Promise<ResearchState> {
  const lookUp = { question, names: material.names, scope: scope.text, step };
  const { missing, notes, refused } = await findMissingNames(lookUp);
  const unranked = start.rerank === false ? [noModelToRerank] : [];
  const state = { ...initialState(question), missing, notes: [...notes, ...unranked] };
  return refused
    ? withEnd(state, { stop: 'finalized', answer: null, confidence: null, trouble: null })
    : state;
}
