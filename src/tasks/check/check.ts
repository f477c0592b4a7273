/** The answer of a run held against what it rests on: by code, then by a reader for what code leaves open. */
import { withoutMarks } from '../../core/answers.ts';
import { type Pool, sha256, withRemedy } from '../../core/index.ts';
import {
  type AnswerRequest,
  type ClaimToRead,
  claimsToRead,
  type ReaderReply,
  type WeighedAnswer,
  weighAnswer,
  withReading,
} from '../../gate/index.ts';
import { isExtractive, type Model, paysForPage } from '../../model/index.ts';
import { type Asking, ask } from '../research/ask.ts';
import { claimsPage, readClaims } from './read-claims.ts';

/** What a check works with besides the answer. */
export interface Checking extends Omit<Asking, 'pool' | 'models'> {
  readonly models: Asking['models'] & { readonly analyst: Model };
  /** Pays for the reader; null where there is none. */
  readonly readerPool: Pool | null;
  /** The step of the run, for its log. */
  readonly number: number;
}

export interface Checked {
  readonly weighed: WeighedAnswer;
  /** Why there was no reader, or not for all, where there should have been one. */
  readonly note: string | null;
}

/** Claims of one batch, and tokens of the reply. */
const maxClaims = 60;
const tokensEach = 60;
const fewTokens = 400;
const maxTokens = 4_000;

export interface CheckOptions {
  /** Of a value that a cell computed, the texts that stand in the code: what else it says is no claim of a text. */
  readonly texts?: readonly string[] | undefined;
  /** Before the end, when less is known of it. */
  readonly draft?: boolean;
}

/** The same text is checked once in a run, and once as a draft: what was read of it is recorded. */
export async function check(
  request: AnswerRequest,
  checking: Checking,
  { texts, draft = false }: CheckOptions = {},
): Promise<Checked> {
  const key = `check/${draft ? 'draft/' : ''}${sha256(request.text).slice(0, 12)}`;
  const stepped = await checking.step<WeighedAnswer>(key, {
    anyway: true,
    cheap: true,
    run: async () => ({ value: await weighAnswer(request), record: !checking.signal.aborted }),
  });
  const whole = stepped.kind === 'done' ? stepped.value : await weighAnswer(request);
  const weighed = texts === undefined ? whole : onlyOf(texts, whole);
  const open = claimsToRead(weighed);
  if (open.length === 0 || checking.readerPool === null || isExtractive(checking.models.analyst))
    return { weighed, note: null };
  // By what is asked, so that nobody reads the same twice.
  const asked = sha256(JSON.stringify(open.map(({ id, text }) => [id, text]))).slice(0, 12);
  const reply = await readerOf(`check/${asked}/reader`, checking, checking.readerPool)(open);
  return {
    weighed: withReading(weighed, reply),
    note: reply.kind === 'failed' ? reply.message : (reply.left ?? null),
  };
}

const readerOf =
  (key: string, checking: Checking, pool: Pool) =>
  async (open: readonly ClaimToRead[]): Promise<ReaderReply> => {
    const { analyst: model } = checking.models;
    const most = Math.min(open.length, maxClaims);
    const maxOutputTokens = Math.min(maxTokens, fewTokens + most * tokensEach);
    // Recorded: what is left of the budget is another after a resume.
    const sized = await checking.step<number>(`${key}/size`, {
      anyway: true,
      cheap: true,
      run: async () => ({ value: payable(open, most, { checking, pool, output: maxOutputTokens }) }),
    });
    const size = sized.kind === 'done' ? sized.value : most;
    const number = checking.number;
    const asked = await ask({ ...checking, pool }, readClaims, claimsPage(open, size), {
      ...{ model, key, maxOutputTokens, step: number, final: true },
    });
    switch (asked.kind) {
      case 'value': {
        const left = open.length - size;
        return {
          kind: 'read',
          words: asked.value.verdicts,
          ...(left > 0 && { left: `The reader's part of the budget did not reach for ${left} claims.` }),
        };
      }
      case 'exhausted':
        return {
          kind: 'failed',
          message: `No reader looked at ${open.length} claims: its part of the budget (${asked.exhausted.resource}) did not reach.`,
        };
      case 'cancelled':
        return { kind: 'failed', message: 'No reader looked at the claims: the run was stopped.' };
      case 'malformed':
        return { kind: 'failed', message: `No reader looked at the claims: ${asked.message}` };
      case 'failed':
        return { kind: 'failed', message: `No reader looked at the claims: ${withRemedy(asked)}` };
    }
  };

interface Paying {
  readonly checking: Checking;
  readonly pool: Pool;
  readonly output: number;
}

/** How many of the claims fit what the reader has; one where none does, which is then refused. */
function payable(
  open: readonly ClaimToRead[],
  max: number,
  { checking: { models }, pool, output }: Paying,
): number {
  const { tokens, usd } = pool.remaining({ final: true });
  const purse = {
    model: models.analyst,
    ...(models.prices && { prices: models.prices }),
    left: { tokens, usd },
    output: Math.min(output, tokens / 3),
  };
  let [low, high] = [1, max];
  while (low < high) {
    const size = Math.ceil((low + high) / 2);
    if (paysForPage(purse, readClaims, claimsPage(open, size))) low = size;
    else high = size - 1;
  }
  return low;
}

/** Of a value that a cell computed: the claims of the texts in it that stand in the code, and all of its citations. */
function onlyOf(texts: readonly string[], weighed: WeighedAnswer): WeighedAnswer {
  const said = texts.map(bare);
  const claims = weighed.claims.filter(({ claim }) => said.some((text) => text.includes(bare(claim.text))));
  return { ...weighed, claims };
}

const bare = (text: string): string =>
  withoutMarks(text)
    .replace(/\s+/g, ' ')
    .replace(/ +(?=[.,;:!?](?:\s|$))/g, '');
