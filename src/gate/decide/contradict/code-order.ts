/** Compares the order of two events in a claim with the order of the lines of code that do them. */

import type { Reading } from '../../claim/reading.ts';
import { computeShare } from '../../lines/clauses.ts';
import { cacheByKey, type Segment, type Source } from '../../lines/source.ts';
import { isInMessage } from '../../lines/statements.ts';
import { findSignWords, hasMeaning, splitWords, toComparable, type Word } from '../../words/words.ts';
import { type EventSupport, findEventSupport } from '../support/event.ts';

interface OrderVerdict {
  readonly isSo: boolean;
  /** Whether the lines of both events have all that the claim says of them. */
  readonly isWhole: boolean;
  readonly why: string;
}

const joined =
  /^(?<one>.+?),?\s(?<word>before|after)\s(?!(?:that|this|all|the (?:first|last|next))\b)(?<two>.+)$/iu;
const fronted = /^(?<word>before|after)\s(?<two>[^,]+?),\s(?<one>.+)$/iu;
const steps = /^(?<one>.*?\bfirst\b.+?),?\s(?:and\s)?(?:only\s)?then\s(?<two>.+)$/iu;

/** The case that a claim is about, which says nothing of the order. */
const condition = /^(?:if|when|whenever|with|for|while|in case)\s[^,]*,\s/i;

/**
 * Null if the claim states no order, or if the lines do not tell which of them it means, or do something else there.
 */
export function checkCodeOrder({ text }: Reading, source: Source): OrderVerdict | null {
  const said = text.replace(/[.]\s*$/, '').replace(condition, '');
  const match = steps.exec(said) ?? fronted.exec(said) ?? joined.exec(said);
  if (match === null) return null;
  const { one = '', two = '', word = 'before' } = match.groups!;
  if (/\b(?:before|after|until|unless|not|never|without|times)\b|\d/i.test(`${one} ${two}`)) return null;
  const region = findRegion(text, source);
  const [own, other] = [findKnownWords(one, region, source), findKnownWords(two, region, source)];
  const [{ lines: first, carried }, { lines: second, carried: alsoCarried }] = [
    findEvent(one, own, other, region, source),
    findEvent(two, other, own, region, source),
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

/** The lines of an event, and how much of it they hold; those that call what it names are its lines in any case. */
function findEvent(
  event: string,
  words: readonly Word[],
  others: readonly Word[],
  region: Region,
  source: Source,
): { readonly lines: readonly number[]; readonly carried: EventSupport } {
  const named = findCallLines(event, region, source);
  if (named !== null)
    return {
      lines: named,
      carried: done.test(event) ? 'all' : (findEventSupport(event, named, source) ?? 'verb'),
    };
  const own = words.filter(({ base }) => !others.some((it) => it.base === base));
  const lines = findBestLines(own, region, source);
  return { lines, carried: findEventSupport(event, lines, source) };
}

/** An event that says no more than that a named function is through. */
const done = /^[`"']?[\p{L}\p{N}_$.]+(?:\([^)]*\))?[`"']?\s(?:returns|finishes|ends|completes|is done)$/u;

interface Region {
  /** The lines of code in it, without those that begin a definition. */
  readonly body: readonly number[];
  /** The definition that the claim names, and the words of its name. */
  readonly definition: string | null;
  readonly names: ReadonlySet<string>;
}

/** The body of the definition that the claim names, or all lines. */
function findRegion(text: string, { segments, names }: Source): Region {
  const bodyIn = (from: number, end: number): readonly number[] =>
    segments.flatMap(({ isCode, isRecord, text: line }, at) =>
      at >= from && at <= end && isCode && !isRecord && !isHead(line) ? [at] : [],
    );
  for (const [name] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu))
    for (const at of names.get(name) ?? []) {
      const { scopeEnd, text: line, isCode } = segments[at]!;
      if (isCode && scopeEnd !== null && isHead(line) && /[_\p{Lu}]/u.test(name))
        return {
          body: bodyIn(at + 1, scopeEnd),
          definition: name,
          names: new Set(splitWords(name).map(({ base }) => base)),
        };
    }
  return { body: bodyIn(0, segments.length), definition: null, names: new Set() };
}

/** The words of an event that some line of the region holds. */
const findKnownWords = (text: string, { body, names }: Region, { segments }: Source): readonly Word[] => {
  const held = splitWords(text).filter(
    (word) => hasMeaning(word) && body.some((at) => listBases(segments[at]!).has(word.base)),
  );
  const own = held.filter(({ base }) => !names.has(base));
  return own.length > 0 ? own : held;
};

/** Words for signs would fit any line, except what ends a function. */
const listBases = cacheByKey(({ words, text }: Segment): ReadonlySet<string> => {
  return new Set([
    ...words.filter(({ at }) => !isInMessage(text, at)).map(({ base }) => base),
    ...findSignWords(text).filter((word) => endings.includes(word)),
  ]);
});

const endings = ['return', 'raise'].map(toComparable);

/** The lines that call what an event names: `after aeMain returns`. Null if it names nothing that they have. */
function findCallLines(
  text: string,
  { body, definition }: Region,
  { segments }: Source,
): readonly number[] | null {
  for (const { 1: name = '', 2: call } of text.matchAll(/([\p{L}_$][\p{L}\p{N}_$]*)(\()?/gu)) {
    if (call === undefined && !/_|\p{Ll}\p{Lu}/u.test(name)) continue;
    if (name === definition) continue;
    const form = new RegExp(`(?<![\\p{L}\\p{N}_$])${RegExp.escape(name)}\\(`, 'u');
    const found = body.filter((at) => form.test(segments[at]!.text));
    if (found.length > 0) return found.length > maxLines ? [] : found;
  }
  return null;
}

/** Minimum share, by weight, of an event's words that its line must hold, and by how much it must lead. */
const minFit = 0.5;
const minLead = 0.1;
const maxLines = 2;

/** The lines of code that say most of an event; none if they are many. */
function findBestLines(words: readonly Word[], { body }: Region, source: Source): readonly number[] {
  if (words.length === 0) return [];
  const fits = body.map((at) => ({ at, fit: computeShare(words, listBases(source.segments[at]!), source) }));
  const best = Math.max(0, ...fits.map(({ fit }) => fit));
  const found = fits.filter(({ fit }) => fit > best - minLead).map(({ at }) => at);
  return best < minFit || found.length > maxLines ? [] : found;
}

const isHead = (text: string): boolean =>
  /^\s*(?:(?:export|default|public|private|static|async|pub|const)\s+)*(?:def|func|function|fn|class|interface|type|struct|impl)\b|^\S[^=;]*\)\s*(?:->[^{]*)?[{:]\s*$|=>\s*\{?\s*$|=\s*(?:async\s*)?\(\s*$/u.test(
    text,
  );

const turning =
  /^\s*(?:\}\s*)?(?:else|elif|elsif|case|default|except|catch|rescue|finally|defer|for|while|loop|foreach)\b|=>|\.then\(|\bdefer\b/;
/** What hands something over that is done later, or in another order: a timer, a listener, a queue, a stack. */
const deferring =
  /\b(?:set(?:Timeout|Interval|Immediate)|(?:on|once|push|submit|spawn|\w*(?:schedule|enqueue|later|tick|atexit|callback|listener|subscribe)\w*)\(|trap\s)/i;

/** Whether one line is reached after the other: no branch, loop or later call is between them. */
function isStraight(lines: readonly number[], { segments }: Source): boolean {
  const [from, to] = [Math.min(...lines), Math.max(...lines)];
  return (
    segments.slice(from, to + 1).every(({ source }) => source === segments[from]!.source) &&
    !segments.slice(from, to + 1).some(({ text, isCode }) => isCode && turning.test(text)) &&
    !lines.some((at) => deferring.test(segments[at]!.text))
  );
}
