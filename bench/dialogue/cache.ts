/**
 * What a provider's prompt cache would read, write and bill, by the rules that the providers publish. Nothing here was
 * compared with a bill. Marks are set by whoever makes the request; output is not counted.
 */
import { createHash } from 'node:crypto';
import { idsOf, linesOf, tokensOf } from './tokens.ts';

/** A piece of a request, in the order in which the prefix is made: tools, system, messages. */
export interface Block {
  readonly level: 'tools' | 'system' | 'messages';
  readonly text: string;
  /** What two requests must share for the block to be the same one. */
  readonly key: string;
  /** Anthropic: what stands up to here is to be kept. */
  readonly mark?: boolean;
}

/** In tokens. `billed` is what the input costs, in tokens at the price of input without a cache. */
export interface Bill {
  readonly input: number;
  readonly read: number;
  readonly write: number;
  readonly billed: number;
}

export type Cache = (blocks: readonly Block[], atMs: number) => Bill;

const maxMarks = 4;
/** Positions that are looked at for each mark, its own the first. */
const lookBack = 20;
/** Since it was last used. */
const lifeMs = 5 * 60_000;
const readPrice = 0.1;
const anthropicWritePrice = 1.25;

/** `minimum`: the shortest prefix that is kept, in tokens; 1,024 to 4,096 by model. */
export function anthropicCache({ minimum = 1024 }: { readonly minimum?: number } = {}): Cache {
  const lastUsed = new Map<string, number>();
  return (blocks, atMs) => {
    const prefixes = prefixesOf(blocks);
    const marks = blocks.flatMap(({ mark }, index) => (mark ? [index] : []));
    if (marks.length > maxMarks) throw new Error(`${marks.length} marks, at most ${maxMarks} are taken`);
    const isKept = (index: number): boolean =>
      atMs - (lastUsed.get(prefixes[index]!.hash) ?? -Infinity) <= lifeMs;
    const hit = marks
      .toReversed()
      .flatMap((mark) => positionsBefore(mark))
      .find(isKept);
    const input = prefixes.at(-1)?.tokens ?? 0;
    const read = hit === undefined ? 0 : prefixes[hit]!.tokens;
    const kept = marks.filter((index) => prefixes[index]!.tokens >= minimum);
    const write = kept.length === 0 ? 0 : Math.max(0, prefixes[kept.at(-1)!]!.tokens - read);
    for (const index of hit === undefined ? kept : [hit, ...kept]) lastUsed.set(prefixes[index]!.hash, atMs);
    const fresh = input - read - write;
    return { input, read, write, billed: fresh + write * anthropicWritePrice + read * readPrice };
  };
}

function positionsBefore(mark: number): readonly number[] {
  return Array.from({ length: Math.min(lookBack, mark + 1) }, (_, back) => mark - back);
}

function prefixesOf(blocks: readonly Block[]): readonly { readonly hash: string; readonly tokens: number }[] {
  let hash = '';
  let tokens = 0;
  return blocks.map(({ level, key, text }) => {
    hash = createHash('sha256').update(`${hash}\0${level}\0${key}`).digest('base64');
    tokens += tokensOf(text);
    return { hash, tokens };
  });
}

const openAiMinimum = 1024;
const openAiStep = 128;

/** Without marks: the longest beginning that an earlier request had as well, in steps; writing costs nothing. */
export function openAiCache(): Cache {
  const kept: { readonly ids: readonly number[]; lastUsed: number }[] = [];
  return (blocks, atMs) => {
    const ids = blocks.flatMap(({ text }) => linesOf(text).flatMap(idsOf));
    let read = 0;
    let from: (typeof kept)[number] | undefined;
    for (const earlier of kept) {
      if (atMs - earlier.lastUsed > lifeMs) continue;
      const common = Math.floor(commonLength(earlier.ids, ids) / openAiStep) * openAiStep;
      if (common < openAiMinimum || common <= read) continue;
      read = common;
      from = earlier;
    }
    if (from) from.lastUsed = atMs;
    kept.push({ ids, lastUsed: atMs });
    const input = ids.length;
    return { input, read, write: 0, billed: input - read + read * readPrice };
  };
}

function commonLength(one: readonly number[], other: readonly number[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}
