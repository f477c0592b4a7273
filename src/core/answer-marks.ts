/** The parts of an answer besides words: markers of evidence, fenced blocks, and the fixed notices of the gate. */

/** Follows a sentence that no confirmed citation supports. */
export const unsupportedMark = '[unsupported]';

/** The first line of an answer in which no confirmed citation supports a claim. */
export const unverifiedNotice = 'UNVERIFIED: no claim in this answer is carried by a confirmed citation.';

const cutForm = /\(Cut to fit: (\d+) more sentences? left out\.\)$/;

export function cutNotice(left: number): string {
  return `(Cut to fit: ${left} more ${left === 1 ? 'sentence' : 'sentences'} left out.)`;
}

/** Evidence ids within one pair of brackets, or one id without brackets. Offsets are in the given text. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly ids: readonly string[];
  /** Without brackets. */
  readonly bare: boolean;
}

const id = '\\^?`?ev-[0-9a-zA-Z]+`?';
/** `[ev-a]`, `[ev-a, ev-b]`, `(ev-a)`, `【ev-a】`; malformed ids match too, so they are caught. */
const group = `[[(【]\\s*${id}(?:\\s*(?:[,;、，&]|and)?\\s*${id})*\\s*[\\])】]`;

/** `[bl-a]`, the block of a page, as tools and passages show it. */
const block = '\\[\\s*bl-[0-9a-z]+(?:\\s*[,;]\\s*bl-[0-9a-z]+)*\\s*\\]';
const blocksIn = new RegExp(`\\s*${block}`, 'g');

/** Matches, at one place of a text, markers that belong to the sentence before them. */
export const markersHere = new RegExp(`(?:\\s{0,3}(?:${group}|${block}|\\[unsupported\\]))+`, 'y');

/** Whether a text ends in a marker. */
export const endsInMarker = new RegExp(`(?:${group}|${block}|\\[unsupported\\])[ \\t]*$`);

const fence = /^\s*(`{3,}|~{3,})/;

/** The signs that open a block in this line; null for none. */
export const fenceOf = (line: string): string | null => fence.exec(line)?.[1] ?? null;

const closing = /^\s*(`{3,}|~{3,})[ \t]*(?:[[(【]\s*\^?`?ev-.*|\[unsupported\].*)?$/;

/**
 * Whether a line closes a block: it has only signs of the kind that opened the block, and at least as many. Markers of
 * evidence may follow. Models put them there, though Markdown would not end the block.
 */
export const closesFence = (open: string, line: string): boolean =>
  closing.exec(line)?.[1]?.startsWith(open) ?? false;

export interface FencedBlock {
  readonly start: number;
  /** The end of its closing signs, or of the text; exclusive. */
  readonly end: number;
  readonly sign: string;
  readonly isClosed: boolean;
}

export function fencedBlocks(text: string): readonly FencedBlock[] {
  if (!text.includes('```') && !text.includes('~~~')) return [];
  const blocks: FencedBlock[] = [];
  let open: { readonly start: number; readonly sign: string } | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const end = at + line.length;
    const sign: string | null = open === null ? fenceOf(line) : null;
    if (sign !== null) open = { start: at, sign };
    else if (open !== null && closesFence(open.sign, line)) {
      blocks.push({ ...open, end: at + line.lastIndexOf(open.sign) + open.sign.length, isClosed: true });
      open = null;
    }
    at = end + 1;
  }
  return open === null ? blocks : [...blocks, { ...open, end: text.length, isClosed: false }];
}

/** The mentions in the answer itself, without those in quoted lines, which cite nothing. */
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
    .replace(blocksIn, '')
    .replaceAll(unsupportedMark, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
}

export interface AnswerBody {
  readonly text: string;
  /** Number of sentences that an earlier cut left out. */
  readonly cutSentences: number;
}

/** The answer without the notices of an earlier gate. */
export function withoutNotices(answer: string): AnswerBody {
  const text = answer.toWellFormed().replace(/\r\n?/g, '\n').trim();
  const body = text.startsWith(unverifiedNotice) ? text.slice(unverifiedNotice.length).trim() : text;
  const match = cutForm.exec(body);
  return match === null
    ? { text: body, cutSentences: 0 }
    : { text: body.slice(0, match.index).trim(), cutSentences: Number(match[1]) };
}

/** The answer with the notices it needs. */
export function withNotices(text: string, unverified: boolean, left: number): string {
  return [unverified ? unverifiedNotice : '', text, left > 0 ? cutNotice(left) : '']
    .filter((part) => part !== '')
    .join('\n\n');
}
