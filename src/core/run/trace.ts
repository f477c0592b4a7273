import type { AllAmounts, Amounts, BudgetEnd } from '../budget/budget.ts';
import type { CitationStatus } from '../citation.ts';
import type { LoggedEvent } from '../event.ts';
import type { Evidence } from '../evidence.ts';
import type { Completeness } from '../material.ts';
import type { StopReason } from '../result.ts';
import { type RunState, runState } from './state.ts';

/** A call to a model. Null fields have not arrived, or never did. Times are in milliseconds, as everywhere. */
export interface TraceCall {
  readonly call: string;
  readonly model: string | null;
  readonly signature: string | null;
  readonly at: number;
  readonly reserved: Amounts | null;
  readonly spent: Amounts | null;
  /** The cost was not reported: `spent` is the reservation or an estimate. */
  readonly unknown: boolean;
  /** Tokens of the input that the provider read from its cache. */
  readonly cached: number;
  /** What the provider reported beyond the reservation; null if there was no excess. */
  readonly over: Amounts | null;
  readonly wall_ms: number | null;
  readonly text: string | null;
  readonly failure: { readonly code: string; readonly message: string; readonly remedy: string } | null;
}

export interface TraceAction {
  readonly action: string;
  readonly at: number;
  readonly reasoning: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Null while the action runs, or if the run was killed during it. */
  readonly outcome: 'ok' | 'error' | 'cached' | null;
  readonly summary: string | null;
  /** Ids of the evidence that the action gave; `fresh` of them were new. */
  readonly evidence: readonly string[];
  readonly fresh: number;
  readonly completeness: Completeness | null;
  readonly wall_ms: number | null;
}

export interface TraceStep {
  readonly step: number;
  readonly at: number;
  /** The budget left when the step began. */
  readonly left: Amounts;
  readonly calls: readonly TraceCall[];
  readonly actions: readonly TraceAction[];
  readonly exhausted: readonly BudgetEnd[];
}

/** The content of `trace.json`. */
export interface Trace {
  readonly status: RunState['status'];
  readonly shape: string | null;
  readonly question: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly limits: Amounts;
  readonly steps: readonly TraceStep[];
  readonly notes: readonly { readonly at: number; readonly level: string; readonly text: string }[];
  readonly resumed: readonly { readonly at: number; readonly fence: number; readonly recovered: number }[];
  readonly citations: readonly { readonly id: string; readonly status: CitationStatus }[];
  readonly spent: AllAmounts;
  readonly stop_reason: StopReason | null;
  readonly started: number | null;
  readonly updated: number | null;
}

interface OpenStep extends TraceStep {
  at: number;
  left: Amounts;
  readonly calls: TraceCall[];
  readonly actions: TraceAction[];
  readonly exhausted: BudgetEnd[];
}

export function buildTrace(log: readonly LoggedEvent[]): Trace {
  const state = runState(log);
  const steps = new Map<number, OpenStep>();
  const notes: Trace['notes'][number][] = [];
  const resumed: Trace['resumed'][number][] = [];

  /** The step with this number, made when its first event comes: events of a step may precede its `step_started`. */
  function getStep(step: number, at: number): OpenStep {
    const open = steps.get(step) ?? { step, at, left: {}, calls: [], actions: [], exhausted: [] };
    steps.set(step, open);
    return open;
  }

  const pending = new Map<string, Pending>();

  for (const { at, key, event } of log) {
    switch (event.kind) {
      case 'run_resumed':
        resumed.push({ at, fence: event.fence, recovered: event.recovered });
        break;
      case 'step_started':
        getStep(event.step, at).left = event.left;
        break;
      case 'model_called': {
        const { call, model, signature, reserved } = event;
        mergeCall(getStep(event.step, at).calls, { ...pendingCall(call, at), model, signature, reserved });
        break;
      }
      case 'model_replied': {
        const { call, spent, unknown, cached = 0, over = null, wall_ms, text } = event;
        const reply = { spent, unknown, cached, over, wall_ms, text };
        mergeCall(getStep(event.step, at).calls, { ...pendingCall(call, at), ...reply });
        break;
      }
      case 'model_failed': {
        const { call, code, message, remedy, over = null } = event;
        mergeCall(getStep(event.step, at).calls, {
          ...pendingCall(call, at),
          over,
          failure: { code, message, remedy },
        });
        break;
      }
      case 'action_started': {
        const { action, input, reasoning } = event;
        const { actions } = getStep(event.step, at);
        pending.set(event.call ?? callKeyOf(key), { actions, index: actions.length });
        actions.push({ ...pendingAction(action, at), input, reasoning });
        break;
      }
      case 'action_finished': {
        const { action, outcome, summary, evidence, fresh, completeness, wall_ms } = event;
        const { actions } = getStep(event.step, at);
        const end = { outcome, summary, evidence, fresh, completeness, wall_ms };
        const startedAction = pending.get(event.call ?? callKeyOf(key)) ?? findOpenAction(actions, action);
        if (startedAction === null) actions.push({ ...pendingAction(action, at), ...end });
        else
          startedAction.actions[startedAction.index] = {
            ...startedAction.actions[startedAction.index]!,
            ...end,
          };
        break;
      }
      case 'budget_exhausted':
        getStep(event.step, at).exhausted.push(event.exhausted);
        break;
      case 'note':
        notes.push({ at, level: event.level, text: event.text });
        break;
      case 'run_started':
      case 'node_started':
      case 'node_finished':
      case 'session_opened':
      case 'cell_started':
      case 'cell_finished':
      case 'helper_called':
      case 'evidence_registered':
      case 'citation_checked':
      case 'claims_checked':
      case 'run_finished':
        break;
    }
  }
  const { status, shape, question, params, limits, spent, stop, started, updated } = state;
  return {
    status,
    shape,
    question,
    params,
    limits,
    steps: [...steps.values()],
    notes,
    resumed,
    citations: [...state.citations].map(([id, status]) => ({ id, status })),
    spent,
    stop_reason: stop,
    started,
    updated,
  };
}

/** A piece of evidence, when it was read, and the check of its citation; null if it was not cited. */
export type ShownEvidence = Evidence & { readonly step: number; readonly status: CitationStatus | null };

/** The content of `evidence.json`, in the order of registration. */
export function listEvidence(log: readonly LoggedEvent[]): readonly ShownEvidence[] {
  const { citations } = runState(log);
  const shown = new Map<string, ShownEvidence>();
  for (const { event } of log) {
    if (event.kind !== 'evidence_registered' || shown.has(event.evidence.id)) continue;
    const { evidence, step } = event;
    shown.set(evidence.id, { ...evidence, step, status: citations.get(evidence.id) ?? null });
  }
  return [...shown.values()];
}

function pendingCall(call: string, at: number): TraceCall {
  return {
    call,
    at,
    model: null,
    signature: null,
    reserved: null,
    spent: null,
    unknown: false,
    cached: 0,
    over: null,
    wall_ms: null,
    text: null,
    failure: null,
  };
}

/** An action that began and has not ended. */
interface Pending {
  readonly actions: TraceAction[];
  readonly index: number;
}

/**
 * The key of a call from the key of one of its events, in logs of earlier versions, whose events do not name their
 * call.
 */
const callKeyOf = (key: string): string => key.replace(/\/(?:started|finished)$/, '');

/** Finds the open action of that name in an older log without call ids, in which each step has one action. */
function findOpenAction(actions: TraceAction[], action: string): Pending | null {
  const index = actions.findIndex(
    (traceAction) => traceAction.action === action && traceAction.outcome === null,
  );
  return index === -1 ? null : { actions, index };
}

function pendingAction(action: string, at: number): TraceAction {
  return {
    action,
    at,
    reasoning: '',
    input: {},
    outcome: null,
    summary: null,
    evidence: [],
    fresh: 0,
    completeness: null,
    wall_ms: null,
  };
}

/** Adds later facts to the call of that name. The time of its first event stays. */
function mergeCall(calls: TraceCall[], more: TraceCall): void {
  const index = calls.findIndex(({ call }) => call === more.call);
  if (index === -1) {
    calls.push(more);
    return;
  }
  const { at, unknown, ...rest } = more;
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const before = calls[index]!;
  calls[index] = { ...before, ...known, unknown: unknown || before.unknown };
}
