/** The citations and reads of an investigation, in the form for the check of its answer. */
import type { AnswerRequest } from '../../../gate/index.ts';
import type { CheckContext } from '../../check/check.ts';
import type { RunContext } from '../run-context.ts';
import { listPaths, type NodeState } from '../state.ts';

export const checkContext = ({ turn }: Pick<NodeState, 'turn'>, context: RunContext): CheckContext => ({
  ...context,
  readerPool: context.claimHandling.readerPool,
  readerSoFar: context.claimHandling.readerSoFar,
  number: Math.max(1, turn),
});

export function answerRequest(
  { gains, missing = [] }: NodeState,
  context: RunContext,
  text: string,
): AnswerRequest {
  const { evidence, reads } = gains;
  const searches = missing.map((name) => ({
    id: name,
    pattern: name,
    matches: 0,
    complete: true,
    scope: null,
  }));
  const log = { searches, read: listPaths(reads) };
  return { text, evidence, trail: reads, reader: context.material.text, question: context.question, log };
}

/** The part of a value that makes claims: a text, or the texts inside it. */
export const claimText = (answer: unknown): string =>
  typeof answer === 'string' ? answer : textsIn(answer).join('\n\n');

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
