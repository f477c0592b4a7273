/** Runs the choice of the policy without a model: once for each input, recorded before it is used. */
import { canonicalJson, type Evidence, type RunEvent } from '../../../core/index.ts';
import type { ActionOutcome } from '../actions/action.ts';
import type { RunContext } from '../run-context.ts';
import { type Choice, cancel, type ResearchState, type Turn } from '../state.ts';
import { runAction } from './run-action.ts';

export async function runChoice(state: ResearchState, context: RunContext): Promise<ResearchState> {
  if (state.pending.kind !== 'act') throw new RangeError(`step ${state.step} has no action to carry out`);
  const { choice, next } = state.pending;
  const { step } = state;
  const { action, input } = choice;
  const key = `step-${step}/result`;
  const came = await context.step<ActionOutcome>(key, {
    begun: { kind: 'action_started', step, ...choice },
    async run() {
      const started = context.clock.now();
      const outcome = await runAction(
        { name: action, input, state, key, due: next.kind !== 'plan' },
        context,
      );
      const wall_ms = context.clock.now() - started;
      return {
        value: outcome,
        events: [
          ...listNewEvidence(state, outcome),
          [`step-${step}/finished`, { ...finishedEvent(turnOf(state, choice, outcome)), wall_ms }],
        ],
      };
    },
  });
  context.pool.recordTime();
  if (came.kind !== 'done') return cancel(state);
  const fresh = freshIn(state, came.value);
  return {
    ...state,
    turns: [...state.turns, turnOf(state, choice, came.value)],
    evidence: heldWith(state, came.value),
    stepsWithoutEvidence: fresh.length === 0 ? state.stepsWithoutEvidence + 1 : 0,
    pending: next,
  };
}

/** The evidence of an outcome that the run did not hold before, as events for the log. */
export function listNewEvidence(
  state: Pick<ResearchState, 'step' | 'evidence'>,
  outcome: ActionOutcome,
): readonly (readonly [key: string, event: RunEvent])[] {
  const { step } = state;
  return freshIn(state, outcome).map((evidence) => [
    `step-${step}/evidence/${evidence.id}`,
    { kind: 'evidence_registered', step, evidence },
  ]);
}

/**
 * The earlier turn with the same action and input. A failed turn is not served again: its error may be gone the next
 * time; nor is a listing that the time cut short, which goes on from what it has read.
 */
export function findTaken(
  { turns }: Pick<ResearchState, 'turns'>,
  { action, input }: Pick<Choice, 'action' | 'input'>,
): Turn | null {
  const wanted = canonicalJson(input);
  return (
    turns.find(
      (turn) =>
        turn.action === action &&
        turn.outcome === 'ok' &&
        !turn.notes.some(isToBeAskedAgain) &&
        canonicalJson(turn.input) === wanted,
    ) ?? null
  );
}

/** The note of a listing that was cut at its time. */
export const isToBeAskedAgain = (note: string): boolean => note.includes('asked again it goes on');

/** The evidence of an outcome that the run did not hold before. */
export function freshIn({ evidence }: Pick<ResearchState, 'evidence'>, outcome: ActionOutcome) {
  if (outcome.kind !== 'done') return [];
  const held = new Set(evidence.map(({ id }) => id));
  return outcome.evidence.filter(({ id }) => !held.has(id));
}

/**
 * The evidence with that of an outcome. Lines that were held keep their place, and take over what a listing of their
 * users says of them: the same lines may have been found by a search before.
 */
export function heldWith(
  state: Pick<ResearchState, 'evidence'>,
  outcome: ActionOutcome,
): readonly Evidence[] {
  if (outcome.kind !== 'done') return state.evidence;
  const listed = new Map(
    outcome.evidence.flatMap((one) =>
      one.provenance === 'syntax' && one.reason.startsWith('defines ') ? [[one.id, one] as const] : [],
    ),
  );
  const held = state.evidence.map((one) => {
    const { reason, provenance } = listed.get(one.id) ?? one;
    return reason === one.reason && provenance === one.provenance ? one : { ...one, reason, provenance };
  });
  return [...held, ...freshIn(state, outcome)];
}

export function turnOf(
  state: Pick<ResearchState, 'step' | 'evidence'>,
  { action, input, reasoning }: Choice,
  outcome: ActionOutcome,
): Turn {
  const asked = { step: state.step, action, input, reasoning };
  if (outcome.kind === 'failed')
    return {
      ...asked,
      outcome: 'error',
      summary: 'failed',
      text: outcome.message,
      notes: [],
      completeness: 'unknown',
      evidence: [],
      fresh: 0,
    };
  const { summary, text, notes, completeness, evidence, inText, scores } = outcome;
  const fresh = freshIn(state, outcome).length;
  return {
    ...asked,
    outcome: 'ok',
    summary,
    text,
    notes,
    completeness,
    evidence: evidence.map(({ id }) => id),
    fresh,
    ...(inText !== undefined && { inText }),
    ...(scores !== undefined && { scores }),
  };
}

export function finishedEvent(turn: Turn) {
  const { step, action, outcome, evidence, fresh, completeness } = turn;
  const summary = outcome === 'error' ? turn.text : turn.summary;
  return { kind: 'action_finished' as const, step, action, outcome, summary, evidence, fresh, completeness };
}
