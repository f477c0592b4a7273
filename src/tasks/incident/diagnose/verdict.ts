/** Whether a verdict is accepted: the model's cause is compared with the evidence. */

import { isSameCommit } from '../../../core/incidents.ts';
import type { IncidentBlame, IncidentClaim, IncidentVerdict } from '../../../core/index.ts';
import { isForReader } from '../../../gate/index.ts';
import { classifyChange } from '../brief/edits/nature.ts';
import type { Facts } from '../brief/facts.ts';
import type { Judgement } from '../brief/judge.ts';
import { listLinksOfCause, listLinksOfClaims, namesThing } from '../brief/links-of-cause.ts';
import { createPlantedTest } from '../brief/planted.ts';
import type { SuspectChange } from '../brief/suspects.ts';

export interface Ruling {
  readonly verdict: IncidentVerdict;
  /** The name of the blamed change in the evidence; null if nothing is blamed. */
  readonly culprit: string | null;
  /** Why the model's verdict was replaced; null if it was kept. */
  readonly objection: string | null;
  /** Only the wording is unsupported; the blame may be right. */
  readonly isOnlyWording: boolean;
  /** No supported claim connects the culprit with the alert: the verdict is kept, and nothing is blamed. */
  readonly isUntied: boolean;
}

const accept = (verdict: IncidentVerdict, culprit: string | null = null): Ruling => ({
  verdict,
  culprit,
  objection: null,
  isOnlyWording: false,
  isUntied: false,
});
const refuse = (objection: string): Ruling => ({
  verdict: 'inconclusive',
  culprit: null,
  objection,
  isOnlyWording: false,
  isUntied: false,
});
/** Keeps the verdict, with an objection to its wording. */
const acceptWithObjection = (
  { verdict, culprit }: Pick<Ruling, 'verdict' | 'culprit'>,
  objection: string,
): Ruling => ({
  verdict,
  culprit,
  objection,
  isOnlyWording: true,
  isUntied: false,
});
/** Keeps the verdict, and blames nothing. */
const acceptWithoutBlame = (verdict: IncidentVerdict, culprit: string | null, objection: string): Ruling => ({
  ...acceptWithObjection({ verdict, culprit }, objection),
  isUntied: true,
});

/** The conclusion of the model. */
export interface Conclusion {
  readonly verdict: IncidentVerdict;
  readonly culprit: string | null;
  readonly category: string;
}

export interface ClaimsOfVerdict {
  /** The root cause is refused, and no link of the chain replaces it. */
  readonly isRefused: boolean;
  readonly validated: readonly IncidentClaim[];
  /** Claims that are neither shown nor refused. */
  readonly open: readonly IncidentClaim[];
}

/** A cause whose score is this many times higher must at least be mentioned. */
const rivalFactor = 2;

/**
 * A commit is blamed only if its diff was read, an accepted claim cites that diff, the commit took effect no later than
 * the onset, and the diff changes something that runs. A flag is blamed only if it is known and was switched before the
 * onset; a setting by its name, or by the commit that changed it. Whatever is blamed needs a link to the alert: one
 * that the program found, or a shown claim. If the program's own ranking clearly points at something else, one claim
 * must be about that: to disagree, the model must have looked at it.
 */
export function reviewVerdict(
  conclusion: Conclusion,
  claims: ClaimsOfVerdict,
  judgement: Judgement,
  facts: Facts,
): Ruling {
  const { verdict } = conclusion;
  if (verdict === 'inconclusive' || verdict === 'unrelated') return accept(verdict);
  const incidentClaims = [...claims.validated, ...claims.open];
  const admitted = admit(conclusion, incidentClaims, judgement, facts);
  if (admitted.objection !== null && !admitted.isOnlyWording) return admitted;
  const tied = requireLink(admitted, conclusion, withoutPlantedClaims(claims.validated, facts), judgement);
  if (tied.isUntied) return tied;
  if (claims.isRefused)
    return acceptWithObjection(tied, 'the root cause could not be found in the evidence that it names');
  if (tied.objection !== null) return tied;
  const cause = findProgramCause(judgement);
  const score =
    judgement.blamed.find(({ id }) => id === tied.culprit)?.score ??
    (verdict === 'no_code_change' ? (judgement.outside[0]?.score ?? 0) : 0);
  if (
    cause === null ||
    cause.id === tied.culprit ||
    cause.score < rivalFactor * score ||
    (cause.kind === judgement.outside[0]?.kind && verdict === 'no_code_change')
  )
    return tied;
  const [piece] = cause.evidence;
  const isMentioned = incidentClaims.some(
    ({ text, evidence }) =>
      text.includes(cause.id.slice(0, 10)) || (piece !== undefined && evidence.includes(piece)),
  );
  return isMentioned
    ? tied
    : acceptWithObjection(
        tied,
        `${cause.kind} ${cause.id} explains more of what was seen, and nothing is said of it`,
      );
}

/** Removes the blame if the culprit is not named, or if no supported claim connects it with the alert. */
function requireLink(
  tied: Ruling,
  { verdict, category }: Conclusion,
  shown: readonly IncidentClaim[],
  judgement: Judgement,
): Ruling {
  if (verdict === 'healthy') return tied;
  const { culprit } = tied;
  if (culprit === null)
    // The program's own cause has its links, so it can replace a missing name.
    return verdict === judgement.verdict
      ? tied
      : acceptWithoutBlame(
          verdict,
          null,
          `${whatToName[verdict] ?? 'what is blamed'} is not named as its culprit`,
        );
  if (listLinksOfCause(judgement, culprit).length > 0) return tied;
  const blame = toNamedBlame(verdict, culprit, namesDemand(category), judgement);
  if (listLinksOfClaims(blame, shown, judgement).length > 0) return tied;
  const [alerted = 'what is alerted'] = judgement.subject.names;
  return acceptWithoutBlame(
    verdict,
    culprit,
    `no claim that is shown ties ${culprit.slice(0, 60)} to ${alerted}: one must name it, in a record of ${alerted} or of what that depends on`,
  );
}

/** The claims without those that repeat a planted line. */
export const withoutPlantedClaims = (
  shown: readonly IncidentClaim[],
  { lines, patterns, changes }: Facts,
): readonly IncidentClaim[] => {
  const isAmongPlanted = createPlantedTest(changes.filter(({ kind }) => kind === 'commit'));
  const isPlanted = (text: string): boolean => isForReader(text) || isAmongPlanted(text);
  return shown.filter(({ text, fields, evidence }) => {
    if (isForReader(text)) return false;
    const loggedText = fields?.verb === 'logged' ? fields.object : undefined;
    if (loggedText === undefined) return true;
    const written = [
      ...lines.map((line) => ({ text: line.text, evidence: line.evidence })),
      ...patterns.map((pattern) => ({ text: pattern.example, evidence: pattern.evidence })),
    ].filter((line) => evidence.includes(line.evidence) && line.text.includes(loggedText));
    return written.length === 0 || written.some((line) => !isPlanted(line.text));
  });
};

const whatToName: Partial<Record<IncidentVerdict, string>> = {
  state: 'the object that is in the state',
  no_code_change: 'the provider or the demand',
};

export const namesDemand = (category: string): boolean => /load|traffic|demand/i.test(category);

/** The blame for a culprit that is not the program's, with its kind and service from the records. */
export function toNamedBlame(
  verdict: IncidentVerdict,
  culprit: string,
  ofDemand: boolean,
  { blamed, outside }: Judgement,
): IncidentBlame | null {
  const change = blamed.find(({ id }) => id === culprit);
  if (change !== undefined) return { kind: change.kind, id: change.id, service: change.service };
  if (verdict === 'state') return { kind: 'object', id: culprit, service: null };
  if (verdict !== 'no_code_change') return null;
  const other = outside.find(({ id }) => id === culprit);
  return {
    kind: other?.kind ?? (ofDemand ? 'traffic' : 'upstream'),
    id: culprit,
    service: other?.service ?? null,
  };
}

/** The program's own cause, if it is a change or an outside cause. */
function findProgramCause({
  cause,
}: Judgement): { kind: string; id: string; score: number; evidence: readonly string[] } | null {
  return cause === null || cause.kind === 'healthy' || cause.kind === 'state' ? null : cause.of;
}

function admit(
  { verdict, culprit }: Conclusion,
  incidentClaims: readonly IncidentClaim[],
  judgement: Judgement,
  facts: Facts,
): Ruling {
  if (verdict === 'healthy') return accept(verdict);
  if (verdict === 'no_code_change' || verdict === 'state')
    return accept(verdict, culprit === null ? null : findRecordedName(culprit, judgement));
  const named = culprit?.trim() ?? '';
  const change = findNamedChange(named, verdict, incidentClaims, judgement, facts);
  if (change === undefined) {
    const asked = verdict === 'config_change' ? 'flag or setting' : 'commit';
    return refuse(`the evidence knows no ${asked} ${named === '' ? 'that was named' : named}`);
  }
  if (change.kind !== 'commit')
    return change.before
      ? accept('config_change', change.id)
      : refuse(`${change.id} was switched after the onset`);
  return admitCommit(verdict, change, incidentClaims, facts);
}

/** The name in the records for a culprit as the model describes it: `the Redis (cache)` is `Redis`. */
function findRecordedName(culprit: string, { stateCauses, states, outside }: Judgement): string {
  const known = [
    ...stateCauses.map(({ object }) => object),
    ...outside.map(({ id }) => id),
    ...states.filter(({ condition }) => condition.role !== 'good').map(({ object }) => object),
  ];
  return (
    known.find((id) => id.toLowerCase() === culprit.trim().toLowerCase()) ??
    known.find((id) => namesThing(culprit, id)) ??
    culprit.trim()
  );
}

/**
 * Finds the named change by its id, whatever kind of change the verdict says. A setting is also found by its own name,
 * if the claims cite the one commit that changed it.
 */
function findNamedChange(
  named: string,
  verdict: IncidentVerdict,
  incidentClaims: readonly IncidentClaim[],
  { blamed }: Judgement,
  { changes }: Facts,
): SuspectChange | undefined {
  const byId =
    blamed.find(({ kind, id }) => kind !== 'commit' && id === named) ??
    (named.length < 7
      ? undefined
      : blamed.find(({ kind, id }) => kind === 'commit' && isSameCommit(id, named)));
  if (byId !== undefined || verdict !== 'config_change' || named.length < 3) return byId;
  const [change, ...others] = changes.filter(
    ({ kind, diff, evidence }) =>
      kind === 'commit' &&
      diff !== null &&
      diff.toLowerCase().includes(named.toLowerCase()) &&
      incidentClaims.some((claim) => claim.evidence.includes(evidence)),
  );
  return change === undefined || others.length > 0 ? undefined : blamed.find(({ id }) => id === change.id);
}

function admitCommit(
  verdict: IncidentVerdict,
  commit: SuspectChange,
  incidentClaims: readonly IncidentClaim[],
  facts: Facts,
): Ruling {
  const name = commit.id.slice(0, 12);
  if (!commit.diffRead) return refuse(`the diff of ${name} was not read`);
  if (commit.how === 'undelivered') return refuse(`no deploy that is known brings ${name}`);
  if (!commit.before) return refuse(`${name} took effect after the onset`);
  const change = facts.changes.find(({ id }) => id === commit.id);
  const nature = change === undefined ? null : classifyChange(change);
  if (nature?.kind === 'inert' || nature?.kind === 'logging')
    return refuse(`the diff of ${name} changes nothing that could do this`);
  if (change === undefined || !incidentClaims.some(({ evidence }) => evidence.includes(change.evidence)))
    return acceptWithObjection(
      { verdict, culprit: commit.id },
      `no claim that could stand rests on the diff of ${name}`,
    );
  return accept(verdict, commit.id);
}
