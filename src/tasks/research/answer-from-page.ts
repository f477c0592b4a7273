/**
 * The answer where the budget no longer pays for the whole dialogue: over a page of evidence that is cut to
 * what is left.
 */
import { withRemedy } from '../../core/index.ts';
import { affordable } from '../../model/index.ts';
import { purseOf } from '../purse.ts';
import { type Asked, ask, askedShorter } from './ask.ts';
import { withinOne } from './confidence.ts';
import type { Crew } from './crew.ts';
import { logExhausted, logNote } from './log.ts';
import { evidencePage, questionPage } from './page.ts';
import { finalAnswer } from './signatures.ts';
import { cancelled, type End, ended, type Pressure, type ResearchState } from './state.ts';

const answerTokens = 4_000;
/** Evidence that is shown in full. Tokens, by the estimate that errs high. */
const evidenceTokens = { least: 300, most: 6_000 };

export async function answerFromPage(
  state: ResearchState,
  crew: Crew,
  { pressure, why }: { readonly pressure: Pressure; readonly why: string },
): Promise<ResearchState> {
  const { step } = state;
  const page = (tokens: number) => ({
    question: questionPage(state),
    scope: crew.scope.text ?? 'everything',
    why,
    ...(state.memo !== null && { memo: state.memo }),
    evidence: evidencePage(state, tokens),
  });
  const once = (key: string) =>
    ask(
      crew,
      finalAnswer,
      affordable(finalAnswer, page, evidenceTokens, purseOf(crew, { final: true, output: answerTokens })),
      { model: crew.models.planner, step, key, final: true, maxOutputTokens: answerTokens },
    );
  const asked = await askedShorter(`step-${step}/page`, once);
  return asEnd(state, crew, asked, pressure);
}

function asEnd(
  state: ResearchState,
  crew: Crew,
  asked: Asked<{ readonly answer: string; readonly confidence: number }>,
  pressure: Pressure,
): ResearchState {
  switch (asked.kind) {
    case 'value': {
      const { answer, confidence } = asked.value;
      if (answer.trim() === '')
        return ended(state, { stop: pressure, ...unwritten('The model gave an empty answer.') });
      return ended(state, { stop: pressure, answer, confidence: withinOne(confidence), trouble: null });
    }
    case 'malformed':
      logNote(crew, `step-${state.step}/malformed-answer`, 'warning', asked.message);
      return ended(state, { stop: pressure, ...unwritten(`No usable answer came back: ${asked.message}`) });
    case 'exhausted': {
      logExhausted(crew, state.step, asked.exhausted);
      const trouble = `The budget ended (${asked.exhausted.resource}) before a model could answer.`;
      return ended(state, { stop: 'budget', ...unwritten(trouble) });
    }
    case 'failed':
      return ended(state, { stop: 'model_failed', ...unwritten(`The model failed: ${withRemedy(asked)}`) });
    case 'cancelled':
      return cancelled(state);
  }
}

const unwritten = (trouble: string): Omit<End, 'stop'> => ({ answer: null, confidence: null, trouble });
