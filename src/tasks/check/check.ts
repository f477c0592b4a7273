/** Checks the answer of a run against its evidence: by code, then by a reader for the undecided claims. */
import { withoutMarks } from '../../core/answers.ts';
import { type Pool, type RunEvent, sha256 } from '../../core/index.ts';
import {
  type AnswerRequest,
  claimsToRead,
  type LoggedSearch,
  type WeighedAnswer,
  weighAnswer,
  withReading,
} from '../../gate/index.ts';
import { isExtractive, type Model } from '../../model/index.ts';
import type { Asking } from '../research/ask.ts';
import { readBatch } from './read-batch.ts';

/** What a check needs besides the answer. */
export interface Checking extends Omit<Asking, 'pool' | 'models'> {
  readonly models: Asking['models'] & { readonly analyst: Model };
  /** The budget of the reader; null if there is no reader. */
  readonly readerPool: Pool | null;
  /** The number of the run's step, for its log. */
  readonly number: number;
}

export interface Checked {
  readonly weighed: WeighedAnswer;
  /** Why no reader looked at the claims, or not at all of them. Null if none was expected, or nothing was left out. */
  readonly note: string | null;
}

/** The searches that were made to check an answer. */
export interface Searched {
  readonly searches: readonly LoggedSearch[];
  /** Events of the check, which are logged like those of the run itself. */
  readonly events: readonly (readonly [key: string, event: RunEvent])[];
}

export interface CheckOptions {
  /** Searches for the names that the answer says are nowhere. The searches are recorded with the verdicts. */
  readonly search?: (key: string) => Promise<Searched>;
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
): Promise<Checked> {
  const key = `check/${draft ? 'draft/' : ''}${sha256(request.text).slice(0, 12)}`;
  const stepped = await checking.step<WeighedAnswer>(key, {
    anyway: true,
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
  // Keyed by the claims, so that none is read twice.
  const asked = sha256(JSON.stringify(open.map(({ id, text }) => [id, text]))).slice(0, 12);
  const { readerPool: pool, models } = checking;
  const reading = { ...checking, pool, model: models.analyst };
  const { reply } = await readBatch(`check/${asked}/reader`, reading, open);
  return {
    weighed: withReading(weighed, reply),
    note: reply.kind === 'failed' ? reply.message : (reply.left ?? null),
  };
}

function withSearches(request: AnswerRequest, more: readonly LoggedSearch[]): AnswerRequest {
  const { searches = [], read = [] } = request.log ?? {};
  return more.length === 0 ? request : { ...request, log: { searches: [...searches, ...more], read } };
}

/** For a value that a cell computed: the claims of the texts in its code, and all citations. */
function onlyOf(texts: readonly string[], weighed: WeighedAnswer): WeighedAnswer {
  const said = texts.map(bare);
  const claims = weighed.claims.filter(({ claim }) => said.some((text) => text.includes(bare(claim.text))));
  return { ...weighed, claims };
}

const bare = (text: string): string =>
  withoutMarks(text)
    .replace(/\s+/g, ' ')
    .replace(/ +(?=[.,;:!?](?:\s|$))/g, '');
