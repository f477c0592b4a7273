/** Computes the program's verdict from the recorded state of an investigation. */
import type { Alert } from '../alert/alert.ts';
import { toObserved } from '../gather/documents.ts';
import { isLibrary } from '../library/library.ts';
import type { IncidentState } from '../state.ts';
import { collectFacts, type Facts } from './facts.ts';
import { type Judgement, judge } from './judge.ts';

/** The tool name of the record with the alert itself, whose text says nothing about the cause. */
export const alertTool = 'alert';

export function factsIn(state: Pick<IncidentState, 'recorded'>): Facts {
  return collectFacts(
    state.recorded.filter(({ tool }) => tool !== alertTool && !isLibrary(tool)).map(toObserved),
  );
}

export function judgeState(state: Pick<IncidentState, 'recorded' | 'alert' | 'now' | 'sent'>): Judgement {
  const { alert, now, sent } = state;
  return judge(factsIn(state), {
    text: alert === null ? '' : joinAlertTexts(alert),
    service: alert?.service ?? null,
    metric: alert?.metric ?? null,
    // The alert's own name also occurs in lists of rules and alerts, where it identifies nothing.
    labels:
      alert === null
        ? []
        : [...Object.values(alert.labels), ...listTexts(sent)].filter((value) => value !== alert.name),
    at: alert?.started ?? now,
  });
}

const joinAlertTexts = ({ name, metric, summary, error }: Alert): string =>
  [name, metric, summary, error].filter((part) => part !== null).join(' ');

/** The values of all fields: senders put the subject into fields of any name. */
function listTexts(sent: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(sent);
  } catch {
    return [];
  }
  const found: string[] = [];
  const walk = (field: unknown, depth: number): void => {
    if (typeof field === 'string' && field.length <= 120) found.push(field);
    else if (typeof field === 'object' && field !== null && depth < 8)
      for (const inner of Object.values(field)) walk(inner, depth + 1);
  };
  walk(value, 0);
  return found;
}
