/** One call of the model that decides open claims: as many claims as fit into one prompt and its budget. */
import { appendRemedy, resourceNames } from '../../core/index.ts';
import type { ClaimToRead, ReaderReply, ReaderWord } from '../../gate/index.ts';
import { canPayForPage, type Model } from '../../model/index.ts';
import { type AskContext, ask } from '../research/dialogue/ask.ts';
import { claimsPage, keepUsableVerdicts, readClaims, readClaimsStrict } from './read-claims.ts';

export interface ReadContext extends AskContext {
  readonly model: Model;
  /** Number of the step, for the log. */
  readonly number: number;
}

export interface ReadBatch {
  readonly reply: ReaderReply;
  /** How many claims, from the first, were sent to the reader. */
  readonly asked: number;
  /** Why there is no verdict, for programs: `unpaid` if the budget was too small for a call. */
  readonly lacks: 'unpaid' | 'stopped' | 'unusable' | 'failed' | null;
}

/** The number of claims that fit into one prompt. */
interface BatchSize {
  readonly claims: number;
}

/** Maximum number of claims in one batch. The reply gets the base tokens and tokens per claim, up to a maximum. */
const maxClaims = 60;
const replyTokensPerClaim = 60;
const baseReplyTokens = 400;
const maxReplyTokens = 4_000;

/** `key` names the call within the run: verdicts are recorded below it. */
export async function readBatch(
  key: string,
  context: ReadContext,
  open: readonly ClaimToRead[],
): Promise<ReadBatch> {
  const count = Math.min(open.length, maxClaims);
  const maxOutputTokens = Math.min(maxReplyTokens, baseReplyTokens + count * replyTokensPerClaim);
  // Recorded, since after a resume the remaining budget differs.
  const sizeResult = await context.step<BatchSize | number>(`${key}/size`, {
    evenIfStopped: true,
    deferCommit: true,
    run: async () => ({ value: { claims: countAffordableClaims(open, count, context, maxOutputTokens) } }),
  });
  const known = sizeResult.kind === 'done' ? sizeResult.value : { claims: count };
  // Older runs recorded the bare number, and accepted a verdict without a reason.
  const isOldForm = typeof known === 'number';
  const size = isOldForm ? known : known.claims;
  const { model, number: step } = context;
  const askOutcome = await ask(context, isOldForm ? readClaimsStrict : readClaims, claimsPage(open, size), {
    ...{ model, key, maxOutputTokens, step, final: true, retryOnlyIfFree: true },
  });
  const toFailedBatch = (lacks: ReadBatch['lacks'], message: string): ReadBatch => ({
    reply: { kind: 'failed', message },
    asked: size,
    lacks,
  });
  switch (askOutcome.kind) {
    case 'value': {
      const sentIds = new Set(open.slice(0, size).map(({ id }) => id));
      const given = askOutcome.value.verdicts.filter(({ id }) => sentIds.has(id));
      const words = isOldForm ? given : keepUsableVerdicts(given, open);
      const left = explainLeftOut(words, size, open.length - size);
      return { reply: { kind: 'read', words, ...(left !== null && { left }) }, asked: size, lacks: null };
    }
    case 'exhausted':
      return toFailedBatch(
        'unpaid',
        `No reader looked at ${formatClaimCount(open.length)}: its part of the budget (${resourceNames[askOutcome.exhausted.resource]}) did not reach.`,
      );
    case 'cancelled':
      return toFailedBatch('stopped', 'No reader looked at the claims: the run was stopped.');
    case 'malformed':
      return toFailedBatch('unusable', `No reader looked at the claims: ${askOutcome.message}`);
    case 'failed':
      return toFailedBatch('failed', `No reader looked at the claims: ${appendRemedy(askOutcome)}`);
  }
}

/** Why some claims have no verdict of the reader; two verdicts for one claim cancel out. */
export function explainLeftOut(words: readonly ReaderWord[], sentIds: number, left: number): string | null {
  const usableWords = words.filter(({ id }) => words.filter((other) => other.id === id).length === 1);
  const without = sentIds - usableWords.length;
  const parts = [
    ...(without > 0 ? [`The reader said nothing usable of ${formatClaimCount(without)}.`] : []),
    ...(left > 0 ? [`The reader's part of the budget did not reach for ${formatClaimCount(left)}.`] : []),
  ];
  return parts.length === 0 ? null : parts.join(' ');
}

const formatClaimCount = (claims: number): string => (claims === 1 ? '1 claim' : `${claims} claims`);

/** How many of the claims the budget pays for; at least one, which is refused if the budget is too small. */
function countAffordableClaims(
  open: readonly ClaimToRead[],
  max: number,
  { models, model, pool }: ReadContext,
  output: number,
): number {
  const { tokens, usd } = pool.remaining({ final: true });
  const purse = {
    model,
    ...(models.prices && { prices: models.prices }),
    left: { tokens, usd },
    output: Math.min(output, tokens / 3),
  };
  let [low, high] = [1, max];
  while (low < high) {
    const size = Math.ceil((low + high) / 2);
    if (canPayForPage(purse, readClaims, claimsPage(open, size))) low = size;
    else high = size - 1;
  }
  return low;
}
