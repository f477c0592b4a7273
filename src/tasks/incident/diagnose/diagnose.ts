/**
 * Checks every claim of a model's conclusion, and makes the diagnosis from the confirmed ones. Without a model, makes
 * the diagnosis from the facts alone.
 */
import { isSameCommit, rootCauseCategories } from '../../../core/incidents.ts';
import {
  type ClaimVerdict,
  type IncidentBlame,
  type IncidentClaim,
  type IncidentVerdict,
  isRefused,
  type Journal,
  type ProgramVerdict,
  type RootCauseCategory,
  type Suspect,
} from '../../../core/index.ts';
import { isExtractive } from '../../../model/index.ts';
import { type Facts, listNames } from '../brief/facts.ts';
import { type Judgement, listSuspects, toBlame } from '../brief/judge.ts';
import { alertTool, factsIn, judgeState } from '../brief/judge-state.ts';
import { listLinksOfCause, listLinksOfClaims } from '../brief/links-of-cause.ts';
import { withoutPlanted } from '../brief/planted.ts';
import { readRecorded } from '../gather/documents.ts';
import { isLibrary } from '../library/library.ts';
import type { RunContext } from '../run-context.ts';
import type { Diagnosis, IncidentState, Updates, WrittenConclusion } from '../state.ts';
import { bindClaim, bindClaims, type Decision } from './claims.ts';
import type { WrittenDiagnosis } from './conclusion.ts';
import { writeDiagnosis } from './program-diagnosis.ts';
import { readOpenClaims } from './read-open-claims.ts';
import { type Refusal, requestCorrection } from './request-correction.ts';
import { createTimeline } from './timeline.ts';
import { namesDemand, type Ruling, reviewVerdict, toNamedBlame, withoutPlantedClaims } from './verdict.ts';

/** The journal key for the version of the rules that checked a run's claims. The first version recorded none. */
const rulesKey = 'diagnose/rules';

/**
 * Version 2 compares the fields of records. Version 3 also logs each claim, and a model decides claims that code can't.
 * Version 4 blames nothing without a link to the alert. Version 5 names what failed first only if a record shows it.
 * Version 6 reads no code in texts for people, and ties nothing to planted lines. Version 7 cuts long lines of diffs.
 */
const ownRules = 7;
/** The first version that logs each claim. */
const firstWithClaimEvents = 3;

/**
 * Whether the claims of this finished run were checked by rules that no longer exist. Its verdicts are then kept as
 * they are.
 */
export const usesOlderRules = (
  { recall }: Pick<Journal, 'recall'>,
  { verdict }: { readonly verdict: IncidentVerdict },
): boolean =>
  Number(recall(rulesKey) ?? 1) < ownRules && !['noise', 'resolved', 'duplicate'].includes(verdict);

/** Whether the run's log has events for its claims. Rules before version 3 logged none. */
export const hasClaimEvents = ({ recall }: Pick<Journal, 'recall'>): boolean =>
  Number(recall(rulesKey) ?? ownRules) >= firstWithClaimEvents;

interface Written {
  readonly written: WrittenDiagnosis;
  readonly writer: string;
}

export async function diagnose(state: IncidentState, context: RunContext): Promise<Updates> {
  const rules = await context.step<number>(rulesKey, {
    deferCommit: true,
    run: async () => ({ value: ownRules }),
  });
  if (rules.kind === 'cancelled') return { stop: 'cancelled' };
  const judgement = judgeState(state);
  const facts = factsIn(state);
  const diagnoseByProgram = () => checkDiagnosis(writeByProgram(state, judgement), state, judgement, facts);
  const { concluded } = state;
  if (
    concluded === null ||
    (concluded.written.root_cause.evidence.length === 0 && concluded.reply === null)
  ) {
    const notes = isExtractive(context.models.planner) ? [] : [noConclusionNote];
    const checkedDiagnosis = await diagnoseByProgram();
    return {
      diagnosis: checkedDiagnosis.diagnosis,
      notes: [...notes, ...listSought(state, judgement), ...listPlanted(facts)],
    };
  }
  const checked = await checkAndRevise(state, context, (written) =>
    checkDiagnosis({ written, writer: context.models.planner.name }, state, judgement, facts),
  );
  if (checked === null) return { stop: 'cancelled' };
  const { notes } = checked;
  const read = await readOpenClaims(checked.result.diagnosis.doubted, state, context);
  const final =
    read.words.size === 0
      ? checked.result
      : await checkDiagnosis(
          { written: checked.result.written, writer: context.models.planner.name },
          state,
          judgement,
          facts,
          read.words,
        );
  const byProgram = await diagnoseByProgram();
  const programVerdict = findDifferentVerdict(byProgram.diagnosis, final, judgement);
  return {
    diagnosis: {
      ...addConfidence(final, judgement),
      ...(programVerdict !== null && { own: programVerdict }),
    },
    notes: [
      ...notes,
      ...(read.note === null ? [] : [read.note]),
      ...listDifferences(final, programVerdict),
      ...listPlanted(facts),
    ],
  };
}

/** The diagnosis by rules, shown beside the model's if the two blame something different; otherwise null. */
function findDifferentVerdict(
  { verdict, root_cause, blamed, confidence, validated }: Diagnosis,
  { rule }: CheckedDiagnosis,
  judgement: Judgement,
): ProgramVerdict | null {
  const blame = toBlame(judgement.cause);
  const isSame =
    rule.objection === null || rule.isOnlyWording
      ? (blame === null && verdict !== 'healthy') || (blame !== null && isNamed(blame.id, rule.culprit))
      : blame === null;
  return isSame
    ? null
    : { verdict, root_cause, blamed, confidence, claims: validated.slice(0, maxProgramClaims) };
}

const maxProgramClaims = 6;
const isNamed = (id: string, culprit: string | null): boolean =>
  culprit !== null && (id === culprit || isSameCommit(id, culprit));

const round = (value: number): number => Math.round(value * 100) / 100;

/**
 * Sets the confidence of a model's verdict. It starts at the program's own confidence plus 0.2 if both blame the same,
 * at 0.65 if the program blames nothing, and at 0.55 if it blames something else. It is multiplied by 0.7 if the
 * records contradict one of the model's claims or the verdict, or by 0.9 if the root cause stays unclear. Null if
 * nothing is blamed.
 */
function addConfidence(
  { diagnosis, rule, cause: causeVerdict }: CheckedDiagnosis,
  { cause, confidence }: Judgement,
): Diagnosis {
  if (diagnosis.blamed === null) return { ...diagnosis, confidence: null };
  const blame = toBlame(cause);
  const isSame = blame !== null && blame.id === diagnosis.blamed?.id;
  const base = isSame ? Math.min(0.95, (confidence ?? 0.5) + 0.2) : blame === null ? 0.65 : 0.55;
  const isDenied =
    rule.objection !== null || diagnosis.doubted.some(({ verdict }) => verdict === 'contradicted');
  return { ...diagnosis, confidence: round(base * (isDenied ? 0.7 : causeVerdict === 'unclear' ? 0.9 : 1)) };
}

/** The verdict itself is refused, not only its wording. */
const isRefusedVerdict = ({ objection, isOnlyWording }: Ruling): boolean =>
  objection !== null && !isOnlyWording;

/** Notes on the differences between the model's verdict and that of the rules. */
function listDifferences(
  { rule, written }: CheckedDiagnosis,
  ownVerdict: ProgramVerdict | null,
): readonly string[] {
  const steps = isRefusedVerdict(rule) || rule.isUntied ? written.remediation_steps.length : 0;
  return [
    ...(rule.objection === null
      ? []
      : [
          rule.isOnlyWording
            ? `The verdict ${written.verdict} is the model's, and not all of it is shown: ${rule.objection}.`
            : `The model's verdict ${written.verdict} does not stand: ${rule.objection}.`,
        ]),
    ...(steps === 0
      ? []
      : [
          `${steps === 1 ? 'A step of the' : `${steps} steps of the`} ${rule.isUntied ? 'conclusion without a link' : 'refused conclusion'} ${steps === 1 ? 'is' : 'are'} left out.`,
        ]),
    ...(ownVerdict === null
      ? []
      : [
          `The program by itself comes to ${ownVerdict.verdict}${ownVerdict.blamed === null ? '' : `: ${ownVerdict.blamed.kind} ${ownVerdict.blamed.id}`}.`,
        ]),
  ];
}

/** If the alert is about something that no system knows: which names were searched for, and in which systems. */
function listSought(
  { systems }: IncidentState,
  { verdict, subject: { searchedNames } }: Judgement,
): readonly string[] {
  if (verdict !== 'unrelated') return [];
  const where = systems.filter(({ usable }) => usable).map(({ system, source }) => `${system} (${source})`);
  const searched =
    searchedNames.length === 0 ? 'the words of the alert' : searchedNames.slice(0, 12).join(', ');
  return [
    `Looked for ${searched} in ${where.length === 0 ? 'no system' : where.join(', ')}: none of it is known there.`,
  ];
}

/** Maximum planted lines that are named. */
const maxPlanted = 3;

/** A note that names the planted lines, so that a person can look at them. */
function listPlanted(facts: Facts): readonly string[] {
  const honest = withoutPlanted(facts);
  const kept = new Set<object>([...honest.lines, ...honest.patterns]);
  const isPlanted = (line: object): boolean => !kept.has(line);
  const lines = facts.lines.filter(isPlanted);
  const planted = lines.length > 0 ? lines : facts.patterns.filter(isPlanted);
  const named = [...new Set(planted.map(({ evidence }) => evidence))].slice(0, maxPlanted);
  return named.length === 0
    ? []
    : [
        `The logs hold what was written for a reader, or speaks of a commit or of what is to blame: it ties nothing (${named.join(', ')}).`,
      ];
}

const noConclusionNote = 'No model wrote a conclusion: the brief was written by the program.';

/** The model's conclusion, or its second one if claims of the first were refused. Null if the run was stopped. */
async function checkAndRevise(
  state: IncidentState,
  context: RunContext,
  check: (written: WrittenDiagnosis) => Promise<CheckedDiagnosis>,
): Promise<{ readonly result: CheckedDiagnosis; readonly notes: readonly string[] } | null> {
  const first = await check((state.concluded as WrittenConclusion).written);
  const { objection } = first.rule;
  // Unclear claims are left to the reader: rewriting them would not help.
  const doubted = first.diagnosis.doubted.filter(({ verdict = 'not shown' }) => isRefused({ verdict }));
  // Recorded, so that a replay sends the model the same text even if a later version checks claims differently.
  const refused = await context.step<Refusal | null>('diagnose/refused', {
    run: async () => ({ value: objection === null && doubted.length === 0 ? null : { objection, doubted } }),
  });
  if (refused.kind !== 'done') return null;
  if (refused.value === null) return { result: first, notes: [] };
  const again = await requestCorrection(state, context, refused.value);
  if (again.kind === 'cancelled') return null;
  if (again.kind === 'not_corrected') return { result: first, notes: again.notes };
  const second = await check(again.written);
  const isWorse = rateSeverity(second.rule) > rateSeverity(first.rule);
  return { result: isWorse ? first : second, notes: [] };
}

/** How serious the objection to a verdict is: 3 is the worst. */
const rateSeverity = ({ objection, isOnlyWording, isUntied }: Ruling): number =>
  objection === null ? 0 : isUntied ? 2 : isOnlyWording ? 1 : 3;

interface CheckedDiagnosis {
  readonly written: WrittenDiagnosis;
  readonly diagnosis: Diagnosis;
  readonly rule: Ruling;
  /** The verdict on the root cause as the model worded it. */
  readonly cause: ClaimVerdict;
}

/** Checks every claim against its evidence, and the verdict against the confirmed claims. */
async function checkDiagnosis(
  { written, writer }: Written,
  state: IncidentState,
  judgement: Judgement,
  facts: Facts,
  read: ReadonlyMap<string, Decision> = new Map(),
): Promise<CheckedDiagnosis> {
  const reader = readRecorded(state.recorded);
  const known = { names: listNames(facts, state.alert), read };
  // Documents of the library were written before the incident, so they prove nothing about the present.
  const observed = state.evidence.filter(({ file_path: path }) => !isLibrary(path.split('/', 1)[0]!));
  const rootCause = await bindClaim(written.root_cause, observed, reader, known);
  const chain = await bindClaims(written.causal_chain, observed, reader, known);
  const claims = await bindClaims(written.claims, state.evidence, reader, known);
  const culprit = written.culprit ?? null;
  const isOpen = 'reason' in rootCause && rootCause.verdict === 'unclear';
  const supportedCause =
    'reason' in rootCause ? findReplacementCause(culprit, chain.validated, facts) : rootCause;
  const validated = withoutDuplicates([
    ...(supportedCause === null ? [] : [supportedCause]),
    ...chain.validated,
    ...claims.validated,
  ]);
  // That nothing was found is a statement of the program about itself, not a claim about the systems.
  const isOwnGap = writer === writtenByProgram && written.root_cause.evidence.length === 0;
  const doubted = withoutDuplicates([
    ...('reason' in rootCause && !isOwnGap ? [rootCause] : []),
    ...chain.doubted,
    ...claims.doubted,
  ]);
  const open = doubted.filter(({ verdict }) => verdict === 'unclear');
  const rule =
    writer === writtenByProgram
      ? { verdict: judgement.verdict, culprit, objection: null, isOnlyWording: false, isUntied: false }
      : reviewVerdict(
          { verdict: written.verdict, culprit, category: written.root_cause_category },
          { isRefused: supportedCause === null && !isOpen, validated, open },
          judgement,
          facts,
        );
  const category = findCategory(written, rule, judgement);
  const blamed = findBlame(rule, category, judgement);
  const links = listLinksOfCause(judgement, blamed?.id ?? null);
  return {
    written,
    rule,
    cause: rootCause.verdict ?? 'unclear',
    diagnosis: {
      verdict: rule.verdict,
      root_cause:
        rule.objection === null || rule.isOnlyWording
          ? rootCause.text
          : `Inconclusive: ${rule.objection}. It was said: ${rootCause.text}`,
      root_cause_category: category,
      detail: cleanCategory(written.detail ?? written.root_cause_category),
      confidence: judgement.confidence,
      blamed,
      links:
        links.length > 0
          ? links
          : listLinksOfClaims(blamed, withoutPlantedClaims(validated, facts), judgement),
      suspects: orderSuspects(listSuspects(judgement), rule.culprit),
      causal_chain: chain.validated,
      validated,
      doubted,
      remediation: isRefusedVerdict(rule) || rule.isUntied ? [] : written.remediation_steps,
      timeline: createTimeline(judgement, facts, state.alert, listAlertEvidence(state), state.window),
      firstFailing: judgement.firstFailing,
      writer,
    },
  };
}

/** The blame of a verdict, with its kind and service from the records. */
function findBlame(
  { verdict, culprit, isUntied }: Ruling,
  category: RootCauseCategory,
  judgement: Judgement,
): IncidentBlame | null {
  if (isUntied) return null;
  const blame = toBlame(judgement.cause);
  if (verdict === judgement.verdict && (culprit === null || blame?.id === culprit)) return blame;
  return culprit === null ? null : toNamedBlame(verdict, culprit, namesDemand(category), judgement);
}

/** The category that the model named, if it is one of the known ones; otherwise the usual category of the verdict. */
function findCategory(
  { root_cause_category: given }: WrittenDiagnosis,
  { verdict, culprit }: Ruling,
  judgement: Judgement,
): RootCauseCategory {
  const named = rootCauseCategories.find(
    (category) =>
      category ===
      given
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_'),
  );
  if (verdict === 'inconclusive' || verdict === 'unrelated') return 'unknown';
  if (named !== undefined && named !== 'unknown') return named;
  if (verdict === judgement.verdict && (culprit === null || toBlame(judgement.cause)?.id === culprit))
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

/**
 * If the root cause itself is not supported: the first supported link of the causal chain that cites the blamed change.
 */
const findReplacementCause = (
  culprit: string | null,
  links: readonly IncidentClaim[],
  { changes }: Facts,
): IncidentClaim | null => {
  if (culprit === null) return null;
  const pieces = changes
    .filter(({ id }) => id === culprit || isSameCommit(id, culprit))
    .map(({ evidence }) => evidence);
  return links.find(({ evidence }) => evidence.some((id) => pieces.includes(id))) ?? null;
};

/** The category in the model's own words, without characters that could be markup, and cut to 60 characters. */
const cleanCategory = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N} ,.'-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60) || 'not named';

const listAlertEvidence = ({ recorded }: IncidentState): readonly string[] =>
  recorded.find(({ tool }) => tool === alertTool)?.evidence ?? [];

const writtenByProgram = 'extractive';

const writeByProgram = (state: IncidentState, judgement: Judgement): Written => ({
  written: writeDiagnosis(judgement, factsIn(state), state.alert, listAlertEvidence(state)),
  writer: writtenByProgram,
});

/** Moves the blamed change to the front; the rest keep their order. */
function orderSuspects(suspects: readonly Suspect[], culprit: string | null): readonly Suspect[] {
  return culprit === null
    ? suspects
    : suspects.toSorted((a, b) => Number(b.id === culprit) - Number(a.id === culprit));
}

function withoutDuplicates<Claim extends IncidentClaim>(claims: readonly Claim[]): readonly Claim[] {
  return [...new Map(claims.map((claim) => [claim.text, claim])).values()];
}

/** Validated claims as a share of all claims, to the third decimal; 0 if nothing was claimed. */
export function computeValidity({ validated, doubted }: Pick<Diagnosis, 'validated' | 'doubted'>): number {
  const all = validated.length + doubted.length;
  return all === 0 ? 0 : Math.round((validated.length / all) * 1_000) / 1_000;
}
