/** The tools of the model that gathers evidence: the questions of each connected system, and a few free tools. */
import { z } from 'zod';
import type { Signal, SignalQuestion } from '../../../core/index.ts';

export interface GatherTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType;
  readonly cost: string;
  /** The question to the system; null if the tool only reads recorded evidence. */
  readonly question: SignalQuestion | null;
  readonly signal: Signal | null;
}

/** Maximum number of tools in a request. Some are reserved for the free tools, and one for the conclusion. */
const maxSchemas = 32;
const reservedSchemas = 3;

export const reasoningTools: readonly GatherTool[] = [
  {
    name: 'recall_evidence',
    description: 'Shows the full text of evidence.',
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
    description: 'Ranks changes and outside causes by times, diffs and shared words.',
    parameters: z.object({}),
    cost: 'nothing',
    question: null,
    signal: null,
  },
];

/**
 * A tool for each question. If two have the same name, the second is called `NAME_2`, and its description names its
 * system.
 */
export function listQuestionTools(signals: readonly Signal[]): readonly GatherTool[] {
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

/** As many tools as fit, in the given order, and always the free ones. */
export function selectTools(ranked: readonly GatherTool[]): readonly GatherTool[] {
  const reserved = reasoningTools.slice(0, reservedSchemas);
  return [...ranked.slice(0, maxSchemas - 1 - reserved.length), ...reserved];
}
