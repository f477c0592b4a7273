/** From a conclusion to a diagnosis whose every claim was checked; without a model from the facts alone. */
import { rootCauseCategories, sameCommit } from '../../../core/incidents.ts';
import {
  type ClaimVerdict,
  type IncidentBlame,
  type IncidentClaim,
  type IncidentVerdict,
  isRefused,
  type Journal,
  type OwnVerdict,
  type RootCauseCategory,
  type Suspect,
} from '../../../core/index.ts';
import { isExtractive } from '../../../model/index.ts';
import { type Facts, namesIn } from '../brief/facts.ts';
import { allSuspects, blameOf, type Judgement } from '../brief/judge.ts';
import { linksOfCause, linksOfClaims } from '../brief/links-of-cause.ts';
import { alertTool, factsIn, judgementOf } from '../brief/of-state.ts';
import { readRecorded } from '../gather/documents.ts';
import { isLibrary } from '../library/library.ts';
import type { RunContext } from '../run-context.ts';
import type { Concluded, Diagnosis, IncidentState, Updates } from '../state.ts';
import { briefOf } from './brief.ts';
import { bindClaim, bindClaims, type Decision } from './claims.ts';
import type { WrittenDiagnosis } from './conclusion.ts';
import { mend, type Refusal } from './mend.ts';
import { readOpen } from './read-open.ts';
import { timelineOf } from './timeline.ts';
import { type Ruling, ruling } from './verdict.ts';

/** Where a run keeps by which rules its claims were checked: earlier ones kept none, and had others. */
const rulesKey = 'diagnose/rules';

/** 2: by fields. 3: claims are told, and a reader looks at what stays open. */
const ownRules = 3;

/** Its claims were checked by rules that are gone: what came of them stands. */
export const wasCheckedBefore = (
  { recall }: Pick<Journal, 'recall'>,
  { verdict }: { readonly verdict: IncidentVerdict },
): boolean => recall(rulesKey) === undefined && !['noise', 'resolved', 'duplicate'].includes(verdict);

/** Runs of before told none of their claims. */
export const tellsClaims = ({ recall }: Pick<Journal, 'recall'>): boolean =>
  Number(recall(rulesKey) ?? ownRules) >= ownRules;

interface Written {
  readonly written: WrittenDiagnosis;
  readonly writer: string;
}

export async function diagnose(state: IncidentState, context: RunContext): Promise<Updates> {
  const rules = await context.step<number>(rulesKey, { cheap: true, run: async () => ({ value: ownRules }) });
  if (rules.kind === 'cancelled') return { stop: 'cancelled' };
  const judgement = judgementOf(state);
  const facts = factsIn(state);
  const byProgram = () => checkDiagnosis(byCode(state, judgement), state, judgement, facts);
  const { concluded } = state;
  if (
    concluded === null ||
    (concluded.written.root_cause.evidence.length === 0 && concluded.reply === null)
  ) {
    const notes = isExtractive(context.models.planner) ? [] : [noConclusion];
    const own = await byProgram();
    return { diagnosis: own.diagnosis, notes: [...notes, ...listSought(state, judgement)] };
  }
  const came = await askOnceMore(state, context, (written) =>
    checkDiagnosis({ written, writer: context.models.planner.name }, state, judgement, facts),
  );
  if (came === null) return { stop: 'cancelled' };
  const { notes } = came;
  const read = await readOpen(came.said.diagnosis.doubted, state, context);
  const said =
    read.words.size === 0
      ? came.said
      : await checkDiagnosis(
          { written: came.said.written, writer: context.models.planner.name },
          state,
          judgement,
          facts,
          read.words,
        );
  const own = await byProgram();
  const beside = besides(own.diagnosis, said, judgement);
  return {
    diagnosis: { ...withDoubt(said, judgement), ...(beside !== null && { own: beside }) },
    notes: [...notes, ...(read.note === null ? [] : [read.note]), ...differing(said, beside)],
  };
}

/** What the program comes to stands beside what a model says, where it is another: neither takes the other's place. */
function besides(
  { verdict, root_cause, blamed, confidence, validated }: Diagnosis,
  { rule }: Checked,
  judgement: Judgement,
): OwnVerdict | null {
  const own = blameOf(judgement.cause);
  const isSame =
    rule.objection === null || rule.isOfWords
      ? (own === null && verdict !== 'healthy') || (own !== null && isNamed(own.id, rule.culprit))
      : own === null;
  return isSame ? null : { verdict, root_cause, blamed, confidence, claims: validated.slice(0, maxOfOwn) };
}

const maxOfOwn = 6;
const isNamed = (id: string, culprit: string | null): boolean =>
  culprit !== null && (id === culprit || sameCommit(id, culprit));

const round = (value: number): number => Math.round(value * 100) / 100;

/**
 * How sure a model's verdict is: as the program's own of the same and 0.2 more, 0.65 where the program has none, 0.55
 * where it has another; times 0.7 where the records contradict a claim of it, or hold none of its cause, and times 0.9
 * where they leave its cause open. Null where nothing is blamed.
 */
function withDoubt({ diagnosis, rule, cause: said }: Checked, { cause, confidence }: Judgement): Diagnosis {
  if (diagnosis.blamed === null && diagnosis.verdict !== 'healthy') return { ...diagnosis, confidence: null };
  const own = blameOf(cause);
  const isSame = own !== null && own.id === diagnosis.blamed?.id;
  const base = isSame ? Math.min(0.95, (confidence ?? 0.5) + 0.2) : own === null ? 0.65 : 0.55;
  const isDenied =
    rule.objection !== null || diagnosis.doubted.some(({ verdict }) => verdict === 'contradicted');
  return { ...diagnosis, confidence: round(base * (isDenied ? 0.7 : said === 'unclear' ? 0.9 : 1)) };
}

/** Where the program concludes something else, both are shown. */
function differing({ rule, written }: Checked, own: OwnVerdict | null): readonly string[] {
  return [
    ...(rule.objection === null
      ? []
      : [
          rule.isOfWords
            ? `The verdict ${written.verdict} is the model's, and not all of it is shown: ${rule.objection}.`
            : `The model's verdict ${written.verdict} does not stand: ${rule.objection}.`,
        ]),
    ...(own === null
      ? []
      : [
          `The program by itself comes to ${own.verdict}${own.blamed === null ? '' : `: ${own.blamed.kind} ${own.blamed.id}`}.`,
        ]),
  ];
}

/** What was looked for, and where, for what nothing knows. */
function listSought(
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
async function askOnceMore(
  state: IncidentState,
  context: RunContext,
  check: (written: WrittenDiagnosis) => Promise<Checked>,
): Promise<{ readonly said: Checked; readonly notes: readonly string[] } | null> {
  const first = await check((state.concluded as Concluded).written);
  const { objection } = first.rule;
  // What is merely open needs a reader, and no other words.
  const doubted = first.diagnosis.doubted.filter(({ verdict = 'not shown' }) => isRefused({ verdict }));
  // Recorded, so that what was sent does not hang on how a later version checks.
  const refused = await context.step<Refusal | null>('diagnose/refused', {
    run: async () => ({ value: objection === null && doubted.length === 0 ? null : { objection, doubted } }),
  });
  if (refused.kind !== 'done') return null;
  if (refused.value === null) return { said: first, notes: [] };
  const again = await mend(state, context, refused.value);
  if (again.kind === 'cancelled') return null;
  if (again.kind === 'left') return { said: first, notes: again.notes };
  const second = await check(again.written);
  const isWorse = weightOf(second.rule) > weightOf(first.rule);
  return { said: isWorse ? first : second, notes: [] };
}

/** How much speaks against it. */
const weightOf = ({ objection, isOfWords }: Ruling): number => (objection === null ? 0 : isOfWords ? 1 : 2);

interface Checked {
  readonly written: WrittenDiagnosis;
  readonly diagnosis: Diagnosis;
  readonly rule: Ruling;
  /** What became of the root cause as it was written. */
  readonly cause: ClaimVerdict;
}

/** Every claim held against its evidence, and the verdict against the claims that are left. */
async function checkDiagnosis(
  { written, writer }: Written,
  state: IncidentState,
  judgement: Judgement,
  facts: Facts,
  read: ReadonlyMap<string, Decision> = new Map(),
): Promise<Checked> {
  const reader = readRecorded(state.recorded);
  const known = { names: namesIn(facts, state.alert), read };
  // What was written before shows nothing of what is so now.
  const observed = state.evidence.filter(({ file_path: path }) => !isLibrary(path.split('/', 1)[0]!));
  const rootCause = await bindClaim(written.root_cause, observed, reader, known);
  const chain = await bindClaims(written.causal_chain, observed, reader, known);
  const claims = await bindClaims(written.claims, state.evidence, reader, known);
  const named = written.culprit ?? null;
  const isOpen = 'reason' in rootCause && rootCause.verdict === 'unclear';
  const holds = 'reason' in rootCause ? standIn(named, chain.validated, facts) : rootCause;
  const validated = distinct([...(holds === null ? [] : [holds]), ...chain.validated, ...claims.validated]);
  const doubted = distinct([
    ...('reason' in rootCause ? [rootCause] : []),
    ...chain.doubted,
    ...claims.doubted,
  ]);
  const open = doubted.filter(({ verdict }) => verdict === 'unclear');
  const rule =
    writer === extractiveWriter
      ? { verdict: judgement.verdict, culprit: named, objection: null, isOfWords: false }
      : ruling(
          written.verdict,
          named,
          { isRefused: holds === null && !isOpen, validated, open },
          judgement,
          facts,
        );
  const category = categoryIn(written, rule, judgement);
  const blamed = blameIn(rule, category, judgement);
  const links = linksOfCause(judgement, blamed?.id ?? null);
  return {
    written,
    rule,
    cause: rootCause.verdict ?? 'unclear',
    diagnosis: {
      verdict: rule.verdict,
      root_cause:
        rule.objection === null || rule.isOfWords
          ? rootCause.text
          : `Inconclusive: ${rule.objection}. It was said: ${rootCause.text}`,
      root_cause_category: category,
      detail: plainCategory(written.detail ?? written.root_cause_category),
      confidence: judgement.confidence,
      blamed,
      links: links.length > 0 ? links : linksOfClaims(blamed, holds, validated, judgement),
      suspects: orderSuspects(allSuspects(judgement), rule.culprit),
      causal_chain: chain.validated,
      validated,
      doubted,
      remediation: written.remediation_steps,
      timeline: timelineOf(judgement, facts, state.alert, alertEvidenceOf(state), state.window),
      firstFailing: judgement.firstFailing,
      writer,
    },
  };
}

/** What a verdict blames, with the kind and the service that the program knows of it. */
function blameIn(
  { verdict, culprit }: Ruling,
  category: RootCauseCategory,
  judgement: Judgement,
): IncidentBlame | null {
  const own = blameOf(judgement.cause);
  if (verdict === judgement.verdict && (culprit === null || own?.id === culprit)) return own;
  if (culprit === null) return null;
  const change = judgement.blamed.find(({ id }) => id === culprit);
  if (change !== undefined) return { kind: change.kind, id: change.id, service: change.service };
  if (verdict === 'state') return { kind: 'object', id: culprit, service: null };
  if (verdict !== 'no_code_change') return null;
  const known = judgement.outside.find(({ id }) => id === culprit);
  return {
    kind: known?.kind ?? (category === 'application_tier_load_spike' ? 'traffic' : 'upstream'),
    id: culprit,
    service: known?.service ?? null,
  };
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

/** Where the cause as it was written is not shown, a link of the chain that is, and rests on the change itself, shows it. */
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
function orderSuspects(suspects: readonly Suspect[], culprit: string | null): readonly Suspect[] {
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
