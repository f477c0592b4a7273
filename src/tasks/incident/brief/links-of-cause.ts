/** The links between the cause and the alert, as data for programs. */
import type { IncidentBlame, IncidentClaim, IncidentLink } from '../../../core/index.ts';
import type { Judgement } from './judge.ts';
import { namesService } from './words.ts';

const max = 5;

export function linksOfCause(
  { blamed, stateCauses, cause, subject, outside }: Judgement,
  id: string | null,
): readonly IncidentLink[] {
  if (id === null) return [];
  const change = blamed.find((suspectChange) => suspectChange.id === id);
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
  const other = outside.find((outside) => outside.id === id);
  return other === undefined ? [] : [{ kind: 'edge', from: other.id, to: alerted, evidence: other.evidence }];
}

/** The links for a culprit that only the model blames: its confirmed claims, at least the root cause. */
export function linksOfClaims(
  blame: IncidentBlame | null,
  rootCause: IncidentClaim | null,
  incidentClaims: readonly IncidentClaim[],
  { subject, blamed }: Judgement,
): readonly IncidentLink[] {
  if (blame === null) return [];
  const alerted = [...subject.names][0] ?? 'what is alerted';
  const record = new Set(blamed.find(({ id }) => id === blame.id)?.evidence ?? []);
  const words = blame.id.split(/[\s/:]+/).filter((word) => word.length > 3);
  const about = incidentClaims.filter(
    (claim) =>
      claim === rootCause ||
      claim.evidence.some((id) => record.has(id)) ||
      words.some((word) => namesService(claim.text, word)),
  );
  return about.slice(0, max).map(({ text, evidence }) => ({
    kind: linkKinds[blame.kind],
    from: `${blame.id}: ${text}`,
    to: alerted,
    evidence,
  }));
}

const linkKinds = {
  commit: 'identifier',
  config: 'setting',
  flag: 'flag',
  object: 'state',
  capacity: 'state',
  upstream: 'edge',
  traffic: 'edge',
} as const;
