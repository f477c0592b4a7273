/** What an answer holds besides words: markers of evidence, and the fixed notices of the gate. */

import { fencedBlocks } from './text/fences.ts';

/** Follows a sentence that no confirmed citation supports. */
export const unsupportedMark = '[unsupported]';

/** The first line of an answer that no confirmed citation carries. */
export const unverifiedNotice = 'UNVERIFIED: no claim in this answer is carried by a confirmed citation.';

const cutForm = /\(Cut to fit: (\d+) more sentences? left out\.\)$/;

export function cutNotice(left: number): string {
  return `(Cut to fit: ${left} more ${left === 1 ? 'sentence' : 'sentences'} left out.)`;
}

/** Evidence ids within one pair of brackets, or one id without brackets. Offsets are into the given text. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly ids: readonly string[];
  readonly bare: boolean;
}

const id = '\\^?`?ev-[0-9a-zA-Z]+`?';
/** `[ev-a]`, `[ev-a, ev-b]`, `(ev-a)`, `【ev-a】`; malformed ids match too, so they are caught. */
const group = `[[(【]\\s*${id}(?:\\s*(?:[,;、，&]|and)?\\s*${id})*\\s*[\\])】]`;

/** At a place of a text: markers that belong to the sentence before them. */
export const markersHere = new RegExp(`(?:\\s{0,3}(?:${group}|\\[unsupported\\]))+`, 'y');

/** Whether a text ends in a marker. */
export const endsInMarker = new RegExp(`(?:${group}|\\[unsupported\\])[ \\t]*$`);

/** Those of the answer itself: what quoted lines hold of that form cites nothing. */
export function mentionsIn(text: string): readonly Mention[] {
  const mentions: Mention[] = [];
  const blocks = fencedBlocks(text);
  const isQuoted = (at: number): boolean => blocks.some(({ start, end }) => at >= start && at < end);
  for (const match of text.matchAll(new RegExp(`${group}|ev-[0-9a-f]{10}`, 'g'))) {
    if (isQuoted(match.index)) continue;
    const ids = [...match[0].matchAll(/ev-[0-9a-zA-Z]+/g)].map(([found]) => found.toLowerCase());
    const end = match.index + match[0].length;
    mentions.push({ start: match.index, end, ids, bare: match[0].startsWith('ev-') });
  }
  return mentions;
}

/** The words of a unit, without markers and notices. */
export function withoutMarks(text: string): string {
  let plain = '';
  let from = 0;
  for (const mention of mentionsIn(text)) {
    plain += text.slice(from, mention.start);
    from = mention.end;
  }
  return (plain + text.slice(from))
    .replaceAll(unsupportedMark, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
}

export interface Bare {
  readonly text: string;
  /** Sentences that an earlier cut left out. */
  readonly left: number;
}

/** The answer without the notices of an earlier gate. */
export function withoutNotices(answer: string): Bare {
  const text = answer.toWellFormed().replace(/\r\n?/g, '\n').trim();
  const body = text.startsWith(unverifiedNotice) ? text.slice(unverifiedNotice.length).trim() : text;
  const cut = cutForm.exec(body);
  return cut === null
    ? { text: body, left: 0 }
    : { text: body.slice(0, cut.index).trim(), left: Number(cut[1]) };
}

/** The answer with the notices it needs. */
export function withNotices(text: string, unverified: boolean, left: number): string {
  return [unverified ? unverifiedNotice : '', text, left > 0 ? cutNotice(left) : '']
    .filter((part) => part !== '')
    .join('\n\n');
}
