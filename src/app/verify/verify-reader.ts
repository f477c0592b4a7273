/** Lets a model decide open claims of answers that no run made, under one budget for all. Nothing is stored. */
import { setTimeout as wait } from 'node:timers/promises';
import { type AllAmounts, formatCount, systemClock } from '../../core/index.ts';
import { memoryLedger, openPool } from '../../core/pools.ts';
import type { ClaimReader, ClaimToRead, ReaderReply, ReaderWord } from '../../gate/index.ts';
import { isExtractive, type Model, type Prices, type RetryPolicy } from '../../model/index.ts';
import { openTransientSteps } from '../../store/index.ts';
import { explainLeftOut, type ReadContext, readBatch } from '../../tasks/check/read-batch.ts';

export interface VerifyReaderOptions {
  readonly model: Model;
  readonly maxTokens: number;
  readonly maxUsd: number;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  readonly signal?: AbortSignal;
}

export interface VerifyReader {
  readonly read: ClaimReader;
  readonly spent: () => AllAmounts;
}

/** Maximum silence of one call in milliseconds. A local model may be silent for longer. */
const maxSilenceMs = 300_000;
/** After this many failed calls in a row no further call is made. */
const maxFailuresInRow = 3;

export function openVerifyReader(options: VerifyReaderOptions): VerifyReader {
  const { model, maxTokens, maxUsd, prices, retry, signal = new AbortController().signal } = options;
  const pool = openPool(memoryLedger(), {
    ...{ account: 'verify', run: 'verify', fence: 1 },
    limits: { tokens: maxTokens, usd: maxUsd },
  });
  const models = { ...(prices && { prices }), ...(retry && { retry }) };
  let calls = 0;
  let failuresInRow = 0;
  function openCall(): { readonly key: string; readonly context: ReadContext } {
    calls += 1;
    const steps = openTransientSteps({ pool, signal });
    const limits = { wall_ms: 2 * maxSilenceMs };
    const callContext = { ...steps, pool, signal, models, limits, clock: systemClock };
    return {
      key: `read-${calls}`,
      context: { ...callContext, model, number: calls, random: Math.random, sleep: pause },
    };
  }
  async function read(claims: readonly ClaimToRead[]): Promise<ReaderReply> {
    if (isExtractive(model)) return { kind: 'failed', message: noModelMessage };
    const readerWords: ReaderWord[] = [];
    let unread = 0;
    let lastReason = '';
    for (let from = 0; from < claims.length; ) {
      const restClaims = claims.slice(from);
      if (failuresInRow >= maxFailuresInRow)
        return partialReply(readerWords, unread + restClaims.length, gaveUpMessage);
      const { key, context } = openCall();
      const { reply, asked, lacks } = await readBatch(key, context, restClaims);
      from += asked;
      if (reply.kind === 'read') {
        failuresInRow = 0;
        readerWords.push(...reply.words);
        continue;
      }
      if (lacks === 'unpaid') return partialReply(readerWords, unread + restClaims.length, reply.message);
      failuresInRow += 1;
      unread += asked;
      lastReason = reply.message;
    }
    if (unread > 0) return partialReply(readerWords, unread, lastReason);
    const leftOutNote = explainLeftOut(readerWords, claims.length, 0);
    return { kind: 'read', words: readerWords, ...(leftOutNote !== null && { left: leftOutNote }) };
  }
  return { read, spent: () => pool.spent() };
}

const noModelMessage = 'No reader looked at the claims: no model is configured.';
const gaveUpMessage = `No reader looked at the claims: ${maxFailuresInRow} calls in a row had failed.`;

/** Results of earlier batches count, even if a later one fails. */
const partialReply = (
  readerWords: readonly ReaderWord[],
  unreadCount: number,
  message: string,
): ReaderReply =>
  readerWords.length === 0
    ? { kind: 'failed', message }
    : {
        kind: 'read',
        words: readerWords,
        left: `${formatCount(unreadCount, 'claim')} ${unreadCount === 1 ? 'was' : 'were'} not read. ${message}`,
      };

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {}).catch(() => {});
}
