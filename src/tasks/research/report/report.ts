/** The result of a research: its checked answer, and what the run covered. */
import { fitResult, verdictOf } from '../../../core/answers.ts';
import { type AllAmounts, type Coverage, type RunResult, SondeError } from '../../../core/index.ts';
import { type CheckedAnswer, createCheckedAnswer } from '../../../gate/answer/answer.ts';
import { weighAnswer } from '../../../gate/answer/weigh-answer.ts';
import { countTokens, estimateTokens } from '../../../model/tokens/tokens.ts';
import { rerankDefinitionsName } from '../actions/search-definitions.ts';
import { termsOf } from '../lines/terms.ts';
import type { RunContext } from '../run-context.ts';
import type { ResearchEnd, ResearchState, Turn } from '../state.ts';
import { isAnswerable } from './answerable.ts';
import { answerRequest, checkContext, listChangedPaths } from './claims.ts';
import { type ComposedAnswer, composeAnswer, isUnaided } from './compose.ts';

export interface ReportOptions {
  readonly model: string;
  readonly spent: () => AllAmounts;
}

/** The recorded result of the check, and the text that was checked, which must be the same in a replay. */
interface Final {
  readonly written: string;
  readonly gated: GatedAnswer;
  /** Why a reader did not check everything that it should have checked. */
  readonly note?: string;
}

/** The checked answer. Older runs, whose claims were not checked, have no claims. */
export type GatedAnswer = Omit<CheckedAnswer, 'claims'> & Partial<Pick<CheckedAnswer, 'claims'>>;

/** Maximum tokens of the answer. With its citations and the run's id, the caller gets fewer than 800 tokens in all. */
const maxTokens = 640;

export async function report(
  run: string,
  state: ResearchState,
  context: RunContext,
  { model, spent }: ReportOptions,
): Promise<RunResult> {
  const end = endOf(state);
  const answerable = isUnaided(end) ? await isAnswerable(state, context) : null;
  const answer = composeAnswer(state, end, { scope: context.scope.text, ...answerable });
  const { gated, note } = await checkAnswer(run, state, end, answer, context);
  const { claims } = gated;
  const suffix = end.stop === 'cancelled' ? `/${state.step}` : '';
  for (const { id, status } of gated.checked)
    context.tell(`citation/${id}${suffix}`, {
      kind: 'citation_checked',
      id,
      status,
    });
  if (claims !== undefined) context.tell(`claims${suffix}`, { kind: 'claims_checked', claims });
  const answered = end.answer !== null;
  return fitResult({
    run_id: run,
    ...(state.missing.length > 0 && { missing: state.missing }),
    status: answer.nothing ? 'not_found' : verdictOf(gated.status, { answered, stop: end.stop }),
    answer: gated.answer,
    citations: gated.citations,
    unsupported: gated.unsupported,
    ...(claims !== undefined && { claims }),
    confidence: gated.confidence,
    stop_reason: end.stop,
    model,
    spent: spent(),
    coverage: coverageOf(state, end, context, [
      ...(note === undefined ? [] : [note]),
      ...(answer.nothing ? await noteSkippedFiles(state, context) : []),
      ...listChangedPaths(state, gated).map(
        (path) => `${path} changed after it was read: what cites it fails for that`,
      ),
    ]),
  });
}

async function checkAnswer(
  run: string,
  state: ResearchState,
  end: ResearchEnd,
  composedAnswer: ComposedAnswer,
  context: RunContext,
): Promise<Final> {
  const { text } = composedAnswer;
  const gate = async (): Promise<Final> => ({
    written: text,
    ...(await passGate(state, end, composedAnswer, context)),
  });
  // The check's model calls are recorded as steps of their own, before this step.
  const fresh = context.recorded.recall('final') === undefined ? await gate() : null;
  const final = await context.step<Final>('final', {
    evenIfStopped: true,
    deferCommit: true,
    // A cancelled run is not recorded as finished: resumed, it may end differently.
    run: async () => ({ value: fresh ?? (await gate()), record: end.stop !== 'cancelled' }),
  });
  if (final.kind !== 'done') return fresh ?? gate();
  if (final.value.written !== text)
    throw new SondeError('internal', {
      message: `${run} came to another answer than the one it recorded`,
      remedy: 'It may have been written by another version: ask the question again.',
    });
  return final.value;
}

async function passGate(
  state: ResearchState,
  end: ResearchEnd,
  { text, framing, nothing }: ComposedAnswer,
  context: RunContext,
): Promise<Omit<Final, 'written'>> {
  if (nothing) return { gated: claimNothing(text) };
  const limits = { tokens: { max: maxTokens, count: quickCount } };
  const { confidence } = end;
  const request = { ...answerRequest(state, context, text), framing };
  if (end.answer === null) {
    const weighedAnswer = await weighAnswer({ ...request, decided: judgeQuote });
    return { gated: createCheckedAnswer(weighedAnswer, { confidence, limits }) };
  }
  const { check } = await import('../../check/check.ts');
  const { weighed, note } = await check(request, checkContext(state, context));
  return { gated: createCheckedAnswer(weighed, { confidence, limits }), ...(note !== null && { note }) };
}

/** Accepts quoted lines: the program copied them and read them again, and the answer claims nothing else. */
const judgeQuote = (_text: string, evidence: readonly string[]) =>
  evidence.length === 0 ? null : { verdict: 'shown' as const };

/**
 * The checked form of an answer that says only that nothing was found. Such an answer claims nothing that a citation
 * could support.
 */
function claimNothing(answer: string): CheckedAnswer {
  const none = { citations: [], unsupported: [], claims: [], checked: [] };
  return { status: 'unverified', answer, confidence: null, ...none };
}

/**
 * Counts exactly only if the estimate is above the maximum, since building the tokenizer's table takes almost a second.
 */
function quickCount(text: string): number {
  const max = estimateTokens(text);
  return max <= maxTokens ? max : countTokens(text);
}

const maxNotes = 6;

/** Maximum words to look for in files that searches skip. */
const maxWords = 6;

/**
 * Looks for the question's words in files that searches skip, before the run says that nothing was found. Returns notes
 * on the words that occur there.
 */
async function noteSkippedFiles(
  { question, missing }: ResearchState,
  context: RunContext,
): Promise<readonly string[]> {
  const { step, material, scope } = context;
  const { names } = material;
  const stepResult = await step<readonly string[]>('rest', {
    evenIfStopped: true,
    deferCommit: true,
    async run(signal) {
      if (names === undefined || missing.length > 0) return { value: [], record: false };
      const words = termsOf(question)
        .filter((word) => word.length > 3)
        .slice(0, maxWords);
      const scopeOption = scope.text === undefined ? {} : { scope: scope.text };
      const found = await names.find({ names: words, signal, ...scopeOption }).catch(() => null);
      return { value: found?.notes ?? [] };
    },
  });
  return stepResult.kind === 'done' ? stepResult.value : [];
}

function coverageOf(
  state: ResearchState,
  end: ResearchEnd,
  context: RunContext,
  furtherNotes: readonly string[],
): Coverage {
  const coverage = context.start.coverage;
  const turns = state.turns.filter(({ outcome }) => outcome === 'ok');
  const searches = turns.filter(({ action }) => searchActions.has(action));
  const notes = [
    ...(end.trouble === null ? [] : [end.trouble]),
    ...state.turns.flatMap(noteFailedRerank),
    ...state.notes,
    ...furtherNotes,
    ...coverage.notes,
    // Notes on what an action could not read, or searched for in another form. Other notes of an action concern only
    // its listing.
    ...turns.flatMap((turn) =>
      turn.notes.filter((note) => /\b(?:fail|fell back|skipped|unreadable|was searched for)/i.test(note)),
    ),
  ];
  return {
    files: coverage.files,
    skipped: coverage.skipped,
    searches: searches.length,
    files_read: new Set(state.evidence.map(({ file_path }) => file_path)).size,
    evidence: state.evidence.length,
    completeness: coverage.completeness,
    notes: [...new Set(notes)]
      .slice(0, maxNotes)
      .map((note) => (note.length > 300 ? `${note.slice(0, 299)}…` : note)),
  };
}

/** Reports that no model ranked the definitions, since the result shows no steps of the program. */
const noteFailedRerank = ({ action, outcome, text }: Turn): readonly string[] =>
  action === rerankDefinitionsName && outcome === 'error'
    ? [`No model re-ranked the definitions: ${text}`]
    : [];

const searchActions = new Set(['hybrid_search', 'grep', 'find_definition', 'git_log', 'git_pickaxe']);

/** The end of the run. If the author gave no other answer after one was returned, the returned answer is used. */
function endOf({ pending, step, returnedAnswer }: ResearchState): ResearchEnd {
  if (pending.kind !== 'end')
    throw new SondeError('internal', { message: `The research stopped at step ${step} without an end` });
  const { end } = pending;
  return end.answer === null && returnedAnswer !== null ? { ...end, ...returnedAnswer } : end;
}
