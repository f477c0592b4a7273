/** Compares the order of two events in a claim with the order of the lines of code that do them. */

import type { Reading } from '../../claim/reading.ts';
import { computeShare } from '../../lines/clauses.ts';
import { cacheByKey, type Segment, type Source } from '../../lines/source.ts';
import { isInMessage } from '../../lines/statements.ts';
import { findSignWords, hasMeaning, splitWords, toComparable, type Word } from '../../words/words.ts';
import { type EventSupport, findEventSupport } from '../support/event.ts';

interface OrderVerdict {
  readonly isSo: boolean;
  /** Whether the lines contain all that the claim says about both events, not only their order. */
  readonly isWhole: boolean;
  readonly why: string;
}

const orderInMiddle =
  /^(?<one>.+?),?\s(?<word>before|after)\s(?!(?:that|this|all|the (?:first|last|next))\b)(?<two>.+)$/iu;
const orderInFront = /^(?<word>before|after)\s(?<two>[^,]+?),\s(?<one>.+)$/iu;
const firstThen = /^(?<one>.*?\bfirst\b.+?),?\s(?:and\s)?(?:only\s)?then\s(?<two>.+)$/iu;

/** A leading clause that only states a condition, and says nothing about the order. */
const leadingCondition = /^(?:if|when|whenever|with|for|while|in case)\s[^,]*,\s/i;

/**
 * Null if the claim states no order, if it is not clear which lines its events are, or if a branch or loop is between
 * them.
 */
export function checkCodeOrder({ text }: Reading, source: Source): OrderVerdict | null {
  const said = text.replace(/[.]\s*$/, '').replace(leadingCondition, '');
  const match = firstThen.exec(said) ?? orderInFront.exec(said) ?? orderInMiddle.exec(said);
  if (match === null) return null;
  const { one = '', two = '', word = 'before' } = match.groups!;
  if (/\b(?:before|after|until|unless|not|never|without|times)\b|\d/i.test(`${one} ${two}`)) return null;
  const region = findRegion(text, source);
  const [firstWords, secondWords] = [
    findKnownWords(one, region, source),
    findKnownWords(two, region, source),
  ];
  const [{ lines: first, carried }, { lines: second, carried: alsoCarried }] = [
    findEvent(one, firstWords, secondWords, region, source),
    findEvent(two, secondWords, firstWords, region, source),
  ];
  if (carried === null || alsoCarried === null) return null;
  if (first.length === 0 || second.length === 0) return null;
  const isBefore = Math.max(...first) < Math.min(...second);
  if (!isBefore && Math.max(...second) >= Math.min(...first)) return null;
  if (!isStraight([...first, ...second], source)) return null;
  const isSo = (word.toLowerCase() === 'before') === isBefore;
  const line = source.segments[isBefore ? first[0]! : second[0]!]!.text.trim().slice(0, 60);
  return {
    isSo,
    isWhole: carried === 'all' && alsoCarried === 'all',
    why: `the lines have them in ${isSo ? 'this' : 'the other'} order, first: ${line}`,
  };
}

/** The lines of an event, and how much of it they contain. If it names a function, they are the lines that call it. */
function findEvent(
  event: string,
  words: readonly Word[],
  others: readonly Word[],
  region: Region,
  source: Source,
): { readonly lines: readonly number[]; readonly carried: EventSupport } {
  const callLines = findCallLines(event, region, source);
  if (callLines !== null)
    return {
      lines: callLines,
      carried: completionForm.test(event) ? 'all' : (findEventSupport(event, callLines, source) ?? 'verb'),
    };
  const ownWords = words.filter(({ base }) => !others.some((it) => it.base === base));
  const lines = findBestLines(ownWords, region, source);
  return { lines, carried: findEventSupport(event, lines, source) };
}

/** An event that says only that a named function has finished. */
const completionForm =
  /^[`"']?[\p{L}\p{N}_$.]+(?:\([^)]*\))?[`"']?\s(?:returns|finishes|ends|completes|is done)$/u;

interface Region {
  /** The indexes of its lines of code, without the heads of definitions. */
  readonly body: readonly number[];
  /** The name of the definition that the claim names, null if none; and the stems of its parts. */
  readonly definition: string | null;
  readonly names: ReadonlySet<string>;
}

/** The body of the definition that the claim names, or all lines. */
function findRegion(text: string, { segments, names }: Source): Region {
  const bodyIn = (from: number, end: number): readonly number[] =>
    segments.flatMap(({ isCode, isRecord, text: line }, at) =>
      at >= from && at <= end && isCode && !isRecord && !isDefinitionHead(line) ? [at] : [],
    );
  for (const [name] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu))
    for (const at of names.get(name) ?? []) {
      const { scopeEnd, text: line, isCode } = segments[at]!;
      if (isCode && scopeEnd !== null && isDefinitionHead(line) && /[_\p{Lu}]/u.test(name))
        return {
          body: bodyIn(at + 1, scopeEnd),
          definition: name,
          names: new Set(splitWords(name).map(({ base }) => base)),
        };
    }
  return { body: bodyIn(0, segments.length), definition: null, names: new Set() };
}

/** The words of an event that the region contains; those of the definition's name only if there are no others. */
const findKnownWords = (text: string, { body, names }: Region, { segments }: Source): readonly Word[] => {
  const knownWords = splitWords(text).filter(
    (word) => hasMeaning(word) && body.some((at) => listBases(segments[at]!).has(word.base)),
  );
  const wordsOutsideName = knownWords.filter(({ base }) => !names.has(base));
  return wordsOutsideName.length > 0 ? wordsOutsideName : knownWords;
};

/** The stems of a line, without words in messages. Of words for signs, only `return` and `raise`: others fit any line. */
const listBases = cacheByKey(({ words, text }: Segment): ReadonlySet<string> => {
  return new Set([
    ...words.filter(({ at }) => !isInMessage(text, at)).map(({ base }) => base),
    ...findSignWords(text).filter((word) => endingSigns.includes(word)),
  ]);
});

const endingSigns = ['return', 'raise'].map(toComparable);

/** The lines that call a function which the event names: `after aeMain returns`. Null if no line does. */
function findCallLines(
  text: string,
  { body, definition }: Region,
  { segments }: Source,
): readonly number[] | null {
  for (const { 1: name = '', 2: call } of text.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)(\()?/gu)) {
    if (call === undefined && !/_|\p{Ll}\p{Lu}/u.test(name)) continue;
    if (name === definition) continue;
    const callForm = new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(name)}\\(`, 'u');
    const found = body.filter((at) => callForm.test(segments[at]!.text));
    if (found.length > 0) return found.length > maxLines ? [] : found;
  }
  return null;
}

/** The best line of an event must contain `minFit` of its words, by weight. Lines within `minLead` count as equal. */
const minFit = 0.5;
const minLead = 0.1;
const maxLines = 2;

/** The lines of code that contain most words of an event; none if more than `maxLines` do. */
function findBestLines(words: readonly Word[], { body }: Region, source: Source): readonly number[] {
  if (words.length === 0) return [];
  const fits = body.map((at) => ({ at, fit: computeShare(words, listBases(source.segments[at]!), source) }));
  const best = Math.max(0, ...fits.map(({ fit }) => fit));
  const found = fits.filter(({ fit }) => fit > best - minLead).map(({ at }) => at);
  return best < minFit || found.length > maxLines ? [] : found;
}

const isDefinitionHead = (text: string): boolean =>
  /^\s*(?:(?:export|default|public|private|static|async|pub|const)\s+)*(?:def|func|function|fn|class|interface|type|struct|impl)\b|^\S[^=;]*\)\s*(?:->[^{]*)?[{:]\s*$|=>\s*\{?\s*$|=\s*(?:async\s*)?\(\s*$/u.test(
    text,
  );

const branchingForm =
  /^\s*(?:\}\s*)?(?:else|elif|elsif|case|default|except|catch|rescue|finally|defer|for|while|loop|foreach)\b|=>|\.then\(|\bdefer\b/;
/** Calls whose work is done later or in another order: timers, listeners, queues, stacks. */
const deferringCall =
  /\b(?:set(?:Timeout|Interval|Immediate)|(?:on|once|push|submit|spawn|\w*(?:schedule|enqueue|later|tick|atexit|callback|listener|subscribe)\w*)\(|trap\s)/i;

/** Whether one line is reached after the other: no branch, loop or later call is between them. */
function isStraight(lines: readonly number[], { segments }: Source): boolean {
  const [from, to] = [Math.min(...lines), Math.max(...lines)];
  return (
    segments.slice(from, to + 1).every(({ source }) => source === segments[from]!.source) &&
    !segments.slice(from, to + 1).some(({ text, isCode }) => isCode && branchingForm.test(text)) &&
    !lines.some((at) => deferringCall.test(segments[at]!.text))
  );
}
