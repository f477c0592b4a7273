/** From a conclusion to a diagnosis whose every claim was checked; without a model from the facts alone. */
import {
  type IncidentBlame,
  type IncidentClaim,
  type RootCauseCategory,
  rootCauseCategories,
  type Suspect,
} from '../../../core/index.ts';
import { isExtractive } from '../../../model/index.ts';
import { sameCommit } from '../brief/delivery.ts';
import { type Facts, namesIn } from '../brief/facts.ts';
import { allSuspects, blameOf, type Judgement } from '../brief/judge.ts';
import { linksOfCause } from '../brief/links-of-cause.ts';
import { alertTool, factsIn, judgementOf } from '../brief/of-state.ts';
import type { Crew } from '../crew.ts';
import { recordedReader } from '../gather/documents.ts';
import type { Concluded, Diagnosis, IncidentState, Updates } from '../state.ts';
import { briefOf } from './brief.ts';
import { bindClaim, bindClaims } from './claims.ts';
import type { WrittenDiagnosis } from './conclusion.ts';
import { mended, type Refusal } from './mend.ts';
import { timelineOf } from './timeline.ts';
import { type Ruling, ruling } from './verdict.ts';

interface Written {
  readonly written: WrittenDiagnosis;
  readonly writer: string;
}

export async function diagnose(state: IncidentState, crew: Crew): Promise<Updates> {
  const judgement = judgementOf(state);
  const facts = factsIn(state);
  const byProgram = () => checked(byCode(state, judgement), state, judgement, facts);
  const { concluded } = state;
  if (
    concluded === null ||
    (concluded.written.root_cause.evidence.length === 0 && concluded.reply === null)
  ) {
    const notes = isExtractive(crew.models.planner) ? [] : [noConclusion];
    const own = await byProgram();
    return { diagnosis: own.diagnosis, notes: [...notes, ...objected(own), ...soughtIn(state, judgement)] };
  }
  const came = await toldOnce(state, crew, (written) =>
    checked({ written, writer: crew.models.planner.name }, state, judgement, facts),
  );
  if (came === null) return { stop: 'cancelled' };
  const { said, notes } = came;
  const agreed = withDoubt(said, judgement);
  if (said.rule.objection === null || said.rule.isOfWords)
    return { diagnosis: agreed, notes: [...notes, ...differing(said, judgement)] };
  // What names a change that no evidence could carry is no verdict: then it is the program's own.
  const own = await byProgram();
  return {
    diagnosis: {
      ...own.diagnosis,
      confidence: own.diagnosis.confidence === null ? null : round(own.diagnosis.confidence * 0.8),
      validated: distinct([...own.diagnosis.validated, ...said.diagnosis.validated]),
      doubted: distinct([...said.diagnosis.doubted, ...own.diagnosis.doubted]),
    },
    notes: [...notes, ...objected(said)],
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** A model's verdict stands; where its claims or the program's own differ from it, less surely. */
function withDoubt({ diagnosis, rule }: Checked, { cause, confidence }: Judgement): Diagnosis {
  if (diagnosis.blamed === null && diagnosis.verdict !== 'healthy') return diagnosis;
  const own = blameOf(cause);
  const isSame = own !== null && own.id === diagnosis.blamed?.id;
  const base = isSame ? Math.min(0.95, (confidence ?? 0.5) + 0.2) : own === null ? 0.65 : 0.55;
  return { ...diagnosis, confidence: round(rule.objection === null ? base : base * 0.7) };
}

/** Where the program concludes something else, both are shown. */
function differing({ rule, written }: Checked, judgement: Judgement): readonly string[] {
  const own = blameOf(judgement.cause);
  return [
    ...(rule.objection === null
      ? []
      : [`The verdict ${written.verdict} is the model's, and not all of it is shown: ${rule.objection}.`]),
    ...(own === null || own.id === rule.culprit
      ? []
      : [`The program by itself comes to ${judgement.verdict}: ${own.kind} ${own.id}.`]),
  ];
}

/** What was looked for, and where, for what nothing knows. */
function soughtIn(
  { systems }: IncidentState,
  { verdict, subject: { sought } }: Judgement,
): readonly string[] {
  if (verdict !== 'unrelated') return [];
  const where = systems.filter(({ usable }) => usable).map(({ system, source }) => `${system} (${source})`);
  const what = sought.length === 0 ? 'the words of the alert' : sought.slice(0, 12).join(', ');
  return [
    `Looked for ${what} in ${where.length === 0 ? 'no system' : where.join(', ')}: none of it is known there.`,
  ];
}

const noConclusion = 'No model wrote a conclusion: the brief was written by the program.';

/** A model's conclusion, or its second one after it was told what did not pass. Null where the run was stopped. */
async function toldOnce(
  state: IncidentState,
  crew: Crew,
  check: (written: WrittenDiagnosis) => Promise<Checked>,
): Promise<{ readonly said: Checked; readonly notes: readonly string[] } | null> {
  const first = await check((state.concluded as Concluded).written);
  const { objection } = first.rule;
  const { doubted } = first.diagnosis;
  // Recorded, so that what was sent does not hang on how a later version checks.
  const refused = await crew.step<Refusal | null>('diagnose/refused', {
    run: async () => ({ value: objection === null && doubted.length === 0 ? null : { objection, doubted } }),
  });
  if (refused.kind !== 'done') return null;
  if (refused.value === null) return { said: first, notes: [] };
  const again = await mended(state, crew, refused.value);
  if (again.kind === 'cancelled') return null;
  if (again.kind === 'left') return { said: first, notes: again.notes };
  const second = await check(again.written);
  const isWorse = second.rule.objection !== null && objection === null;
  return { said: isWorse ? first : second, notes: [] };
}

const objected = ({ written, rule: { objection }, diagnosis: { writer } }: Checked): readonly string[] =>
  objection === null
    ? []
    : [
        `The verdict ${written.verdict} of ${writer} did not stand: ${objection}. What is given is worked out by the program.`,
      ];

interface Checked {
  readonly written: WrittenDiagnosis;
  readonly diagnosis: Diagnosis;
  readonly rule: Ruling;
}

/** Every claim held against its evidence, and the verdict against the claims that are left. */
async function checked(
  { written, writer }: Written,
  state: IncidentState,
  judgement: Judgement,
  facts: Facts,
): Promise<Checked> {
  const reader = recordedReader(state.recorded);
  const known = { names: namesIn(facts, state.alert), firstFailing: judgement.firstFailing };
  const rootCause = await bindClaim(written.root_cause, state.evidence, reader, known);
  const chain = await bindClaims(written.causal_chain, state.evidence, reader, known);
  const claims = await bindClaims(written.claims, state.evidence, reader, known);
  const named = written.culprit ?? null;
  const link = standIn(named, chain.validated, facts);
  // The program's own sentence on that change says more than a link that was left by chance.
  const own =
    link !== null && isItsCause(named, judgement)
      ? await bindClaim(ownCause(state, judgement, facts), state.evidence, reader, known)
      : null;
  const holds = !('reason' in rootCause) ? rootCause : own === null || 'reason' in own ? link : own;
  const validated = distinct([...(holds === null ? [] : [holds]), ...chain.validated, ...claims.validated]);
  const rule =
    writer === extractiveWriter
      ? { verdict: judgement.verdict, culprit: named, objection: null, isOfWords: false }
      : ruling(written.verdict, named, { rootCause: holds, validated }, judgement, facts);
  const blamed = blameIn(rule, judgement);
  const unproven = 'reason' in rootCause ? [rootCause] : [];
  return {
    written,
    rule,
    diagnosis: {
      verdict: rule.verdict,
      root_cause:
        rule.objection === null || rule.isOfWords
          ? (holds ?? rootCause).text
          : `Inconclusive: ${rule.objection}. It was said: ${rootCause.text}`,
      root_cause_category: categoryIn(written, rule, judgement),
      detail: plainCategory(written.detail ?? written.root_cause_category),
      confidence: judgement.confidence,
      blamed,
      links: linksOfCause(judgement, blamed?.id ?? null),
      suspects: ordered(allSuspects(judgement), rule.culprit),
      causal_chain: chain.validated,
      validated,
      doubted: distinct([...unproven, ...chain.doubted, ...claims.doubted]),
      remediation: written.remediation_steps,
      timeline: timelineOf(judgement, facts, state.alert, alertEvidenceOf(state), state.window),
      firstFailing: judgement.firstFailing,
      writer,
    },
  };
}

/** What a verdict blames, with the kind and the service that the program knows of it. */
function blameIn({ verdict, culprit }: Ruling, judgement: Judgement): IncidentBlame | null {
  const own = blameOf(judgement.cause);
  if (verdict === judgement.verdict && (culprit === null || own?.id === culprit)) return own;
  if (culprit === null) return null;
  const change = judgement.blamed.find(({ id }) => id === culprit);
  if (change !== undefined) return { kind: change.kind, id: change.id, service: change.service };
  if (verdict === 'state') return { kind: 'object', id: culprit, service: null };
  return verdict === 'no_code_change'
    ? {
        kind: judgement.outside.find(({ id }) => id === culprit)?.kind ?? 'upstream',
        id: culprit,
        service: null,
      }
    : null;
}

/** One of the list: as a model says it, else what the verdict comes to. */
function categoryIn(
  { root_cause_category: said }: WrittenDiagnosis,
  { verdict, culprit }: Ruling,
  judgement: Judgement,
): RootCauseCategory {
  const named = rootCauseCategories.find(
    (one) =>
      one ===
      said
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_'),
  );
  if (verdict === 'inconclusive' || verdict === 'unrelated') return 'unknown';
  if (named !== undefined && named !== 'unknown') return named;
  if (verdict === judgement.verdict && (culprit === null || blameOf(judgement.cause)?.id === culprit))
    return judgement.category;
  switch (verdict) {
    case 'code_change':
      return 'code_defect';
    case 'config_change':
      return 'configuration_error';
    case 'no_code_change':
      return 'dependency_failure';
    case 'healthy':
      return 'healthy';
    default:
      return 'unknown';
  }
}

/** The change that a model blames is the one that the program blames. */
function isItsCause(named: string | null, { cause }: Judgement): boolean {
  const id = blameOf(cause)?.id;
  return id !== undefined && named !== null && (id === named || sameCommit(id, named));
}

const ownCause = (state: IncidentState, judgement: Judgement, facts: Facts): IncidentClaim =>
  briefOf(judgement, facts, state.alert, alertEvidenceOf(state)).root_cause;

/** Where the cause as it was written is not shown, the link of the chain that is, and rests on the change itself. */
const standIn = (
  culprit: string | null,
  links: readonly IncidentClaim[],
  { changes }: Facts,
): IncidentClaim | null => {
  if (culprit === null) return null;
  const pieces = changes
    .filter(({ id }) => id === culprit || sameCommit(id, culprit))
    .map(({ evidence }) => evidence);
  return links.find(({ evidence }) => evidence.some((id) => pieces.includes(id))) ?? null;
};

/** A few words, whoever wrote them. */
const plainCategory = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N} ,.'-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60) || 'not named';

const alertEvidenceOf = ({ recorded }: IncidentState): readonly string[] =>
  recorded.find(({ tool }) => tool === alertTool)?.evidence ?? [];

const extractiveWriter = 'extractive';

const byCode = (state: IncidentState, judgement: Judgement): Written => ({
  written: briefOf(judgement, factsIn(state), state.alert, alertEvidenceOf(state)),
  writer: extractiveWriter,
});

/** The blamed change first; the others keep the order of the code. */
function ordered(suspects: readonly Suspect[], culprit: string | null): readonly Suspect[] {
  return culprit === null
    ? suspects
    : suspects.toSorted((a, b) => Number(b.id === culprit) - Number(a.id === culprit));
}

function distinct<Claim extends IncidentClaim>(claims: readonly Claim[]): readonly Claim[] {
  return [...new Map(claims.map((claim) => [claim.text, claim])).values()];
}

/** Validated claims as a share of all claims, to the third decimal; 0 where nothing was claimed. */
export function validityOf({ validated, doubted }: Pick<Diagnosis, 'validated' | 'doubted'>): number {
  const all = validated.length + doubted.length;
  return all === 0 ? 0 : Math.round((validated.length / all) * 1_000) / 1_000;
}
