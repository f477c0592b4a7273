/**
 * Finds compound names of the claim that no line contains, while the lines have one that differs in one part:
 * `tower-limit` beside `tower-governor`, `node-17` beside `node-07`.
 */

import type { Reading } from '../../claim/reading.ts';
import { findDefinitions } from '../../lines/definition.ts';
import { joinLines, type Source } from '../../lines/source.ts';
import { mayBeMissing } from '../../words/turns.ts';
import { isIdle, toComparable } from '../../words/words.ts';

const compoundForm =
  /(?<![\p{L}\p{N}_@$/<.-])[\p{L}\p{N}]+(?:[-.][\p{L}\p{N}]+)+(?![\p{L}\p{N}_(>@]|[-/]\p{L})/gu;

/** First parts that make an adjective or a verb of what follows, and last parts that make an adjective. */
const formingPart =
  /^(?:non|un|re|pre|post|co|self|multi|sub|anti|semi|over|under|on|off|in|out|up|down|well|so|to|one|two|three|four|five|six|first|second|third|high|low|long|short|full|half|open|real|read|write|all|per|cross|end|opt|built|hard|soft|fine|large|small|single|double|many|much|old|new|pull|push|log|set|shut|start|back|front|follow|roll|e|i|x|no|day|week|month|year|hour|minute)$/iu;
const formedPart =
  /(?:ed|ing|ly|able|free|only|based|like|level|wide|time|to|up|off|on|out|side|safe|aware|specific|friendly|style|type|sized?|old|new)$/iu;

export function findOtherCompounds({ text, moments, figures }: Reading, source: Source): readonly string[] {
  const lines = joinLines(source);
  const allText = `${lines}\n${source.known.text}`;
  return [...text.matchAll(compoundForm)].flatMap(({ 0: name, index }) => {
    const isValue = [...moments, ...figures].some(
      ({ start, end }) => index < end && start < index + name.length,
    );
    if (isValue || name.length < 6 || !/\p{L}{2}/u.test(name) || isMentioned(name, allText)) return [];
    if (mayBeMissing(text.slice(0, index))) return [];
    if (isDefinedMember(name, source)) return [];
    const parts = name.split(/[-.]/);
    const separators = name.match(/[-.]/g)!;
    return parts.some((part, at) => hasOtherPart(part, at, parts, separators, { text, whole: lines }))
      ? [name]
      : [];
  });
}

/**
 * Whether a name is a member that the lines define, of a class that they or their header name: `Pool.take` beside
 * `self.take()`.
 */
function isDefinedMember(name: string, source: Source): boolean {
  const [owner = '', member = '', ...more] = name.split('.');
  return (
    more.length === 0 &&
    /^\p{Lu}/u.test(owner) &&
    (source.names.has(owner) || source.known.names.has(owner)) &&
    findDefinitions(member, source).length > 0
  );
}

const isMentioned = (name: string, whole: string): boolean =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])${name.split(/[-.]/).map(RegExp.escape).join('[\\s_.-]?')}(?![\\p{L}\\p{N}])`,
    'iu',
  ).test(whole);

/** Whether the lines have the compound with another word, or another number, in the place of one part. */
function hasOtherPart(
  part: string,
  at: number,
  parts: readonly string[],
  separators: readonly string[],
  { text, whole }: { readonly text: string; readonly whole: string },
): boolean {
  const isNumber = /^\d+$/.test(part);
  const isPlain = parts.length === 2 && !isNumber && !/[\p{N}\p{Lu}.]/u.test(parts.join(separators[0]));
  if (
    !isNumber &&
    (part.length < 3 || isIdle(part) || formingPart.test(part) || (isPlain && formedPart.test(part)))
  )
    return false;
  const rest = parts.filter((_, other) => other !== at);
  if (rest.every((one) => one.length < 3 || /^\d+$/.test(one) || isIdle(one) || formingPart.test(one)))
    return false;
  // Of two plain words either may be the author's own adjective, where the other also occurs alone.
  if (isPlain) {
    const alone = new RegExp(
      `(?<![\\p{L}\\p{N}_.-])${RegExp.escape(rest[0]!)}s?(?![\\p{L}\\p{N}_-]|\\.\\p{L})`,
      'iu',
    );
    if (alone.test(whole) || formedPart.test(rest[0]!)) return false;
  }
  const form = parts
    .map((one, index) =>
      index === at ? (isNumber ? '(\\d+)' : '(\\p{L}[\\p{L}\\p{N}]+)') : RegExp.escape(one),
    )
    .reduce((all, one, index) => `${all}${RegExp.escape(separators[index - 1]!)}${one}`);
  return [...whole.matchAll(new RegExp(`(?<![\\p{L}\\p{N}_-])${form}(?![\\p{L}\\p{N}_])`, 'giu'))].some(
    ({ 0: name, 1: other = '' }) =>
      !isFormOf(part, other) &&
      !(isPlain && formedPart.test(other)) &&
      !new RegExp(RegExp.escape(name), 'iu').test(text),
  );
}

const isFormOf = (one: string, other: string): boolean =>
  toComparable(one) === toComparable(other) ||
  (Number(one) === Number(other) && /^\d+$/.test(one)) ||
  (one.length > 3 && other.toLowerCase().startsWith(one.slice(0, 4).toLowerCase())) ||
  (other.length > 3 && one.toLowerCase().startsWith(other.slice(0, 4).toLowerCase()));
