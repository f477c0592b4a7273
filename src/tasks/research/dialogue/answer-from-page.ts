/**
 * Asks for the answer if the budget no longer pays for the whole dialogue: over a page of evidence that is cut to the
 * remaining budget.
 */
import { appendRemedy, resourceNames } from '../../../core/index.ts';
import { fitToBudget } from '../../../model/index.ts';
import { callBudgetOf } from '../../purse.ts';
import { logExhausted, logNote } from '../log.ts';
import type { RunContext } from '../run-context.ts';
import { cancel, type Pressure, type ResearchEnd, type ResearchState, withEnd } from '../state.ts';
import { type AskOutcome, ask, askShorter } from './ask.ts';
import { clampConfidence } from './confidence.ts';
import { evidencePage, questionPage } from './page.ts';
import { finalAnswer } from './signatures.ts';

const answerTokens = 4_000;
/** Tokens of evidence shown in full, by an estimate that tends to be too high. */
const evidenceTokens = { min: 300, max: 6_000 };

export async function answerFromPage(
  state: ResearchState,
  context: RunContext,
  { pressure, why }: { readonly pressure: Pressure; readonly why: string },
): Promise<ResearchState> {
  const { step } = state;
  const makePage = (tokens: number) => ({
    question: questionPage(state),
    scope: context.scope.text ?? 'everything',
    why,
    ...(state.memo !== null && { memo: state.memo }),
    evidence: evidencePage(state, tokens),
  });
  const askOnce = (key: string) =>
    ask(
      context,
      finalAnswer,
      fitToBudget(
        finalAnswer,
        makePage,
        evidenceTokens,
        callBudgetOf(context, { final: true, output: answerTokens }),
      ),
      { model: context.models.planner, step, key, final: true, maxOutputTokens: answerTokens },
    );
  const askOutcome = await askShorter(`step-${step}/page`, askOnce);
  return toEndState(state, context, askOutcome, pressure);
}

function toEndState(
  state: ResearchState,
  context: RunContext,
  askOutcome: AskOutcome<{ readonly answer: string; readonly confidence: number }>,
  pressure: Pressure,
): ResearchState {
  switch (askOutcome.kind) {
    case 'value': {
      const { answer, confidence } = askOutcome.value;
      if (answer.trim() === '')
        return withEnd(state, { stop: pressure, ...endWithoutAnswer('The model gave an empty answer.') });
      return withEnd(state, {
        stop: pressure,
        answer,
        confidence: clampConfidence(confidence),
        trouble: null,
      });
    }
    case 'malformed':
      logNote(context, `step-${state.step}/malformed-answer`, 'warning', askOutcome.message);
      return withEnd(state, {
        stop: pressure,
        ...endWithoutAnswer(`No usable answer came back: ${askOutcome.message}`),
      });
    case 'exhausted': {
      logExhausted(context, state.step, askOutcome.exhausted);
      const { resource, remedy = '' } = askOutcome.exhausted;
      const message = `The budget ended (${resourceNames[resource]}) before a model could answer.`;
      const trouble = appendRemedy({ message, remedy });
      return withEnd(state, { stop: 'budget', ...endWithoutAnswer(trouble) });
    }
    case 'failed':
      return withEnd(state, {
        stop: 'model_failed',
        ...endWithoutAnswer(`The model failed: ${appendRemedy(askOutcome)}`),
      });
    case 'cancelled':
      return cancel(state);
  }
}

export const endWithoutAnswer = (trouble: string): Omit<ResearchEnd, 'stop'> => ({
  answer: null,
  confidence: null,
  trouble,
});
