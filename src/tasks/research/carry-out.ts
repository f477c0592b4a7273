/** Carries an action out: once for each input, within its time, recorded before it is used. */
import { canonicalJson, type Evidence, isSondeError, messageOf } from '../../core/index.ts';
import type { Action, ActionOutcome } from './actions/action.ts';
import { actionsFor } from './actions/registry.ts';
import { ask } from './ask.ts';
import { collect } from './collect.ts';
import type { Crew } from './crew.ts';
import { evidencePage, questionPage } from './page.ts';
import { summarizeEvidence } from './signatures.ts';
import { type Choice, cancelled, ended, type ResearchState, type Turn } from './state.ts';

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

  const before = takenBefore(state, choice);
  const outcome = before === null ? await recorded(state, choice, crew) : null;
  if (before === null && outcome === null) return cancelled(state);

  const turn = outcome === null ? cachedTurn(step, choice, before as Turn) : turnOf(state, choice, outcome);
  const found = outcome?.kind === 'done' ? outcome.evidence : [];
  const held = new Set(state.evidence.map(({ id }) => id));
  const fresh = found.filter(({ id }) => !held.has(id));
  for (const evidence of fresh)
    crew.log.append(`step-${step}/evidence/${evidence.id}`, { kind: 'evidence_registered', step, evidence });
  crew.log.append(`step-${step}/finished`, {
    kind: 'action_finished',
    step,
    action: choice.action,
    outcome: turn.outcome,
    summary: turn.outcome === 'error' ? turn.text : turn.summary,
    evidence: turn.evidence,
    fresh: turn.fresh,
    completeness: turn.completeness,
    wall_ms: crew.clock.now() - started,
  });
  crew.pool.tick();
  await crew.commit();

  const done: ResearchState = {
    ...state,
    turns: [...state.turns, turn],
    evidence: [...state.evidence, ...fresh],
    memo: outcome?.kind === 'done' ? (outcome.memo ?? state.memo) : state.memo,
    dry: fresh.length === 0 ? state.dry + 1 : 0,
    told: toldOf(turn, before),
    pending: next,
  };
  if (outcome?.kind !== 'done' || outcome.final === undefined) return done;
  return ended(done, { stop: 'finalized', ...outcome.final, trouble: null });
}

/** Only what worked is served again: an error may be gone the next time. */
function takenBefore({ turns }: ResearchState, { action, input }: Choice): Turn | null {
  const wanted = canonicalJson(input);
  return (
    turns.find(
      (turn) => turn.action === action && turn.outcome === 'ok' && canonicalJson(turn.input) === wanted,
    ) ?? null
  );
}

/** Null where the person stopped the run meanwhile: then nothing is recorded. */
async function recorded(state: ResearchState, choice: Choice, crew: Crew): Promise<ActionOutcome | null> {
  const action = actionsFor(crew.material).find(({ name }) => name === choice.action);
  const key = `step-${state.step}/result`;
  // What asks a model is recorded at the call itself, and meets the same reply when it is taken again.
  const known =
    action?.asksModel === true ? undefined : (crew.journal.recall(key) as ActionOutcome | undefined);
  if (known !== undefined) return known;
  if (crew.signal.aborted) return null;
  const outcome = action === undefined ? unknown(choice, crew) : await timed(action, state, choice, crew);
  if (crew.signal.aborted) return null;
  return action?.asksModel === true ? outcome : (crew.journal.record(key, outcome) as ActionOutcome);
}

function unknown({ action }: Choice, crew: Crew): ActionOutcome {
  const names = actionsFor(crew.material).map(({ name }) => name);
  return { kind: 'failed', message: `There is no action ${action} here; there are ${names.join(', ')}.` };
}

async function timed(
  action: Action,
  state: ResearchState,
  choice: Choice,
  crew: Crew,
): Promise<ActionOutcome> {
  const input = action.input.safeParse(choice.input);
  if (!input.success) {
    const issue = input.error.issues[0];
    return {
      kind: 'failed',
      message: `${issue?.path.join('.') ?? 'the input'}: ${issue?.message ?? 'unfit'}`,
    };
  }
  // An action may use the time kept back for the answer only where the answer is due anyway.
  const due = state.pending.kind === 'act' && state.pending.next.kind !== 'plan';
  const allowed = Math.min(crew.limits.action_ms, crew.pool.timeLeft({ final: due }));
  const ends = new AbortController();
  const signal = AbortSignal.any([crew.signal, ends.signal]);
  let timer: NodeJS.Timeout | undefined;
  const stopped = new Promise<ActionOutcome>((resolve) => {
    timer = setTimeout(
      () => {
        resolve({
          kind: 'failed',
          message: `${action.name} took longer than ${allowed / 1000} s and was stopped: ask for less at once.`,
        });
        ends.abort();
      },
      Math.max(0, allowed),
    );
    crew.signal.addEventListener('abort', () => resolve({ kind: 'failed', message: 'cancelled' }), {
      once: true,
      signal: ends.signal,
    });
  });
  try {
    return await Promise.race([safely(action, input.data, state, signal, crew), stopped]);
  } finally {
    clearTimeout(timer);
    ends.abort();
  }
}

async function safely(
  action: Action,
  input: Readonly<Record<string, unknown>>,
  state: ResearchState,
  signal: AbortSignal,
  crew: Crew,
): Promise<ActionOutcome> {
  const { material, scope } = crew;
  let bug: unknown;
  try {
    return await action.run(input, {
      question: state.question,
      material,
      scope,
      held: state.evidence,
      taken: state.turns,
      signal,
      collect: (finds) => collect(material.text, scope, finds),
      summarize: (goal) =>
        summarize(goal, state, crew).catch((thrown: unknown) => {
          bug = thrown;
          throw thrown;
        }),
    });
  } catch (thrown) {
    // A model fails by a value: what it throws is a bug, and nothing to go on from.
    if (bug !== undefined) throw bug;
    // A port that throws costs a step, not the run. The lease is another matter: without it nothing may go on.
    if (isSondeError(thrown, 'lease_lost') || isSondeError(thrown, 'internal')) throw thrown;
    const remedy = isSondeError(thrown) && thrown.remedy !== undefined ? ` ${thrown.remedy}` : '';
    return { kind: 'failed', message: `${messageOf(thrown)}${remedy}` };
  }
}

async function summarize(goal: string, state: ResearchState, crew: Crew) {
  const asked = await ask(
    crew,
    summarizeEvidence,
    { question: questionPage(state), goal, evidence: evidencePage(state, 12_000) },
    {
      model: crew.models.analyst,
      step: state.step,
      key: `step-${state.step}/summary`,
      final: false,
      maxOutputTokens: 2_000,
    },
  );
  switch (asked.kind) {
    case 'value':
      return { memo: asked.value.memo };
    case 'exhausted':
      return { failure: `The budget (${asked.exhausted.resource}) does not reach for a summary.` };
    case 'cancelled':
      return { failure: 'cancelled' };
    default:
      return { failure: `The analyst gave no summary: ${asked.message}` };
  }
}

function turnOf({ step, evidence }: ResearchState, choice: Choice, outcome: ActionOutcome): Turn {
  const { action, input, reasoning } = choice;
  const asked = { step, action, input, reasoning };
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
  const { summary, text, notes, completeness } = outcome;
  const ids = outcome.evidence.map(({ id }: Evidence) => id);
  const fresh = ids.filter((id) => !evidence.some((item) => item.id === id)).length;
  return { ...asked, outcome: 'ok', summary, text, notes, completeness, evidence: ids, fresh };
}

function cachedTurn(step: number, { reasoning }: Choice, before: Turn): Turn {
  return { ...before, step, reasoning, outcome: 'cached', fresh: 0 };
}

function toldOf(turn: Turn, before: Turn | null): string | null {
  if (before !== null)
    return `You took ${turn.action} with this very input at step ${before.step}. It was not carried out again; this is its earlier result. Take another angle, or finalize.`;
  if (turn.outcome === 'error')
    return `${turn.action} failed; see the result. Correct the input or take another way.`;
  if (turn.fresh === 0 && turn.action !== 'summarize_evidence')
    return 'The last step brought no new evidence. A second one like it ends the research.';
  return null;
}
