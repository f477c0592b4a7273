/** Whether it says anything of a claim that the lines lack a name or a short quotation of it. */
import type { Reading } from './reading.ts';
import type { Source } from './source.ts';
import { brands, type Term } from './terms.ts';

/** `None` is what comes back where nothing is written. */
export const isFreeLiteral = (text: string, source: Source): boolean =>
  /^(?:None|null|nil|undefined|void|true|false|True|False)$/.test(text) &&
  !source.segments.some(({ text: given }) =>
    /\b(?:None|null|nil|undefined|void|true|false|True|False)\b/.test(given),
  );

/** Of `cart-service` where the lines name `user-service`: it is a name of theirs, and another one. */
export function hasLookAlike(text: string, source: Source): boolean {
  const parts = text.toLowerCase().split('-');
  if (parts.length < 2 || parts[0]!.length < 3 || !/^\p{L}{3,}$/u.test(parts.at(-1)!)) return false;
  if (/(?:ed|ing|ly|able|free|only|based|like|level|wide|time|to|up|off|on|out|side)$/.test(parts.at(-1)!))
    return false;
  const form = /(?<![\p{L}\p{N}_$@./-])\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)+(?![\p{L}\p{N}_/-])/gu;
  return source.segments.some(({ text: given }) =>
    [...given.matchAll(form)].some(([name]) => {
      const other = name.toLowerCase().split('-');
      return other.length === parts.length && other.at(-1) === parts.at(-1) && other[0]!.length > 2;
    }),
  );
}

/** How much of the rest the lines have to hold in its words before a name counts that they lack. */
const minShare = 0.5;
const days = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;

/** `Azure` of what the lines, in plain words, say of AWS. What is told in another language may name it otherwise. */
export function isForeign({ text }: Term, { words, terms }: Reading, source: Source): boolean {
  const isProse = source.segments.every(({ isCode }) => !isCode);
  if (!isProse || !/^\p{Lu}/u.test(text) || brands.test(text) || days.test(text)) return false;
  const rest = words.filter(({ at }) => !terms.some((term) => at >= term.at && at < term.end));
  const held = rest.filter(({ base }) => source.segments.some(({ bases }) => bases.has(base)));
  return rest.length > 0 && held.length / rest.length >= minShare;
}

/** A quotation too short to be looked for as such: of signs, or of a word where the lines quote another. */
export function isOddQuote({ kind, text, isHard }: Term, { segments }: Source): boolean {
  if (kind === 'code') return text.length > 1 && !/[\p{L}\p{N}]/u.test(text);
  if (kind !== 'quote' || isHard || text.length < 2) return false;
  if (!/^[\p{L}\p{N} ]+$/u.test(text)) return true;
  return (
    !text.includes(' ') && segments.some(({ isCode, text: given }) => isCode && /(["'])\p{L}+\1/u.test(given))
  );
}
