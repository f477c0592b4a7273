/** The judgement of the code over what a state holds. */
import type { Alert } from '../alert/alert.ts';
import { heldOf } from '../gather/documents.ts';
import type { IncidentState } from '../state.ts';
import { type Facts, factsOf } from './facts.ts';
import { type Judgement, judge } from './judge.ts';

/** The document that holds the alert itself: what it says is no finding about its cause. */
export const alertTool = 'alert';

export function factsIn(state: Pick<IncidentState, 'recorded'>): Facts {
  return factsOf(state.recorded.filter(({ tool }) => tool !== alertTool).map(heldOf));
}

export function judgementOf(state: Pick<IncidentState, 'recorded' | 'alert' | 'now'>): Judgement {
  const { alert, now } = state;
  return judge(factsIn(state), {
    text: alert === null ? '' : wordsOfAlert(alert),
    service: alert?.service ?? null,
    at: alert?.started ?? now,
  });
}

const wordsOfAlert = ({ name, metric, summary, error }: Alert): string =>
  [name, metric, summary, error].filter((part) => part !== null).join(' ');
