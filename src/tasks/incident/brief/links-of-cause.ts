/** What ties the cause to the alert, for programs to read. */
import type { IncidentLink } from '../../../core/index.ts';
import type { Judgement } from './judge.ts';

const max = 5;

export function linksOfCause(
  { blamed, stateCauses, cause, subject, outside }: Judgement,
  id: string | null,
): readonly IncidentLink[] {
  if (id === null) return [];
  const change = blamed.find((one) => one.id === id);
  if (change !== undefined)
    return change.ties.slice(0, max).map(({ kind, from, to, evidence }) => ({ kind, from, to, evidence }));
  const alerted = [...subject.names][0] ?? 'what is alerted';
  const state =
    cause?.kind === 'state' && cause.of.object === id
      ? cause.of
      : stateCauses.find(({ object }) => object === id);
  if (state !== undefined)
    return state.states.slice(0, max).map(({ object, said, evidence }) => ({
      kind: 'state' as const,
      from: `${object}: ${said}`,
      to: alerted,
      evidence: [evidence],
    }));
  const other = outside.find((one) => one.id === id);
  return other === undefined ? [] : [{ kind: 'edge', from: other.id, to: alerted, evidence: other.evidence }];
}
