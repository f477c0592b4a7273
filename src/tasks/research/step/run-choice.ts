/** Runs the action that the policy without a model chose, and records its outcome before using it. */
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
  const stepResult = await context.step<ActionOutcome>(key, {
    startEvent: { kind: 'action_started', step, ...choice },
    async run() {
      const started = context.clock.now();
      const outcome = await runAction(
        { name: action, input, state, key, isAnswerDue: next.kind !== 'plan' },
        context,
      );
      const wall_ms = context.clock.now() - started;
      return {
        value: outcome,
        events: [
          ...newEvidenceEvents(state, outcome),
          [`step-${step}/finished`, { ...toFinishedEvent(turnOf(state, choice, outcome)), wall_ms }],
        ],
      };
    },
  });
  context.pool.recordTime();
  if (stepResult.kind !== 'done') return cancel(state);
  const fresh = newEvidence(state, stepResult.value);
  return {
    ...state,
    turns: [...state.turns, turnOf(state, choice, stepResult.value)],
    evidence: mergeEvidence(state, stepResult.value),
    stepsWithoutEvidence: fresh.length === 0 ? state.stepsWithoutEvidence + 1 : 0,
    pending: next,
  };
}

/** The evidence of an outcome that the run did not hold before, as events for the log. */
export function newEvidenceEvents(
  state: Pick<ResearchState, 'step' | 'evidence'>,
  outcome: ActionOutcome,
): readonly (readonly [key: string, event: RunEvent])[] {
  const { step } = state;
  return newEvidence(state, outcome).map((evidence) => [
    `step-${step}/evidence/${evidence.id}`,
    { kind: 'evidence_registered', step, evidence },
  ]);
}

/**
 * The earlier turn with the same action and input, whose result is reused. A failed turn doesn't count, since its error
 * may be gone. Neither does a listing that ran out of time, since a repeated call continues it.
 */
export function findEarlierTurn(
  { turns }: Pick<ResearchState, 'turns'>,
  { action, input }: Pick<Choice, 'action' | 'input'>,
): Turn | null {
  const inputJson = canonicalJson(input);
  return (
    turns.find(
      (turn) =>
        turn.action === action &&
        turn.outcome === 'ok' &&
        !turn.notes.some(isContinueNote) &&
        canonicalJson(turn.input) === inputJson,
    ) ?? null
  );
}

/** Whether a note says that a listing ran out of its time limit. Runs of earlier versions have the second text. */
export const isContinueNote = (note: string): boolean =>
  note.includes('ask again to go on with') || note.includes('asked again it goes on');

/** The evidence of an outcome that the run did not hold before. */
export function newEvidence({ evidence }: Pick<ResearchState, 'evidence'>, outcome: ActionOutcome) {
  if (outcome.kind !== 'done') return [];
  const heldIds = new Set(evidence.map(({ id }) => id));
  return outcome.evidence.filter(({ id }) => !heldIds.has(id));
}

/**
 * The run's evidence with that of an outcome. Evidence that the run has already keeps its place. If the outcome says
 * that it defines a symbol, it takes over that reason and provenance.
 */
export function mergeEvidence(
  state: Pick<ResearchState, 'evidence'>,
  outcome: ActionOutcome,
): readonly Evidence[] {
  if (outcome.kind !== 'done') return state.evidence;
  const definitions = new Map(
    outcome.evidence.flatMap((item) =>
      item.provenance === 'syntax' && item.reason.startsWith('defines ') ? [[item.id, item] as const] : [],
    ),
  );
  const held = state.evidence.map((item) => {
    const { reason, provenance } = definitions.get(item.id) ?? item;
    return reason === item.reason && provenance === item.provenance ? item : { ...item, reason, provenance };
  });
  return [...held, ...newEvidence(state, outcome)];
}

export function turnOf(
  state: Pick<ResearchState, 'step' | 'evidence'>,
  { action, input, reasoning }: Choice,
  outcome: ActionOutcome,
): Turn {
  const call = { step: state.step, action, input, reasoning };
  if (outcome.kind === 'failed')
    return {
      ...call,
      outcome: 'error',
      summary: 'failed',
      text: outcome.message,
      notes: [],
      completeness: 'unknown',
      evidence: [],
      fresh: 0,
    };
  const { summary, text, notes, completeness, evidence, inText, scores } = outcome;
  const fresh = newEvidence(state, outcome).length;
  return {
    ...call,
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

export function toFinishedEvent(turn: Turn) {
  const { step, action, outcome, evidence, fresh, completeness } = turn;
  const summary = outcome === 'error' ? turn.text : turn.summary;
  return { kind: 'action_finished' as const, step, action, outcome, summary, evidence, fresh, completeness };
}
