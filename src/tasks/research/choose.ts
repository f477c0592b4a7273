/** The next action, or the answer, as the planner writes it. */
import { withRemedy } from '../../core/index.ts';
import { affordable, isExtractive } from '../../model/index.ts';
import { purseOf } from '../purse.ts';
import { actionsFor } from './actions/registry.ts';
import { type Asked, ask, askedShorter } from './ask.ts';
import { withinOne } from './confidence.ts';
import { type Crew, left } from './crew.ts';
import { logExhausted, logNote } from './log.ts';
import {
  budgetPage,
  evidencePage,
  fullTokens,
  memoPage,
  questionPage,
  resultPage,
  stepsPage,
} from './page.ts';
import { chooseAction, finalAnswer } from './signatures.ts';
import {
  type Choice,
  cancelled,
  type End,
  ended,
  type Pending,
  type Pressure,
  type ResearchState,
} from './state.ts';

/** Room for the reasoning that some models bill as output. Tokens. */
const choiceTokens = 4_000;
const answerTokens = 4_000;

export async function chooseByModel(
  state: ResearchState,
  crew: Crew,
  pressure: Pressure | null,
): Promise<ResearchState> {
  return pressure === null ? chooseNext(state, crew) : answerNow(state, crew, pressure);
}

/** The search with the question itself: what is done where nobody says what to do. */
function searchFirst({ question }: ResearchState, why: string): Choice {
  return { action: 'hybrid_search', input: { query: question, k: 8 }, reasoning: why };
}

/** Whether anything was looked for, with or without success. */
const looked = ({ turns }: ResearchState) => turns.some(({ action }) => action !== 'finalize');

/** Nobody answers empty-handed: where nothing was looked for yet, the question itself is, first. */
function notEmptyHanded(state: ResearchState, next: Pending, why: string): ResearchState {
  if (looked(state)) return { ...state, pending: next };
  return { ...state, pending: { kind: 'act', choice: searchFirst(state, why), next } };
}

async function chooseNext(state: ResearchState, crew: Crew): Promise<ResearchState> {
  const { step, told } = state;
  const actions = actionsFor(crew.material).filter(
    ({ name }) => name !== 'summarize_evidence' || !isExtractive(crew.models.analyst),
  );
  const memo = memoPage(state);
  const result = resultPage(state);
  const signature = chooseAction(actions);
  const page = (evidence: number) => ({
    question: questionPage(state),
    scope: crew.scope.text ?? 'everything',
    budget: budgetPage(step, crew.limits, left(crew, false)),
    steps: stepsPage(state),
    ...(told !== null && { told }),
    ...(result !== undefined && { result }),
    ...(memo !== undefined && { memo }),
    evidence: evidencePage(state, evidence),
  });
  const asked = await ask(
    crew,
    signature,
    affordable(signature, page, evidenceTokens, purseOf(crew, { final: false, output: choiceTokens })),
    {
      model: crew.models.planner,
      step,
      key: `step-${step}/model-1`,
      final: false,
      maxOutputTokens: choiceTokens,
    },
  );
  switch (asked.kind) {
    case 'value': {
      const { reasoning, action } = asked.value;
      const { name, ...input } = action;
      const choice = chosen(crew, step, { action: name, input, reasoning });
      return { ...state, told: null, pending: { kind: 'act', choice, next: { kind: 'plan' } } };
    }
    case 'malformed': {
      const note = `Step ${step}: the model's choice could not be read twice; the question was searched for instead.`;
      logNote(crew, `step-${step}/malformed`, 'warning', `${note} ${asked.message}`);
      const choice = chosen(crew, step, searchFirst(state, 'fall-back: the choice could not be read'));
      return {
        ...state,
        notes: [...state.notes, note],
        pending: { kind: 'act', choice, next: { kind: 'plan' } },
      };
    }
    case 'exhausted':
      logExhausted(crew, step, asked.exhausted);
      return { ...state, pending: { kind: 'choose', pressure: 'budget' } };
    case 'failed':
      return notEmptyHanded(state, endOf(failed(asked)), 'the model failed before anything was found');
    case 'cancelled':
      return cancelled(state);
  }
}

/** Recorded, so that a newer version that reads replies otherwise still resumes the run it finds. */
function chosen({ journal }: Crew, step: number, choice: Choice): Choice {
  return journal.record(`step-${step}/choice`, choice) as Choice;
}

const whys: Readonly<Record<Pressure, string>> = {
  budget: 'The budget is used up to the part kept for the answer.',
  stagnant: 'The last two steps brought no new evidence.',
};

async function answerNow(state: ResearchState, crew: Crew, pressure: Pressure): Promise<ResearchState> {
  if (!looked(state))
    return notEmptyHanded(state, { kind: 'choose', pressure }, 'the answer is due and nothing was looked at');
  const { step } = state;
  const memo = memoPage(state);
  const page = (evidence: number) => ({
    question: questionPage(state),
    scope: crew.scope.text ?? 'everything',
    why: whys[pressure],
    steps: stepsPage(state),
    ...(memo !== undefined && { memo }),
    evidence: evidencePage(state, evidence),
  });
  const once = (key: string) =>
    ask(
      crew,
      finalAnswer,
      affordable(finalAnswer, page, evidenceTokens, purseOf(crew, { final: true, output: answerTokens })),
      { model: crew.models.planner, step, key, final: true, maxOutputTokens: answerTokens },
    );
  const asked = await askedShorter(`step-${step}/answer`, once);
  switch (asked.kind) {
    case 'value': {
      const { answer, confidence } = asked.value;
      if (answer.trim() === '')
        return ended(state, { stop: pressure, ...unwritten('The model gave an empty answer.') });
      return ended(state, { stop: pressure, answer, confidence: withinOne(confidence), trouble: null });
    }
    case 'malformed':
      logNote(crew, `step-${step}/malformed-answer`, 'warning', asked.message);
      return ended(state, { stop: pressure, ...unwritten(`No usable answer came back: ${asked.message}`) });
    case 'exhausted':
      logExhausted(crew, step, asked.exhausted);
      return ended(state, {
        stop: 'budget',
        ...unwritten(`The budget ended (${asked.exhausted.resource}) before a model could answer.`),
      });
    case 'failed':
      return ended(state, failed(asked));
    case 'cancelled':
      return cancelled(state);
  }
}

/** Evidence that is shown in full. Tokens, by the estimate that errs high. */
const evidenceTokens = { least: 300, most: fullTokens };

const endOf = (end: End): Pending => ({ kind: 'end', end });

function failed(asked: Extract<Asked<never>, { kind: 'failed' }>): End {
  return { stop: 'model_failed', ...unwritten(`The model failed: ${withRemedy(asked)}`) };
}

const unwritten = (trouble: string) => ({ answer: null, confidence: null, trouble });
