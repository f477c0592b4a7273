/** What a model may ask in the loop: questions of the systems, and a few that cost nothing. */
import { z } from 'zod';
import type { Signal, SignalQuestion } from '../../../core/index.ts';

export interface GatherTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType;
  readonly cost: string;
  /** The question that it asks; null if held evidence answers. */
  readonly question: SignalQuestion | null;
  readonly signal: Signal | null;
}

/** Schemas that a model is shown at once; some of them are kept for what costs nothing, one for the conclusion. */
const maxSchemas = 32;
const reservedSchemas = 3;

export const reasoningTools: readonly GatherTool[] = [
  {
    name: 'recall_evidence',
    description: 'Shows what evidence holds that is named in one line.',
    parameters: z.object({ ids: z.array(z.string()).min(1).max(8).describe('Evidence ids') }),
    cost: 'nothing',
    question: null,
    signal: null,
  },
  {
    name: 'search_evidence',
    description: 'Finds lines that hold the words, in everything that was recorded so far, shown or not.',
    parameters: z.object({
      text: z.string().min(2).max(200).describe('Words or a part of a line; case does not matter'),
    }),
    cost: 'nothing',
    question: null,
    signal: null,
  },
  {
    name: 'rank_suspects',
    description: 'The ranking of changes and outside causes by the program: times, diffs and shared words.',
    parameters: z.object({}),
    cost: 'nothing',
    question: null,
    signal: null,
  },
];

/** The questions of all signals. If several have the same name, the second is named `NAME_2`, and its description names its system. */
export function questionTools(signals: readonly Signal[]): readonly GatherTool[] {
  const tools = new Map<string, GatherTool>();
  for (const signal of signals)
    for (const question of signal.questions) {
      let { name } = question;
      for (let n = 2; tools.has(name); n += 1) name = `${question.name}_${n}`;
      const { description, parameters, cost } = question;
      tools.set(name, {
        name,
        description: name === question.name ? description : `${description} Of ${signal.source}.`,
        parameters,
        cost,
        question,
        signal,
      });
    }
  return [...tools.values()];
}

/** The tools that fit the maximum: the best ones in the given order, and those that are free. */
export function toolSet(ranked: readonly GatherTool[]): readonly GatherTool[] {
  const reserved = reasoningTools.slice(0, reservedSchemas);
  return [...ranked.slice(0, maxSchemas - 1 - reserved.length), ...reserved];
}
