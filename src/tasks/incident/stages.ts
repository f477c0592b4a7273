/** The stages of an investigation: six in order, and three ways to end early. */
import type { Drive } from '../drive.ts';
import { deliver } from './deliver/deliver.ts';
import { diagnose } from './diagnose/diagnose.ts';
import { extractAlert } from './extract-alert.ts';
import { gatherEvidence } from './gather/gather-evidence.ts';
import { planActions } from './plan-actions.ts';
import { resolveIntegrations } from './resolve-integrations.ts';
import type { RunContext } from './run-context.ts';
import { type IncidentState, mergeUpdates, type StageName, type Updates } from './state.ts';

/** Returns the changes to the state. A stage records what it reads from outside before it uses it. */
export type Stage = (state: IncidentState, context: RunContext) => Promise<Updates>;

export const stages: Readonly<Record<StageName, Stage>> = {
  resolve_integrations: resolveIntegrations,
  extract_alert: extractAlert,
  plan_actions: planActions,
  gather_evidence: gatherEvidence,
  diagnose,
  deliver,
};

/** The next stage. An alert that is noise, resolved or a duplicate is not investigated; a cancelled run stops. */
export function nextStage(stage: StageName, state: IncidentState): StageName | null {
  if (state.stop === 'cancelled') return null;
  switch (stage) {
    case 'resolve_integrations':
      return 'extract_alert';
    case 'extract_alert':
      return state.dismissed === null ? 'plan_actions' : null;
    case 'plan_actions':
      return 'gather_evidence';
    case 'gather_evidence':
      return 'diagnose';
    case 'diagnose':
      return 'deliver';
    case 'deliver':
      return null;
  }
}

/**
 * Runs an investigation to its end. An error of a stage is sent to the error sink with what was found until
 * then, and thrown again: nothing is swallowed, and nothing found is lost.
 */
export async function runStages(
  start: IncidentState,
  context: RunContext,
  onFailure: (stage: StageName, state: IncidentState, thrown: unknown) => Promise<void>,
  drive: Drive = driveInOrder,
): Promise<IncidentState> {
  return drive(start, {
    next: ({ next }) => next,
    async run(state) {
      const { next: stage } = state;
      if (stage === null) return state;
      try {
        context.tell(`stage/${stage}`, { kind: 'note', level: 'info', text: `stage ${stage}` });
        const updates = await stages[stage](state, context);
        const after = mergeUpdates(state, updates);
        return mergeUpdates(after, { next: nextStage(stage, after) });
      } catch (thrown) {
        await onFailure(stage, state, thrown);
        throw thrown;
      }
    },
  });
}

const driveInOrder: Drive = async (start, { next, run }) => {
  let state = start;
  while (next(state) !== null) state = await run(state);
  return state;
};
