/**
 * Compares a value that the claim gives to a name with what the lines of code bind to it: `encoding 'utf8'` beside
 * `encoding === 'buffer'`, `Secure is on` beside `Secure: false`, `twice the rate` beside `rate * 3`.
 */

import type { Reading } from '../../claim/reading.ts';
import { cacheByKey, type Source } from '../../lines/source.ts';
import { findDenials } from '../../words/turns.ts';
import { isIdle, splitName, splitWords, toComparable } from '../../words/words.ts';

interface Binding {
  readonly parts: readonly string[];
  readonly value: string;
  /** Whether it is a test, and no value that is given. */
  readonly isTest: boolean;
}

const bindingForm =
  /(?<name>[\p{L}_$][\p{L}\p{N}_$]*)["'`\])]*\s*(?::\s*[\p{L}_][\p{L}\p{N}_<>[\]]*(?=\s*=)\s*)?(?<sign>===?|!==?|:=|=>|=|:)\s*(?<value>"[^"\n]*"|'[^'\n]*'|[+-]?\d+(?:\.\d+)?(?![\p{L}\p{N}_.])|(?:true|false)(?![\p{L}\p{N}_]))/giu;

const findBindings = cacheByKey(({ segments }: Source): readonly Binding[] =>
  segments.flatMap(({ isCode, isRecord, text }) =>
    !isCode || isRecord
      ? []
      : [...text.matchAll(bindingForm)].map(
          ({ groups }): Binding => ({
            parts: splitName(groups!['name']!).map((part) => part.toLowerCase()),
            value: unquote(groups!['value']!),
            isTest: /^[=!]==?$/.test(groups!['sign']!),
          }),
        ),
  ),
);

const unquote = (value: string): string => value.replace(/^["']|["']$/g, '').toLowerCase();

const tieForm = String.raw`(?:\s+(?:is|are|was|were|=|==|:|equals|defaults? to|becomes|stays|(?:set|turned|switched) to|has to be|must be|with|of|as|not))*\s*`;
const givenForm = new RegExp(
  String.raw`(?<name>[\p{L}_$][\p{L}\p{N}_$.-]*(?:\s[\p{L}_$][\p{L}\p{N}_$]*)?)(?<tie>${tieForm})(?<value>"[^"]*"|'[^']*'|(?<![\p{L}\p{N}.-])-?\d+(?:\.\d+)?(?![\p{L}\p{N}_.:%/-]|\s?\p{L})|\b(?:true|false|on|off)\b)`,
  'giu',
);
const wholeGivenForm = new RegExp(`^(?:the\\s)?${givenForm.source}(?:\\sby default)?$`, 'iu');
const truthWords: Readonly<Record<string, string>> = { on: 'true', off: 'false' };

/** A value that the claim gives to a name. */
interface GivenValue {
  readonly name: string;
  /** The words between both: `is set to`. */
  readonly tie: string;
  /** The value as written, and its place. */
  readonly said: string;
  readonly at: number;
  readonly value: string;
}

function parseGiven({ groups, index = 0 }: RegExpMatchArray): GivenValue {
  const { name: whole = '', tie: tail = '', value: said = '' } = groups!;
  // `x is` `set to`: the verb is no part of the name.
  const verb = /\s(?:is|are|was|were|has|must|gets?)$/i.exec(whole)?.[0] ?? '';
  return {
    name: whole.slice(0, whole.length - verb.length),
    tie: `${verb}${tail}`,
    said,
    at: index + whole.length + tail.length,
    value: truthWords[said.toLowerCase()] ?? unquote(said),
  };
}

/** What the code binds to a name, or to the last words of it. */
function findBindingsOf(name: string, source: Source): readonly Binding[] {
  const names = splitName(name.replace(/^.*\./, '')).map((part) => part.toLowerCase());
  return findBindings(source).filter(
    ({ parts }) =>
      parts.join('').length > 3 &&
      parts.length <= names.length &&
      parts.every((part, at) => part === names[names.length - parts.length + at]),
  );
}

/** The reason against the claim; null if nothing is bound otherwise. */
export function findOtherBinding(reading: Reading, source: Source): string | null {
  const { text } = reading;
  for (const match of text.matchAll(givenForm)) {
    const { name, tie, said, at, value: stated } = parseGiven(match);
    const isTruth = stated === 'true' || stated === 'false';
    const before = text.slice(0, at);
    if (isTruth && (!/\b(?:is|are|was|set|turned|defaults?|=|:)/i.test(tie) || supposedStart.test(before)))
      continue;
    if (/^["']/.test(said) && /^$|\s/.test(stated)) continue;
    // `is not on` is off. What else is not so may be anything.
    const isDenied = isTruth && findDenials(tie).length > 0;
    const clause = isTruth ? before.split(/[,;]\s|\b(?:and|but|while|whereas)\b/).at(-1)! : before;
    if (findDenials(clause).length > (isDenied ? 1 : 0)) continue;
    const value = isDenied ? String(stated === 'false') : stated;
    const bindings = findBindingsOf(name, source).filter(
      ({ isTest, value: other }) => !(isTest && isTruth) && classifyValue(other) === classifyValue(value),
    );
    if (bindings.length === 0 || bindings.some(({ value: other }) => other === value)) continue;
    // A text or number that occurs elsewhere may be another state of it.
    if (!isTruth && occursElsewhere(value, source)) continue;
    return `the lines have "${bindings[0]!.value}" for ${name.trim()}, where the claim has "${`${tie} ${said.replace(/["']/g, '')}`.trim()}"`;
  }
  return findOtherMultiple(text, source);
}

/**
 * Whether the claim only gives values to names, and the code gives each of them the same: `Secure is off, and Path is
 * "/"`.
 */
export function isBound({ text }: Reading, source: Source): boolean {
  const clauses = text.replace(/[.]\s*$/, '').split(/,?\s(?:and|but|while|whereas)\s|[,;]\s/);
  // A single value is for the rule about fields.
  if (clauses.length < 2) return false;
  return clauses.every((clause) => {
    const match = wholeGivenForm.exec(clause.trim());
    if (match === null) return false;
    const { name, tie, value } = parseGiven(match);
    if (!/^\s*(?:is|are|=|:|defaults? to|is set to|equals)\s*$/i.test(tie)) return false;
    const bindings = findBindingsOf(name, source).filter(
      ({ isTest, parts }) => !isTest && parts.length === splitName(name).length,
    );
    return bindings.length > 0 && bindings.every(({ value: other }) => other === value);
  });
}

const supposedStart =
  /\b(?:if|when|unless|while|until|once|whether|where|whose|although|because|that)\b[^,;]*$/i;

const classifyValue = (value: string): string =>
  value === 'true' || value === 'false' ? 'truth' : /^[+-]?\d/.test(value) ? 'number' : 'text';

const occursElsewhere = (value: string, { segments, known: { text } }: Source): boolean => {
  const form = new RegExp(`(?<![\\p{L}\\p{N}_.])${RegExp.escape(value)}(?![\\p{L}\\p{N}_]|\\.\\d)`, 'iu');
  return segments.some((segment) => form.test(segment.text)) || form.test(text);
};

const multipleForm =
  /\b(?<times>twice|double|thrice|triple|(?:two|three|four|five|six|seven|eight|nine|ten|\d+)(?= times)|half)(?: times)? (?:as (?:many|much|large|long|big) as )?(?:the |its |their |of the )?(?<name>[\p{L}_][\p{L}\p{N}_.-]*(?: [\p{L}_][\p{L}\p{N}_]*)?)/giu;
const factors: Readonly<Record<string, number>> = {
  ...{ half: 0.5, twice: 2, double: 2, two: 2, thrice: 3, triple: 3, three: 3, four: 4, five: 5, six: 6 },
  ...{ seven: 7, eight: 8, nine: 9, ten: 10 },
};

/** The reason against `three times the connections` if the code has `connections * 4`. */
function findOtherMultiple(text: string, { segments }: Source): string | null {
  for (const { groups } of text.matchAll(multipleForm)) {
    const factor = factors[groups!['times']!.toLowerCase()] ?? Number(groups!['times']);
    const bases = splitWords(groups!['name']!)
      .filter(({ text: word }) => !isIdle(word))
      .map(({ base }) => base);
    const found = segments.flatMap(({ isCode, isRecord, text: line }) =>
      !isCode || isRecord
        ? []
        : [
            ...line.matchAll(
              /(?<name>[\p{L}_$][\p{L}\p{N}_$.>-]*)\)?\s*(?<sign>[*/])\s*(?<number>\d+(?:\.\d+)?)(?![\d.])/gu,
            ),
            ...line.matchAll(
              /(?<![\d.])(?<number>\d+(?:\.\d+)?)\s*(?<sign>\*)\s*(?<name>[\p{L}_$][\p{L}\p{N}_$.>-]*)/gu,
            ),
          ].flatMap(({ groups: given }) => {
            const parts = splitName(given!['name']!.split(/[.>]/).at(-1)!).map(toComparable);
            const number = given!['sign'] === '/' ? 1 / Number(given!['number']) : Number(given!['number']);
            return parts.some((part) => bases.includes(part)) && number < 100 ? [number] : [];
          }),
    );
    if (found.length > 0 && !found.includes(factor)) return `the lines have it ${found[0]} times`;
  }
  return null;
}
