/** Tokens by o200k, line by line: pages repeat their lines, so that each is taken apart once. */
import { createRequire } from 'node:module';
import { Tiktoken, type TiktokenBPE } from 'js-tiktoken/lite';

let encoder: Tiktoken | undefined;
const known = new Map<string, readonly number[]>();

/** Taking apart is slow on long runs without a break, such as a schema on one line. */
const maxLength = 1_000;

/** The lines of a text, each with the breaks that end it. */
export const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n+|[^\n]+$/gu) ?? [];

export function idsOf(line: string): readonly number[] {
  let ids = known.get(line);
  if (ids === undefined) {
    encoder ??= new Tiktoken(createRequire(import.meta.url)('js-tiktoken/ranks/o200k_base') as TiktokenBPE);
    const taken: number[] = [];
    for (let at = 0; at < line.length; at += maxLength)
      taken.push(...encoder.encode(line.slice(at, at + maxLength), [], []));
    ids = taken;
    known.set(line, ids);
  }
  return ids;
}

export const tokensOf = (text: string): number =>
  linesOf(text).reduce((sum, line) => sum + idsOf(line).length, 0);
