/** Decides open claims of answers that no run made, by a model with one budget for all of them. Nothing is stored. */
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

export interface OpenVerifyReader {
  readonly read: ClaimReader;
  readonly spent: () => AllAmounts;
}

/** Maximum silence of one call. A model on this machine may be silent for longer. Milliseconds. */
const maxSilenceMs = 300_000;
/** After this many failed calls in a row the others are not made. */
const maxFailures = 3;

export function openVerifyReader(options: VerifyReaderOptions): OpenVerifyReader {
  const { model, maxTokens, maxUsd, prices, retry, signal = new AbortController().signal } = options;
  const pool = openPool(memoryLedger(), {
    ...{ account: 'verify', run: 'verify', fence: 1 },
    limits: { tokens: maxTokens, usd: maxUsd },
  });
  const models = { ...(prices && { prices }), ...(retry && { retry }) };
  let calls = 0;
  let failures = 0;
  function next(): { readonly key: string; readonly reading: ReadContext } {
    calls += 1;
    const steps = openTransientSteps({ pool, signal });
    const limits = { wall_ms: 2 * maxSilenceMs };
    const asking = { ...steps, pool, signal, models, limits, clock: systemClock };
    return {
      key: `read-${calls}`,
      reading: { ...asking, model, number: calls, random: Math.random, sleep: pause },
    };
  }
  async function read(claims: readonly ClaimToRead[]): Promise<ReaderReply> {
    if (isExtractive(model)) return { kind: 'failed', message: noModel };
    const words: ReaderWord[] = [];
    let unread = 0;
    let why = '';
    for (let from = 0; from < claims.length; ) {
      const rest = claims.slice(from);
      if (failures >= maxFailures) return ending(words, unread + rest.length, gaveUp);
      const { key, reading } = next();
      const { reply, asked, lacks } = await readBatch(key, reading, rest);
      from += asked;
      if (reply.kind === 'read') {
        failures = 0;
        words.push(...reply.words);
        continue;
      }
      if (lacks === 'unpaid') return ending(words, unread + rest.length, reply.message);
      failures += 1;
      unread += asked;
      why = reply.message;
    }
    if (unread > 0) return ending(words, unread, why);
    const left = explainLeftOut(words, claims.length, 0);
    return { kind: 'read', words, ...(left !== null && { left }) };
  }
  return { read, spent: () => pool.spent() };
}

const noModel = 'No reader looked at the claims: no model is configured.';
const gaveUp = `No reader looked at the claims: ${maxFailures} calls in a row had come to nothing.`;

/** Results of earlier batches count, even if a later one fails. */
const ending = (words: readonly ReaderWord[], left: number, message: string): ReaderReply =>
  words.length === 0
    ? { kind: 'failed', message }
    : {
        kind: 'read',
        words,
        left: `${formatCount(left, 'claim')} ${left === 1 ? 'was' : 'were'} not read. ${message}`,
      };

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {}).catch(() => {});
}
