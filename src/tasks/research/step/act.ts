/** Runs the calls of one reply in parallel, and formats their results for the model. */
import { quoteMaterial } from '../../../core/index.ts';
import { type Call, callsAsSteps, inputRoom, type Result } from '../../../model/index.ts';
import type { ActionDone, ActionOutcome } from '../actions/action.ts';
import { absenceId } from '../report/claims.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchState, Talk, Turn } from '../state.ts';
import { resultText } from './result-text.ts';
import { runAction } from './run-action.ts';
import { findTaken, finishedEvent, freshIn, heldWith, listNewEvidence, turnOf } from './run-choice.ts';
import { keepForReading } from './to-be-read.ts';

/** The outcome of a call, as recorded. */
type CallOutcome = ActionOutcome | { readonly kind: 'repeated' };

export interface ActResult {
  readonly state: ResearchState;
  readonly results: readonly Result[];
  /** By id: evidence that the results show in full. */
  readonly shown: readonly string[];
  /** Whether the calls told the run something new: evidence, an error, or that there is nothing. */
  readonly news: boolean;
  readonly final: ActionDone['final'];
}

export interface ActOptions {
  /** The key of the round, unique within the run. */
  readonly key: string;
  /** The model's words next to its calls. */
  readonly reasoning: string;
  /** The answer is due. */
  readonly due: boolean;
  /** The program makes the calls itself: results that say little are left out. */
  readonly unasked?: boolean;
}

/**
 * Makes the calls. Returns a function that formats their results, with evidence in full up to a number of tokens. Null
 * if the person stopped the run meanwhile.
 */
export async function act(
  state: ResearchState,
  calls: readonly Call[],
  context: RunContext,
  options: ActOptions,
): Promise<((tokens: number) => ActResult) | null> {
  const came = await callsAsSteps<CallOutcome>(context.step, options.key, calls, {
    // Actions only read.
    isWrite: () => false,
    work: (call, n) => workOf(call, `${options.key}/call-${n}`, state, context, options),
  });
  context.pool.recordTime();
  if (came.kind !== 'done') return null;
  return (tokens) =>
    calls.reduce<ActResult>(
      (acted, call, n) =>
        withResult(
          acted,
          call,
          came.values[n] as CallOutcome,
          { before: state, scope: context.scope.text ?? null, tokens, reasoning: options.reasoning },
          context,
        ),
      { state, results: [], shown: [], news: false, final: undefined },
    );
}

function workOf(call: Call, key: string, state: ResearchState, context: RunContext, options: ActOptions) {
  const { step } = state;
  const choice = { action: call.name, input: call.input, reasoning: options.reasoning };
  return {
    begun: { kind: 'action_started' as const, call: key, step, ...choice },
    async run() {
      const started = context.clock.now();
      const came = await runCall(call, key, state, context, options);
      const turn = toTurn(state, choice, came);
      return {
        value: came,
        events: [
          ...(came.kind === 'done' ? listNewEvidence(state, came) : []),
          [
            `${key}/finished`,
            { ...finishedEvent(turn), call: key, wall_ms: context.clock.now() - started },
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
  { due, unasked = false }: ActOptions,
): Promise<CallOutcome> {
  if (call.fit === 'unreadable')
    return { kind: 'failed', message: 'The arguments were no JSON object: write the call again.' };
  // After an answer was handed back, its author may give the same answer again.
  const isAnswer = call.name === 'finalize' && state.handedBack !== null;
  if (!isAnswer && findTaken(state, { action: call.name, input: call.input }) !== null)
    return { kind: 'repeated' };
  const outcome = await runAction(
    { name: call.name, input: call.input, state, key, due, citable: true },
    context,
  );
  return outcome.kind === 'done' ? keepForReading(call, outcome, context, unasked) : outcome;
}

type Choice = Parameters<typeof turnOf>[1];

function toTurn(state: ResearchState, choice: Choice, came: CallOutcome): Turn {
  if (came.kind !== 'repeated') return turnOf(state, choice, came);
  const before = findTaken(state, choice) as Turn;
  return { ...before, step: state.step, reasoning: choice.reasoning, outcome: 'cached', fresh: 0 };
}

/**
 * The message of a failed call, for the model. A tool that a program brought along may put foreign text into its
 * message, so that such a message is quoted as material.
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
  came: CallOutcome,
  { before, scope, tokens, reasoning }: Round,
  context: Pick<RunContext, 'material'>,
): ActResult {
  const { state } = acted;
  const choice = { action: call.name, input: call.input, reasoning };
  const turn = toTurn(before, choice, came);
  // Another call of the round may have found the same.
  const fresh = came.kind === 'done' ? freshIn(state, came) : [];
  const result = { call: call.id, name: call.name, ok: came.kind !== 'failed' };
  const next: ResearchState = {
    ...state,
    turns: [...state.turns, turn],
    evidence: came.kind === 'done' ? heldWith(state, came) : state.evidence,
  };
  if (came.kind === 'failed')
    return {
      ...acted,
      state: next,
      news: true,
      results: [...acted.results, { ...result, text: failureText(call.name, came.message, context) }],
    };
  const shown = came.kind === 'done' ? came : repeatNote(turn, state);
  const text = resultText(shown, {
    tokens: tokens - tokensOf(acted),
    sees: new Set([...visible(state.talk), ...acted.shown]),
    held: state.evidence,
    asked: call.name === 'open_span',
  });
  const said =
    came.kind === 'repeated' ? `Made before, at step ${roundMadeAt(before, choice)}; not made again.\n` : '';
  const dropped = new Set(came.kind === 'done' ? came.dropped : []);
  return {
    state: {
      ...next,
      evidence: next.evidence.filter(({ id }) => !dropped.has(id)),
      memo: came.kind === 'done' ? (came.memo ?? state.memo) : state.memo,
    },
    results: [...acted.results, { ...result, text: `${said}${text.text}${absenceText(turn, scope)}` }],
    shown: [...acted.shown, ...text.ids],
    news: acted.news || fresh.length > 0 || isNoneAtAll(came),
    final: acted.final ?? (came.kind === 'done' ? came.final : undefined),
  };
}

/** How an answer can cite that nothing was found. */
function absenceText(turn: Turn, scope: string | null): string {
  const id = absenceId(turn, scope);
  return id === null ? '' : `\nThat nothing matches is cited as [${id}].`;
}

/** A complete search that found nothing. */
function isNoneAtAll(came: CallOutcome): boolean {
  const empty = came.kind === 'done' && came.evidence.length === 0 && came.final === undefined;
  return empty && came.completeness === 'complete' && came.memo === undefined && came.dropped === undefined;
}

function roundMadeAt(state: ResearchState, choice: Choice): number {
  return findTaken(state, choice)?.step ?? state.step;
}

/**
 * The earlier result of a repeated call. Its listing is left out if the model still sees it, because the dialogue was
 * never shortened.
 */
function repeatNote(
  { summary, completeness, text, notes, evidence, inText = [] }: Turn,
  state: ResearchState,
) {
  const all = (state.talk?.cut.shortened ?? 0) > 0;
  const ids = new Set(evidence);
  return {
    summary,
    completeness,
    text: all ? text : '',
    notes: all ? notes : [],
    evidence: state.evidence.filter(({ id }) => ids.has(id)),
    inText,
  };
}

/** Evidence that the model still sees after cuts. */
function visible(talk: Talk | null): readonly string[] {
  if (talk === null) return [];
  const from = Math.max(talk.cut.shortened, talk.cut.dropped);
  return Object.entries(talk.shown).flatMap(([id, entry]) => (entry === 0 || entry >= from ? [id] : []));
}

/** Maximum of evidence shown in full per round, in tokens; less for a small window or budget. */
const maxPerRound = 8_000;
const share = { window: 0.2, budget: 0.08 };

export function roundTokens({ models: { planner }, limits }: RunContext): number {
  const window = Math.floor(inputRoom(planner, 4_000) * share.window);
  return Math.min(maxPerRound, window, Math.max(600, Math.floor(limits.tokens * share.budget)));
}

function tokensOf({ results }: ActResult): number {
  return results.reduce((sum, { text }) => sum + Math.ceil(Buffer.byteLength(text) / 3), 0);
}
