/** Checks the answer of a run against its evidence: by code, then by a reader for the undecided claims. */
import { withoutMarks } from '../../core/answers.ts';
import { type Pool, type RunEvent, sha256 } from '../../core/index.ts';
import {
  type AnswerRequest,
  type ClaimToRead,
  claimsToRead,
  type LoggedSearch,
  type ReaderReply,
  type ReaderWord,
  type WeighedAnswer,
  weighAnswer,
  withReading,
} from '../../gate/index.ts';
import { isExtractive, type Model } from '../../model/index.ts';
import type { Asking } from '../research/dialogue/ask.ts';
import { notYetRead, type ReaderSoFar } from './claiming.ts';
import { type Reading, readBatch } from './read-batch.ts';

/** What a check needs besides the answer. */
export interface Checking extends Omit<Asking, 'pool' | 'models'> {
  readonly models: Asking['models'] & { readonly analyst: Model };
  /** The budget of the reader; null if there is no reader. */
  readonly readerPool: Pool | null;
  /** The number of the run's step, for its log. */
  readonly number: number;
  readonly readerSoFar?: ReaderSoFar;
}

export interface CheckResult {
  readonly weighed: WeighedAnswer;
  /** Why no reader looked at the claims, or not at all of them. Null if none was expected, or nothing was left out. */
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
  /** Whether the answer is a draft before the end of the run, when less is known. */
  readonly draft?: boolean;
}

/**
 * Checks an answer. The same text is checked once per run, and once more as a draft: the verdicts of code and of the
 * reader are recorded.
 */
export async function check(
  request: AnswerRequest,
  checking: Checking,
  { search, texts, draft = false }: CheckOptions = {},
): Promise<CheckResult> {
  const key = `check/${draft ? 'draft/' : ''}${sha256(request.text).slice(0, 12)}`;
  const stepped = await checking.step<WeighedAnswer>(key, {
    evenIfStopped: true,
    cheap: true,
    async run() {
      const { searches, events } = (await search?.(key)) ?? { searches: [], events: [] };
      const value = await weighAnswer(withSearches(request, searches));
      return { value, events, record: !checking.signal.aborted };
    },
  });
  const whole = stepped.kind === 'done' ? stepped.value : await weighAnswer(request);
  const weighed = texts === undefined ? whole : onlyOf(texts, whole);
  const open = claimsToRead(weighed);
  if (open.length === 0 || checking.readerPool === null || isExtractive(checking.models.analyst))
    return { weighed, note: null };
  const { readerPool: pool, models, recorded, readerSoFar = notYetRead() } = checking;
  const reading = { ...checking, pool, model: models.analyst };
  // An earlier version recorded a call with all claims, even those asked before: keep to that in its runs.
  const isRecorded = recorded.recall(`${keyOf(open)}/size`) !== undefined;
  const readerWords = isRecorded ? [] : open.flatMap((claim) => wordOn(claim, readerSoFar.words));
  const left = open.filter(({ id }) => !readerWords.some((word) => word.id === id));
  const reply = await readLeft(left, reading, readerSoFar);
  const words = reply.kind === 'read' ? reply.words : [];
  for (const claim of left)
    for (const word of words.filter(({ id }) => id === claim.id))
      readerSoFar.words.set(sameClaim(claim), word);
  return {
    weighed: withReading(weighed, { kind: 'read', words: [...readerWords, ...words] }),
    note: reply.kind === 'failed' ? reply.message : (reply.left ?? null),
  };
}

/** A reader that failed is asked no more, except where an earlier version did and recorded it. */
async function readLeft(
  left: readonly ClaimToRead[],
  reading: Reading,
  soFar: ReaderSoFar,
): Promise<ReaderReply> {
  if (left.length === 0) return { kind: 'read', words: [] };
  const key = keyOf(left);
  if (soFar.failure !== null && reading.recorded.recall(`${key}/size`) === undefined)
    return { kind: 'failed', message: soFar.failure };
  const { reply, lacks } = await readBatch(key, reading, left);
  if (reply.kind === 'failed' && lacks === 'failed') soFar.failure = reply.message;
  return reply;
}

/** The key of a call about these claims. It names the claims, so that a resumed run finds what it recorded. */
const keyOf = (claims: readonly ClaimToRead[]): string =>
  `check/${sha256(JSON.stringify(claims.map(({ id, text }) => [id, text]))).slice(0, 12)}/reader`;

/** Equal for claims with the same text over the same lines. */
const sameClaim = ({ text, computed, sources }: ClaimToRead): string =>
  JSON.stringify([text, computed, sources.map(({ id }) => id)]);

const wordOn = (claim: ClaimToRead, before: ReadonlyMap<string, ReaderWord>): readonly ReaderWord[] => {
  const word = before.get(sameClaim(claim));
  return word === undefined ? [] : [{ ...word, id: claim.id }];
};

function withSearches(request: AnswerRequest, more: readonly LoggedSearch[]): AnswerRequest {
  const { searches = [], read = [] } = request.log ?? {};
  return more.length === 0 ? request : { ...request, log: { searches: [...searches, ...more], read } };
}

/** For a value that a cell computed: the claims of the texts in its code, and all citations. */
function onlyOf(texts: readonly string[], weighedAnswer: WeighedAnswer): WeighedAnswer {
  const said = texts.map(bare);
  const claims = weighedAnswer.claims.filter(({ claim }) =>
    said.some((text) => text.includes(bare(claim.text))),
  );
  return { ...weighedAnswer, claims };
}

const bare = (text: string): string =>
  withoutMarks(text)
    .replace(/\s+/g, ' ')
    .replace(/ +(?=[.,;:!?](?:\s|$))/g, '');
