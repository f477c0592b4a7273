/** Carries out what the policy without a model chose: once for each input, recorded before it is used. */
import { canonicalJson } from '../../core/index.ts';
import type { ActionOutcome } from './actions/action.ts';
import type { Crew } from './crew.ts';
import { runAction } from './run-action.ts';
import { type Choice, cancelled, type ResearchState, type Turn } from './state.ts';

export async function carryOut(state: ResearchState, crew: Crew): Promise<ResearchState> {
  if (state.pending.kind !== 'act') throw new RangeError(`step ${state.step} has no action to carry out`);
  const { choice, next } = state.pending;
  const { step } = state;
  const started = crew.clock.now();
  crew.log.append(`step-${step}/action`, {
    kind: 'action_started',
    step,
    action: choice.action,
    input: choice.input,
    reasoning: choice.reasoning,
  });
  const outcome = await recorded(state, choice, crew, next.kind !== 'plan');
  if (outcome === null) return cancelled(state);
  const turn = turnOf(state, choice, outcome);
  const fresh = freshIn(state, outcome);
  for (const evidence of fresh)
    crew.log.append(`step-${step}/evidence/${evidence.id}`, { kind: 'evidence_registered', step, evidence });
  crew.log.append(`step-${step}/finished`, {
    ...finishedEvent(turn),
    wall_ms: crew.clock.now() - started,
  });
  crew.pool.tick();
  await crew.commit();
  return {
    ...state,
    turns: [...state.turns, turn],
    evidence: [...state.evidence, ...fresh],
    dry: fresh.length === 0 ? state.dry + 1 : 0,
    pending: next,
  };
}

/** Only what worked is served again: an error may be gone the next time. */
export function takenBefore(
  { turns }: Pick<ResearchState, 'turns'>,
  { action, input }: Pick<Choice, 'action' | 'input'>,
): Turn | null {
  const wanted = canonicalJson(input);
  return (
    turns.find(
      (turn) => turn.action === action && turn.outcome === 'ok' && canonicalJson(turn.input) === wanted,
    ) ?? null
  );
}

/** Null where the person stopped the run meanwhile: then nothing is recorded. */
async function recorded(
  state: ResearchState,
  { action, input }: Choice,
  crew: Crew,
  due: boolean,
): Promise<ActionOutcome | null> {
  const key = `step-${state.step}/result`;
  const known = crew.journal.recall(key) as ActionOutcome | undefined;
  if (known !== undefined) return known;
  if (crew.signal.aborted) return null;
  const outcome = await runAction({ name: action, input, state, key, due }, crew);
  return crew.signal.aborted ? null : (crew.journal.record(key, outcome) as ActionOutcome);
}

/** What of an outcome the run did not hold. */
export function freshIn({ evidence }: Pick<ResearchState, 'evidence'>, outcome: ActionOutcome) {
  if (outcome.kind !== 'done') return [];
  const held = new Set(evidence.map(({ id }) => id));
  return outcome.evidence.filter(({ id }) => !held.has(id));
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
  const { summary, text, notes, completeness, evidence } = outcome;
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
  };
}

export function finishedEvent(turn: Turn) {
  const { step, action, outcome, evidence, fresh, completeness } = turn;
  const summary = outcome === 'error' ? turn.text : turn.summary;
  return { kind: 'action_finished' as const, step, action, outcome, summary, evidence, fresh, completeness };
}
