/** Whether it counts against a claim that the lines lack one of its names or short quotations. */
import type { Reading } from './reading.ts';
import type { Source } from './source.ts';
import { brands, type Term } from './terms.ts';

/** `None` is the return value of code that returns nothing. */
export const isFreeLiteral = (text: string, source: Source): boolean =>
  /^(?:None|null|nil|undefined|void|true|false|True|False)$/.test(text) &&
  !source.segments.some(({ text: given }) =>
    /\b(?:None|null|nil|undefined|void|true|false|True|False)\b/.test(given),
  );

/** `cart-service` while the lines name `user-service`: a similar name, but another. */
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

/** The share of the other words that the lines must hold before a missing name counts. */
const minShare = 0.5;
const days = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;

/** `Azure` while the lines, in plain words, speak of AWS. In another language a thing may have another name. */
export function isForeign({ text }: Term, { words, terms }: Reading, source: Source): boolean {
  const isProse = source.segments.every(({ isCode }) => !isCode);
  if (!isProse || !/^\p{Lu}/u.test(text) || brands.test(text) || days.test(text)) return false;
  const rest = words.filter(({ at }) => !terms.some((term) => at >= term.at && at < term.end));
  const held = rest.filter(({ base }) => source.segments.some(({ bases }) => bases.has(base)));
  return rest.length > 0 && held.length / rest.length >= minShare;
}

/** A quotation too short to be searched: signs only, or one word while the lines quote another. */
export function isOddQuote({ kind, text, isHard }: Term, { segments }: Source): boolean {
  if (kind === 'code') return text.length > 1 && !/[\p{L}\p{N}]/u.test(text);
  if (kind !== 'quote' || isHard || text.length < 2) return false;
  if (!/^[\p{L}\p{N} ]+$/u.test(text)) return true;
  return (
    !text.includes(' ') && segments.some(({ isCode, text: given }) => isCode && /(["'])\p{L}+\1/u.test(given))
  );
}
