/** Runs the calls of one reply in parallel, and formats their results for the model. */
import { quoteMaterial } from '../../../core/index.ts';
import { type Call, inputRoom, type Result, runCalls } from '../../../model/index.ts';
import type { ActionDone, ActionOutcome } from '../actions/action.ts';
import { absenceId } from '../report/claims.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState, Talk, Turn } from '../state.ts';
import { resultText } from './result-text.ts';
import { runAction } from './run-action.ts';
import {
  findEarlierTurn,
  mergeEvidence,
  newEvidence,
  newEvidenceEvents,
  toFinishedEvent,
  turnOf,
} from './run-choice.ts';
import { prepareForModel } from './to-be-read.ts';

/** The outcome of a call, as recorded. */
type CallOutcome = ActionOutcome | { readonly kind: 'repeated' };

export interface ActResult {
  readonly state: ResearchState;
  readonly results: readonly Result[];
  /** Ids of the evidence that the results show in full. */
  readonly shown: readonly string[];
  /** Whether the calls brought anything new: evidence, an error, or that nothing matches. */
  readonly hasNews: boolean;
  readonly final: ActionDone['final'];
}

export interface ActOptions {
  /** The key of the round, unique within the run. */
  readonly key: string;
  /** The model's words next to its calls. */
  readonly reasoning: string;
  /** The answer is due. */
  readonly isAnswerDue: boolean;
  /** True if the program makes the calls itself: then results that say little are left out. */
  readonly byProgram?: boolean;
}

/**
 * Makes the calls, and returns a function that formats their results, with evidence in full up to a number of tokens.
 * Null if the person stopped the run meanwhile.
 */
export async function makeCalls(
  state: ResearchState,
  calls: readonly Call[],
  context: RunContext,
  options: ActOptions,
): Promise<((tokens: number) => ActResult) | null> {
  const recorded = await runCalls<CallOutcome>(context.step, options.key, calls, {
    // Actions only read.
    isWrite: () => false,
    work: (call, n) => toStep(call, `${options.key}/call-${n}`, state, context, options),
  });
  context.pool.recordTime();
  if (recorded.kind !== 'done') return null;
  return (tokens) =>
    calls.reduce<ActResult>(
      (result, call, n) =>
        withResult(
          result,
          call,
          recorded.values[n] as CallOutcome,
          { before: state, scope: context.scope.text ?? null, tokens, reasoning: options.reasoning },
          context,
        ),
      { state, results: [], shown: [], hasNews: false, final: undefined },
    );
}

function toStep(call: Call, key: string, state: ResearchState, context: RunContext, options: ActOptions) {
  const { step } = state;
  const choice = { action: call.name, input: call.input, reasoning: options.reasoning };
  return {
    startEvent: { kind: 'action_started' as const, call: key, step, ...choice },
    async run() {
      const started = context.clock.now();
      const outcome = await runCall(call, key, state, context, options);
      const turn = toTurn(state, choice, outcome);
      return {
        value: outcome,
        events: [
          ...(outcome.kind === 'done' ? newEvidenceEvents(state, outcome) : []),
          [
            `${key}/finished`,
            { ...toFinishedEvent(turn), call: key, wall_ms: context.clock.now() - started },
          ] as const,
        ],
      };
    },
  };
}

async function runCall(
  call: Call,
  key: string,
  state: ResearchState,
  context: RunContext,
  { isAnswerDue, byProgram = false }: ActOptions,
): Promise<CallOutcome> {
  if (call.fit === 'unreadable')
    return { kind: 'failed', message: 'The arguments were no JSON object: write the call again.' };
  // After an answer was returned to its author, the author may give the same answer again.
  const isAnswer = call.name === 'finalize' && state.returnedAnswer !== null;
  if (!isAnswer && findEarlierTurn(state, { action: call.name, input: call.input }) !== null)
    return { kind: 'repeated' };
  const outcome = await runAction(
    { name: call.name, input: call.input, state, key, isAnswerDue, citable: true },
    context,
  );
  return outcome.kind === 'done' ? prepareForModel(call, outcome, context, byProgram) : outcome;
}

type Choice = Parameters<typeof turnOf>[1];

function toTurn(state: ResearchState, choice: Choice, outcome: CallOutcome): Turn {
  if (outcome.kind !== 'repeated') return turnOf(state, choice, outcome);
  const earlierTurn = findEarlierTurn(state, choice) as Turn;
  return { ...earlierTurn, step: state.step, reasoning: choice.reasoning, outcome: 'cached', fresh: 0 };
}

/**
 * The message of a failed call, for the model. A tool that the program passed in may put foreign text into its message,
 * so its message is quoted as material.
 */
function failureText(name: string, message: string, { material }: Pick<RunContext, 'material'>): string {
  const isBrought = material.tools?.some((tool) => tool.name === name) === true;
  if (!isBrought) return message;
  return `The call failed.\n${quoteMaterial(message, { source: `error of ${name}`, trust: 'untrusted' })}`;
}

interface Round {
  /** The scope of the run; null for everything. */
  readonly scope: string | null;
  /** The state at the beginning of the round. All calls of the round start from it. */
  readonly before: ResearchState;
  readonly tokens: number;
  readonly reasoning: string;
}

function withResult(
  acted: ActResult,
  call: Call,
  outcome: CallOutcome,
  { before, scope, tokens, reasoning }: Round,
  context: Pick<RunContext, 'material'>,
): ActResult {
  const { state } = acted;
  const choice = { action: call.name, input: call.input, reasoning };
  const turn = toTurn(before, choice, outcome);
  // Another call of the round may have found the same evidence.
  const found = outcome.kind === 'done' ? newEvidence(state, outcome) : [];
  const result = { call: call.id, name: call.name, ok: outcome.kind !== 'failed' };
  const next: ResearchState = {
    ...state,
    turns: [...state.turns, turn],
    evidence: outcome.kind === 'done' ? mergeEvidence(state, outcome) : state.evidence,
  };
  if (outcome.kind === 'failed')
    return {
      ...acted,
      state: next,
      hasNews: true,
      results: [...acted.results, { ...result, text: failureText(call.name, outcome.message, context) }],
    };
  const shownResult = outcome.kind === 'done' ? outcome : toRepeatedResult(turn, state);
  const text = resultText(shownResult, {
    tokens: tokens - countTokens(acted),
    seenIds: new Set([...listVisible(state.talk), ...acted.shown]),
    runEvidence: state.evidence,
    isRequested: call.name === 'open_span',
  });
  const repeatHint =
    outcome.kind === 'repeated'
      ? `Made before, at step ${earlierStep(before, choice)}; not made again.\n`
      : '';
  const dropped = new Set(outcome.kind === 'done' ? outcome.dropped : []);
  return {
    state: {
      ...next,
      evidence: next.evidence.filter(({ id }) => !dropped.has(id)),
      memo: outcome.kind === 'done' ? (outcome.memo ?? state.memo) : state.memo,
    },
    results: [...acted.results, { ...result, text: `${repeatHint}${text.text}${absenceText(turn, scope)}` }],
    shown: [...acted.shown, ...text.ids],
    hasNews: acted.hasNews || found.length > 0 || isCompleteAbsence(outcome),
    final: acted.final ?? (outcome.kind === 'done' ? outcome.final : undefined),
  };
}

/** Tells the model how to cite that nothing was found; empty if something was. */
function absenceText(turn: Turn, scope: string | null): string {
  const id = absenceId(turn, scope);
  return id === null ? '' : `\nThat nothing matches is cited as [${id}].`;
}

/** Whether the outcome is a complete search that found nothing. */
function isCompleteAbsence(outcome: CallOutcome): boolean {
  const isEmpty = outcome.kind === 'done' && outcome.evidence.length === 0 && outcome.final === undefined;
  return (
    isEmpty &&
    outcome.completeness === 'complete' &&
    outcome.memo === undefined &&
    outcome.dropped === undefined
  );
}

function earlierStep(state: ResearchState, choice: Choice): number {
  return findEarlierTurn(state, choice)?.step ?? state.step;
}

/**
 * The earlier result of a repeated call. Its listing is left out if the model still sees it, because the dialogue was
 * never shortened.
 */
function toRepeatedResult(
  { summary, completeness, text, notes, evidence, inText = [] }: Turn,
  state: ResearchState,
) {
  const isShortened = (state.talk?.cut.shortened ?? 0) > 0;
  const ids = new Set(evidence);
  return {
    summary,
    completeness,
    text: isShortened ? text : '',
    notes: isShortened ? notes : [],
    evidence: state.evidence.filter(({ id }) => ids.has(id)),
    inText,
  };
}

/** Ids of the evidence that the model still sees after the dialogue was cut. */
function listVisible(talk: Talk | null): readonly string[] {
  if (talk === null) return [];
  const firstVisible = Math.max(talk.cut.shortened, talk.cut.dropped);
  return Object.entries(talk.shown).flatMap(([id, entry]) =>
    entry === 0 || entry >= firstVisible ? [id] : [],
  );
}

/** Maximum tokens of evidence shown in full per round; fewer for a small window or budget. */
const maxPerRound = 8_000;
const maxShares = { window: 0.2, budget: 0.08 };

export function roundTokens({ models: { planner }, limits }: RunContext): number {
  const window = Math.floor(inputRoom(planner, 4_000) * maxShares.window);
  return Math.min(maxPerRound, window, Math.max(600, Math.floor(limits.tokens * maxShares.budget)));
}

function countTokens({ results }: ActResult): number {
  return results.reduce((sum, { text }) => sum + Math.ceil(Buffer.byteLength(text) / 3), 0);
}
