/**
 * Finds the ends of sentences, in many languages. A full stop ends a sentence only before white space, so that paths
 * (`a.b.c`) and versions (1.2.3) stay whole. A full stop of an abbreviation does not end one. Markers after a full stop
 * belong to the sentence before. In doubt the text is split: a citation must not support more than its own sentence.
 */
import { markersAtPosition } from '../answer-marks.ts';
import { type CodeSpan, isWithin } from './code-spans.ts';

/** Abbreviations that never end a sentence. */
const abbreviation =
  /(?:^|[\s([{"'“‘])(?:e\.\s?g|i\.\s?e|vs|cf|mrs?|dr|prof|approx|incl|excl|resp|esp|et al|ca|z\.\s?b|d\.\s?h|bzw|vgl|ggf|evtl|p\. ex)$/i;
/**
 * Abbreviations that do not end a sentence before a word in lower case: shortened words, and letters with a full stop
 * each (`a.k.a.`).
 */
const openAbbreviation =
  /(?:^|[\s([{"'“‘])(?:etc|usw|inc|dept|www|corp|ltd|jr|sr|pct|hrs?|mins|secs|avg|min|max|std|viz|bspw|inkl|exkl|bzgl|zzgl|mio|mrd|tsd|(?:\p{L}\.)+\p{L})$/iu;
/** Abbreviations that do not end a sentence before a number. */
const beforeNumber =
  /(?:^|[\s([{"'“‘])(?:nos?|nr|figs?|eq|p|pp|vol|sec|ch|art|rev|ver|abs|kap|jan|feb|apr|aug|sept?|oct|nov|dec)$/i;
/** An ordinal number as German and others write it: `am 3. Mai`, `der 2. Tag`. */
const ordinal =
  /(?:^|\s)(?:der|die|das|den|dem|des|am|im|vom|zum|zur|ab|bis|seit|jede[mnrs]?|eine?[mnrs]?)\s\d{1,2}$/i;
const month =
  /^\s+(?:jan|feb|fév|mär|mar|apr|avr|mai|maj|mei|jun|jui|jul|lip|aug|aoû|sep|wrz|okt|oct|nov|lis|dez|dec|déc|gru|stycz|lut|kwi|cze|sier|paź|led|únor|břez|dub|květ|červ|srp|září|říj|pros)\p{L}*/iu;
/** An abbreviated million or billion, after which a currency continues the sentence. */
const million = /\d\s?(?:mio|mrd|tsd)$/i;
const currency = /^\s+(?:euros?|eur|usd|chf|dollars?|franken|pfund|kronen|€|\$)/i;
/**
 * A plain word, unlike a name in code (`clearCache`, `drop_all()`, `os.remove`), which may begin a sentence in lower
 * case.
 */
const lowerCaseWord = /^\s+[([{"'“‘]*\p{Ll}+(?![\p{L}\p{N}_(/:]|\.\S)/u;
const quotesClosed = /^["'”’»」』]/;
const closers = /["'”’»」』）)\]}*_]*/y;
/** Characters that end a sentence, whatever follows. */
const fullWidthEnd = /[。！？｡।۔؟።]/u;
const ordinaryEnd = /[.!?…]/;

export function findSentenceEnds(text: string, spans: readonly CodeSpan[]): readonly number[] {
  const ends: number[] = [];
  let sentenceStart = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (!(fullWidthEnd.test(character) || ordinaryEnd.test(character)) || isWithin(spans, at)) continue;
    let stop = at + 1;
    while (stop < text.length && (ordinaryEnd.test(text[stop]!) || fullWidthEnd.test(text[stop]!))) stop += 1;
    const closed = skip(closers, text, stop);
    const end = skipMarkers(text, closed);
    const isEnd = fullWidthEnd.test(character)
      ? true
      : (end > closed || end === text.length || /\s/.test(text[end]!)) &&
        !isInsideSentence(text, sentenceStart, at, stop, closed);
    if (isEnd) {
      ends.push(end);
      sentenceStart = end;
    }
    at = Math.max(at, (isEnd ? end : stop) - 1);
  }
  return ends;
}

/** The end of the markers at a place, unless the sentence goes on after them: `. [ev-…] shows that`. */
function skipMarkers(text: string, place: number): number {
  const end = skip(markersAtPosition, text, place);
  if (end === place) return place;
  const after = /^[ \t]*\n?[ \t]*(\p{Ll})/u.test(text.slice(end, end + 20));
  const isOwnMark = text.slice(place, end).includes('[unsupported]');
  if (after && !isOwnMark && /^\s/.test(text.slice(place, end))) return place;
  const stop = /^[.。]/.test(text.slice(end)) ? end + 1 : end;
  return stop;
}

function isInsideSentence(
  text: string,
  sentenceStart: number,
  at: number,
  stop: number,
  closed: number,
): boolean {
  const before = text.slice(Math.max(sentenceStart, at - 16), at).trimStart();
  const afterMarkers = skip(markersAtPosition, text, closed);
  const next = /^\s+(\S)/u.exec(text.slice(afterMarkers, afterMarkers + 64))?.[1] ?? '';
  const isLowerCase = /\p{Ll}/u.test(next);
  const continuesInLowerCase = lowerCaseWord.test(text.slice(afterMarkers, afterMarkers + 64));
  // `a ? b : c`, `x != y`: an operator has a space before it.
  if (text[at] !== '.' && /\s/.test(text[at - 1] ?? '')) return true;
  // A quoted sentence has its own full stop: `It says "Gone." and ends`.
  if (
    continuesInLowerCase &&
    quotesClosed.test(text.slice(stop, closed)) &&
    !opensWithQuote(text, sentenceStart, at)
  )
    return true;
  if (stop - at > 1) return isLowerCase && text[at] !== '!' && text[at] !== '?';
  if (text[at] === '…') return isLowerCase;
  if (text[at] !== '.') return false;
  // The number of an item in a running list: `1. first 2. second`.
  if (/^\d{1,2}$/.test(before)) return true;
  // `z. B.`, `i. e.`: one letter, and another.
  if (/(?:^|[\s(])\p{L}$/u.test(before) && /^\s\p{L}\./u.test(text.slice(stop, stop + 3))) return true;
  const following = text.slice(afterMarkers, afterMarkers + 64);
  if (/(?<!\d)\d{1,2}$/.test(before) && (ordinal.test(before) || month.test(following))) return true;
  if (million.test(before) && currency.test(following)) return true;
  if (abbreviation.test(before)) return true;
  if (openAbbreviation.test(before)) return continuesInLowerCase;
  return beforeNumber.test(before) && /\d/.test(next);
}

/** Whether the sentence began with a quotation mark: the full stop inside may be its own. */
function opensWithQuote(text: string, sentenceStart: number, at: number): boolean {
  return /^\s*["'“‘«„「『]/.test(text.slice(sentenceStart, at));
}

function skip(pattern: RegExp, text: string, place: number): number {
  pattern.lastIndex = place;
  const match = pattern.exec(text);
  return match === null ? place : place + match[0].length;
}
