/** Checks the answer of a run against its evidence: by code, then by a reader for the undecided claims. */
import { removeMarks } from '../../core/answers.ts';
import { type Pool, type RunEvent, sha256 } from '../../core/index.ts';
import {
  type AnswerRequest,
  applyReading,
  type ClaimToRead,
  claimsToRead,
  type LoggedSearch,
  type ReaderReply,
  type ReaderWord,
  type WeighedAnswer,
  weighAnswer,
} from '../../gate/index.ts';
import { isExtractive, type Model } from '../../model/index.ts';
import type { AskContext } from '../research/dialogue/ask.ts';
import { createReaderState, type ReaderState } from './claim-handling.ts';
import { type ReadContext, readBatch } from './read-batch.ts';

/** What a check needs besides the answer. */
export interface CheckContext extends Omit<AskContext, 'pool' | 'models'> {
  readonly models: AskContext['models'] & { readonly analyst: Model };
  /** The budget of the reader; null if there is no reader. */
  readonly readerPool: Pool | null;
  /** The number of the run's step, for its log. */
  readonly number: number;
  readonly readerSoFar?: ReaderState;
}

export interface CheckResult {
  readonly weighed: WeighedAnswer;
  /** Why the reader did not decide some of the claims. Null if it decided all, or if there is no reader. */
  readonly note: string | null;
}

/** The searches that were made to check an answer. */
export interface CheckSearches {
  readonly searches: readonly LoggedSearch[];
  /** Events of the check, which are logged like those of the run itself. */
  readonly events: readonly (readonly [key: string, event: RunEvent])[];
}

export interface CheckOptions {
  /** Searches for the names that the answer says are nowhere. The searches are recorded with the verdicts. */
  readonly search?: (key: string) => Promise<CheckSearches>;
  /** For a value that a cell computed: the texts in the code of the cell. Only claims in these texts are checked. */
  readonly texts?: readonly string[] | undefined;
  /** Whether the answer is a draft, checked before the end of the run. */
  readonly draft?: boolean;
}

/**
 * Checks an answer. The same text is checked once per run, and once more as a draft: the verdicts of code and of the
 * reader are recorded.
 */
export async function check(
  request: AnswerRequest,
  context: CheckContext,
  { search, texts, draft = false }: CheckOptions = {},
): Promise<CheckResult> {
  const key = `check/${draft ? 'draft/' : ''}${sha256(request.text).slice(0, 12)}`;
  const stepResult = await context.step<WeighedAnswer>(key, {
    evenIfStopped: true,
    deferCommit: true,
    async run() {
      const { searches, events } = (await search?.(key)) ?? { searches: [], events: [] };
      const value = await weighAnswer(addSearches(request, searches));
      return { value, events, record: !context.signal.aborted };
    },
  });
  const whole = stepResult.kind === 'done' ? stepResult.value : await weighAnswer(request);
  const weighed = texts === undefined ? whole : selectClaimsInTexts(texts, whole);
  const undecided = claimsToRead(weighed);
  if (undecided.length === 0 || context.readerPool === null || isExtractive(context.models.analyst))
    return { weighed, note: null };
  const { readerPool: pool, models, recorded, readerSoFar = createReaderState() } = context;
  const reading = { ...context, pool, model: models.analyst };
  // An earlier version asked about all claims again, in one call. Its recorded runs repeat that call.
  const isRecorded = recorded.recall(`${callKey(undecided)}/size`) !== undefined;
  const readerWords = isRecorded
    ? []
    : undecided.flatMap((claim) => findEarlierVerdict(claim, readerSoFar.words));
  const unread = undecided.filter(({ id }) => !readerWords.some((word) => word.id === id));
  const reply = await readUnread(unread, reading, readerSoFar);
  const words = reply.kind === 'read' ? reply.words : [];
  for (const claim of unread)
    for (const word of words.filter(({ id }) => id === claim.id))
      readerSoFar.words.set(claimIdentity(claim), word);
  return {
    weighed: applyReading(weighed, { kind: 'read', words: [...readerWords, ...words] }),
    note: reply.kind === 'failed' ? reply.message : (reply.left ?? null),
  };
}

/** A reader that failed is not asked again, unless an earlier version asked it again and recorded that. */
async function readUnread(
  unread: readonly ClaimToRead[],
  reading: ReadContext,
  soFar: ReaderState,
): Promise<ReaderReply> {
  if (unread.length === 0) return { kind: 'read', words: [] };
  const key = callKey(unread);
  if (soFar.failure !== null && reading.recorded.recall(`${key}/size`) === undefined)
    return { kind: 'failed', message: soFar.failure };
  const { reply, lacks } = await readBatch(key, reading, unread);
  if (reply.kind === 'failed' && lacks === 'failed') soFar.failure = reply.message;
  return reply;
}

/** The key of a call about these claims. It names the claims, so that a resumed run finds what it recorded. */
const callKey = (claims: readonly ClaimToRead[]): string =>
  `check/${sha256(JSON.stringify(claims.map(({ id, text }) => [id, text]))).slice(0, 12)}/reader`;

/** Equal for claims with the same text over the same lines. */
const claimIdentity = ({ text, computed, sources }: ClaimToRead): string =>
  JSON.stringify([text, computed, sources.map(({ id }) => id)]);

const findEarlierVerdict = (
  claim: ClaimToRead,
  before: ReadonlyMap<string, ReaderWord>,
): readonly ReaderWord[] => {
  const word = before.get(claimIdentity(claim));
  return word === undefined ? [] : [{ ...word, id: claim.id }];
};

function addSearches(request: AnswerRequest, more: readonly LoggedSearch[]): AnswerRequest {
  const { searches = [], read = [] } = request.log ?? {};
  return more.length === 0 ? request : { ...request, log: { searches: [...searches, ...more], read } };
}

/** For a value that a cell computed: keeps the claims that occur in the texts of its code, and all citations. */
function selectClaimsInTexts(texts: readonly string[], weighedAnswer: WeighedAnswer): WeighedAnswer {
  const normalizedTexts = texts.map(normalizeText);
  const claims = weighedAnswer.claims.filter(({ claim }) =>
    normalizedTexts.some((text) => text.includes(normalizeText(claim.text))),
  );
  return { ...weighedAnswer, claims };
}

const normalizeText = (text: string): string =>
  removeMarks(text)
    .replace(/\s+/g, ' ')
    .replace(/ +(?=[.,;:!?](?:\s|$))/g, '');
