/**
 * Makes the caller's result from the end of an investigation, through the citation gate; everything else stays in the
 * run.
 */
import { fitClaims, fitResult, verdictOf } from '../../../core/answers.ts';
import {
  type AllAmounts,
  type Claim,
  type ComputedAnswer,
  type Coverage,
  type InvestigationRecord,
  type InvestigationResult,
  type ListArtifact,
  type ProposedWrite,
  type RunResult,
  SondeError,
  type Verification,
} from '../../../core/index.ts';
import {
  type CheckedAnswer,
  createCheckedAnswer,
  createValueClaims,
  isValue,
  summarizeVerdicts,
  weighAnswer,
} from '../../../gate/index.ts';
import { isExtractive } from '../../../model/index.ts';
import { check } from '../../check/check.ts';
import type { ProposalOutcome } from '../../corpus.ts';
import { missingNamesText } from '../../missing-names.ts';
import { listArtifact, listsText, longListsOf } from '../cell/long-list.ts';
import { bestAnswer } from '../helpers/nest.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import { type InvestigationEnd, listPaths, type NodeState } from '../state.ts';
import { computeAnswerOnce } from '../values/computed-once.ts';
import { searchAbsent } from './absent.ts';
import { answerRequest, checkContext, claimText } from './claims.ts';

/** The end of an investigation. */
export interface FinishedInvestigation {
  readonly result: RunResult;
  readonly investigation: InvestigationRecord;
  /** Only this life of the run ended; it can be resumed. */
  readonly resumable?: true;
}

/** Maximum bytes of JSON of the result that the caller gets. */
const maxResultBytes = 4_096;
/** Maximum bytes of the answer with its marks; the rest is for citations and other fields. */
const maxAnswerBytes = 3_400;
const noAnswer = 'The investigation ended before it had an answer.';
/** Maximum paths that are named, and characters of each. */
const maxNamedPaths = 5;
const maxPathLength = 120;
const withoutModelText =
  'No model was used: these are the lines that search found most telling, not an explanation:';

/** The answer and the result of its check. A replay must produce the same. */
interface ReportCheck {
  readonly written: unknown;
  readonly gated: GatedAnswer;
  /** Ids of the content that was read. */
  readonly sources: readonly string[];
  /** Null if no cell gave the answer; absent in older records. */
  readonly computed?: ComputedAnswer | null;
  /** Why the reader did not read all claims that it should have. */
  readonly unread?: string;
}

/** The checked answer. Runs from before claims were checked have no claims. */
type GatedAnswer = Omit<CheckedAnswer, 'claims'> & Partial<Pick<CheckedAnswer, 'claims'>>;

export interface ReportOptions {
  readonly run: string;
  readonly model: string;
  readonly spent: AllAmounts;
  readonly scope?: string | undefined;
  /** Notes for the caller, used if the end itself has no message. */
  readonly notes?: readonly string[];
}

export async function report(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  options: ReportOptions,
): Promise<FinishedInvestigation> {
  const end = requireEnd(state);
  const written = answerOf(state, options.scope);
  const { gated, sources, computed, unread } = await checkAnswer({ state, place, end, written }, context);
  const turnSuffix = isFinished(end) ? '' : `/${state.turn}`;
  const { claims } = gated;
  if (claims !== undefined) context.tell(`claims${turnSuffix}`, { kind: 'claims_checked', claims });
  for (const { id, status } of gated.checked)
    context.tell(`citation/${id}${turnSuffix}`, {
      kind: 'citation_checked',
      id,
      status,
    });
  const { run, model, spent, notes = [] } = options;
  const isAnswered = !isExtractive(context.models[context.outer]) && written !== noAnswerText(state);
  // Without a model the program itself says whether it found anything.
  const foundNothing =
    state.missing !== undefined || (!isAnswered && end.stop === 'finalized' && gated.citations.length === 0);
  const status = foundNothing
    ? 'not_found'
    : verdictOf(gated.status, { answered: isAnswered, stop: end.stop });
  const { missing } = state;
  const lists = longListsOf(written).map((list) => listArtifact(list, computed ?? null));
  const shortened = lists.length === 0 ? written : listsText(written, lists, run);
  const result: RunResult = fitResult({
    ...(missing !== undefined && { missing }),
    run_id: run,
    status,
    answer:
      typeof written === 'string'
        ? gated.answer
        : lists.length === 0
          ? JSON.stringify(written)
          : String(shortened),
    citations: gated.citations,
    unsupported: gated.unsupported,
    ...(claims !== undefined && { claims }),
    confidence: gated.confidence,
    stop_reason: end.stop,
    model,
    spent,
    coverage: coverageOf(state, end, context),
  });
  const proposals = state.gains.proposals.map(
    (proposedWrite, index): ProposedWrite => ({ ...proposedWrite, id: `write-${index + 1}` }),
  );
  const { tally, reads } = state.gains;
  const investigation: InvestigationRecord = {
    result: shortenToFit({
      end,
      written: shortened,
      lists,
      gated,
      missing,
      status,
      spent,
      run,
      reads: listPaths(reads),
      proposals,
      note: end.trouble ?? [...notes, ...(unread === undefined ? [] : [unread])].join(' '),
    }),
    proposed_writes: proposals,
    read_trail: reads,
    sources,
    ...(computed != null && { computed }),
    ...(lists.length > 0 && { artifacts: lists }),
    nodes: tally.nodes,
    cells: tally.cells,
    bytes: { handled: tally.handled, shown: tally.shown, prompts: tally.prompts },
  };
  return { result, investigation, ...(end.resumable && { resumable: true as const }) };
}

function answerOf(state: NodeState, scope: string | undefined): unknown {
  if (state.missing !== undefined) return missingNamesText(state.missing, scope);
  const { final } = state.gains;
  if (final !== null) return final.answer;
  return bestAnswer(state) ?? noAnswerText(state);
}

/** The text of a run without an answer. It claims nothing; the searched places help the next attempt. */
function noAnswerText({ gains: { reads } }: NodeState): string {
  const paths = listPaths(reads).map((path) => path.replace(/\s+/g, ' ').slice(0, maxPathLength));
  if (paths.length === 0) return noAnswer;
  const moreText = paths.length > maxNamedPaths ? `, and ${paths.length - maxNamedPaths} more` : '';
  return `${noAnswer} It had read ${paths.slice(0, maxNamedPaths).join(', ')}${moreText}.`;
}

interface NodeEnd {
  readonly state: NodeState;
  readonly place: TreeNode;
  readonly end: InvestigationEnd;
  readonly written: unknown;
}

async function checkAnswer(nodeEnd: NodeEnd, context: RunContext): Promise<ReportCheck> {
  const { state, place, end, written } = nodeEnd;
  const makeCheck = async (): Promise<ReportCheck> => {
    const computed = isFinished(end) ? await computeAnswerOnce(state, place, context) : null;
    return {
      written,
      ...(await checkClaims(nodeEnd, computed, context)),
      sources: await listSourceIds(state, context),
      computed,
    };
  };
  // The search was made and recorded before.
  const madeCheck = context.recorded.recall('final') === undefined ? await makeCheck() : null;
  const stepResult = await context.step<ReportCheck>('final', {
    // If it is interrupted, the resumed run may find something else.
    run: async () => ({
      value: madeCheck ?? (await makeCheck()),
      keepIfCancelled: true,
      record: isFinished(end),
    }),
  });
  // After a request to stop, the answer uses what was found so far.
  if (stepResult.kind !== 'done') return madeCheck ?? makeCheck();
  const reportCheck = stepResult.value;
  if (stepResult.recalled && JSON.stringify(reportCheck.written) !== JSON.stringify(written))
    throw new SondeError('internal', {
      message: 'The investigation came to another answer than the one it recorded',
      remedy: 'It may have been written by another version: investigate again.',
    });
  return reportCheck;
}

const isFinished = ({ stop, resumable }: InvestigationEnd): boolean =>
  stop !== 'cancelled' && resumable !== true;

async function checkClaims(
  { state, place, written }: NodeEnd,
  computed: ComputedAnswer | null,
  context: RunContext,
): Promise<Pick<ReportCheck, 'gated' | 'unread'>> {
  // An answer that something does not occur needs no citation.
  if (state.missing !== undefined)
    return {
      gated: {
        ...{ status: 'unverified', answer: String(written), citations: [], claims: [] },
        ...{ unsupported: [], confidence: null, checked: [] },
      },
    };
  // FINAL has checked the size of the answer with its citations, which are shorter in the result than here.
  const answerOptions = { confidence: null, limits: { bytes: maxAnswerBytes, json: 65_536 } };
  const framing: string[] = [noAnswer, ...(written === noAnswerText(state) ? [written] : [])];
  const text = claimText(written);
  if (isExtractive(context.models[context.outer])) {
    const isList = text.startsWith('- ');
    const request = {
      ...answerRequest(state, context, isList ? `${withoutModelText}\n\n${text}` : text),
      decided: judgeQuote,
    };
    return {
      gated: createCheckedAnswer(
        await weighAnswer({ ...request, framing: [...framing, withoutModelText] }),
        answerOptions,
      ),
    };
  }
  // A value needs no citation if a cell computed it; texts in it remain claims like any other.
  const values =
    computed !== null && isValue(written, computed) ? createValueClaims(written, computed) : null;
  const request = { ...answerRequest(state, context, text), framing, computed };
  const { weighed, note } = await check(request, checkContext(state, context), {
    texts: values?.texts,
    search: (key) => searchAbsent(text, key, state, place, context),
  });
  const checked = createCheckedAnswer(weighed, answerOptions);
  const claims = [...(values?.claims ?? []), ...checked.claims];
  const answer = typeof written === 'string' && values !== null ? written : checked.answer;
  return {
    gated: { ...checked, answer, claims, status: summarizeVerdicts(claims) },
    ...(note !== null && { unread: note }),
  };
}

/** Judges lines that the program itself copied and read again: any evidence shows them, as they claim nothing else. */
const judgeQuote = (_text: string, evidence: readonly string[]) =>
  evidence.length === 0 ? null : { verdict: 'shown' as const };

/** The ids of the sources as they were when read, since a file may have changed by now. Older records have no ids. */
async function listSourceIds({ gains }: NodeState, { material }: RunContext): Promise<readonly string[]> {
  const ids = new Set<string>();
  const idsByPath = new Map<string, string | null>();
  for (const { path, content } of gains.reads) {
    if (content === undefined && !idsByPath.has(path))
      idsByPath.set(path, (await material.contentId?.(path)) ?? null);
    const id = content?.id ?? idsByPath.get(path) ?? null;
    if (id !== null) ids.add(id);
  }
  return [...ids];
}

interface ReportParts {
  readonly lists: readonly ListArtifact[];
  readonly missing: readonly string[] | undefined;
  readonly end: InvestigationEnd;
  readonly written: unknown;
  readonly gated: GatedAnswer;
  readonly status: Verification;
  readonly spent: AllAmounts;
  readonly run: string;
  readonly reads: readonly string[];
  readonly proposals: readonly ProposedWrite[];
  readonly note: string;
}

/** Shortens the trail and the list of proposals to what fits next to the answer. The run keeps all of them. */
function shortenToFit({
  lists,
  end,
  written,
  gated,
  status,
  spent,
  run,
  reads,
  proposals,
  note,
  missing,
}: ReportParts): InvestigationResult {
  const citations = gated.citations.map(({ id, path, start_line, end_line }) => ({
    id,
    path,
    start_line,
    end_line,
  }));
  const createResult = (
    pathCount: number,
    writeCount: number,
    citationCount: number,
  ): InvestigationResult => ({
    run_id: run,
    status,
    stop_reason: end.stop,
    answer: typeof written === 'string' && lists.length === 0 ? gated.answer : written,
    citations: citations.slice(0, citationCount),
    verification: status,
    ...(missing !== undefined && { missing }),
    ...(lists.length > 0 && { artifacts: lists.map(({ name, items }) => ({ name, items: items.length })) }),
    proposed_writes: [
      ...proposals.slice(0, writeCount).map(proposalLine),
      ...(writeCount < proposals.length ? [`… ${proposals.length} in all`] : []),
    ],
    read_trail: { read: reads.slice(0, pathCount), count: reads.length },
    spent,
    ...addNote(note.slice(0, 200), run, citations.length, citationCount),
  });
  for (let citationCount = citations.length; citationCount >= 0; citationCount -= 1)
    for (const writeCount of [proposals.length, 5, 1, 0].filter((count) => count <= proposals.length))
      for (const pathCount of [20, 10, 5, 2, 0]) {
        const result = withClaims(createResult(pathCount, writeCount, citationCount), gated.claims);
        if (result !== null) return withUnsupported(result, gated.unsupported);
      }
  // The answer text alone would fit: it is a typed answer with long names. It is kept in the run.
  const shortened = { ...createResult(0, 0, 0), answer: 'The answer is too long to pass on; open the run.' };
  return withClaims(shortened, gated.claims) ?? shortened;
}

/** Adds the texts of the refused claims, if they fit. */
function withUnsupported(result: InvestigationResult, unsupported: readonly string[]): InvestigationResult {
  const whole = { ...result, unsupported };
  return unsupported.length > 0 && Buffer.byteLength(JSON.stringify(whole)) <= maxResultBytes
    ? whole
    : result;
}

/** Adds as many claims as fit, the doubtful ones first. Null if not even their counts fit. */
function withClaims(
  result: InvestigationResult,
  claims: readonly Claim[] | undefined,
): InvestigationResult | null {
  const bytes = (value: object): number => Buffer.byteLength(JSON.stringify(value));
  if (claims === undefined) return bytes(result) <= maxResultBytes ? result : null;
  const remainingBytes = maxResultBytes - bytes(result);
  for (const reservedBytes of [0, countsBytes, 2 * countsBytes]) {
    const whole = { ...result, ...fitClaims(claims, remainingBytes - claimsNameBytes - reservedBytes) };
    if (bytes(whole) <= maxResultBytes) return whole;
  }
  return null;
}

/** Bytes for the name of the list, and for the counts. */
const claimsNameBytes = 12;
const countsBytes = 130;

/** Adds to the note that citations are left out here and that the run lists them. */
function addNote(
  note: string,
  run: string,
  total: number,
  citationCount: number,
): { readonly note?: string } {
  const leftOutNote =
    citationCount < total
      ? `${total - citationCount} of the ${total} citations are left out, for want of room: sonde show ${run} lists them.`
      : '';
  const wholeNote = [note, leftOutNote].filter((part) => part !== '').join(' ');
  return wholeNote === '' ? {} : { note: wholeNote };
}

/** The result with the outcomes of its proposals, within the caller's limit. */
export function withOutcomes(
  { result, proposed_writes: proposals }: InvestigationRecord,
  outcomes: readonly ProposalOutcome[],
): InvestigationResult {
  const lines = proposals.map((proposal) => {
    const outcome = outcomes.find(({ id }) => id === proposal.id);
    const line = proposalLine(proposal);
    return outcome === undefined ? line : `${line}: ${outcome.outcome}, ${outcome.detail}`.slice(0, 240);
  });
  for (let lineCount = lines.length; lineCount > 0; lineCount -= 1) {
    const moreText = lineCount < lines.length ? [`… ${lines.length} in all`] : [];
    const shortened = { ...result, proposed_writes: [...lines.slice(0, lineCount), ...moreText] };
    if (Buffer.byteLength(JSON.stringify(shortened)) <= maxResultBytes) return shortened;
  }
  return result;
}

function proposalLine({ id, op, fields }: ProposedWrite): string {
  const target = fields['path'] ?? fields['page'] ?? fields['block'] ?? fields['content'] ?? '';
  return `${id} ${op} ${String(target)}`.slice(0, 120);
}

const maxNotes = 6;

function coverageOf(state: NodeState, end: InvestigationEnd, context: RunContext): Coverage {
  const coverage = context.material.coverage;
  const notes = [...(end.trouble === null ? [] : [end.trouble]), ...(coverage?.notes ?? [])];
  return {
    files: coverage?.files ?? 0,
    skipped: coverage?.skipped ?? 0,
    searches: state.gains.tally.cells,
    files_read: listPaths(state.gains.reads).length,
    evidence: state.gains.evidence.length,
    completeness: coverage?.completeness ?? 'unknown',
    notes: [...new Set(notes)].slice(0, maxNotes).map((note) => note.slice(0, 300)),
  };
}

function requireEnd({ pending, turn }: NodeState): InvestigationEnd {
  if (pending.kind === 'end') return pending.end;
  throw new SondeError('internal', { message: `The investigation stopped at turn ${turn} without an end` });
}
