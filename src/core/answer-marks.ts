/** The parts of an answer besides words: markers of evidence, fenced blocks, and the fixed notices of the gate. */

/** Follows a sentence that no confirmed citation supports. */
export const unsupportedMark = '[unsupported]';

/** The first line of an answer in which no confirmed citation supports a claim. */
export const unverifiedNotice = 'UNVERIFIED: no claim in this answer is carried by a confirmed citation.';

const cutNoticePattern = /\(Cut to fit: (\d+) more sentences? left out\.\)$/;

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

const mentionId = 'ev-[0-9a-zA-Z]+';
const mentionSeparator = String.raw`(?:\s*[,;、，&]\s*|\s+(?:and\s*)?)`;
/** What may be between two ids. The alternatives begin with different characters, so that a text has one reading only. */
const mentionGap = `(?:\`(?:${mentionSeparator}|and\\s*)?\\^?\`?|${mentionSeparator}\\^?\`?|\\^\`?)?`;
/** `[ev-a]`, `[ev-a, ev-b]`, `(ev-a)`, `【ev-a】`; malformed ids match too, so they are caught. */
const mentionGroup = `[[(【]\\s*\\^?\`?${mentionId}(?:${mentionGap}${mentionId})*\`?\\s*[\\])】]`;

/** `[bl-a]`, the block of a page, as tools and passages show it. */
const blockMarker = '\\[\\s*bl-[0-9a-z]+(?:\\s*[,;]\\s*bl-[0-9a-z]+)*\\s*\\]';
const blockMarkers = new RegExp(`\\s*${blockMarker}`, 'g');

/** Matches, at one place of a text, markers that belong to the sentence before them. */
export const markersAtPosition = new RegExp(
  `(?:\\s{0,3}(?:${mentionGroup}|${blockMarker}|\\[unsupported\\]))+`,
  'y',
);

/** Matches a marker at the end of a text. */
export const endsInMarker = new RegExp(`(?:${mentionGroup}|${blockMarker}|\\[unsupported\\])[ \\t]*$`);

const openingFence = /^\s*(`{3,}|~{3,})/;

/** The fence that opens a code block on this line, such as three backticks; null if there is none. */
export const readOpeningFence = (line: string): string | null => openingFence.exec(line)?.[1] ?? null;

const closingFence = /^\s*(`{3,}|~{3,})[ \t]*(?:[[(【]\s*\^?`?ev-.*|\[unsupported\].*)?$/;

/**
 * Whether a line closes a code block: it repeats the character of the opening fence at least as often. Markers of
 * evidence may follow: models put them there, although Markdown would then not close the block.
 */
export const closesFence = (open: string, line: string): boolean =>
  closingFence.exec(line)?.[1]?.startsWith(open) ?? false;

export interface FencedBlock {
  readonly start: number;
  /** The end of its closing fence, or of the text if it is not closed; exclusive. */
  readonly end: number;
  readonly sign: string;
  readonly isClosed: boolean;
}

export function findFencedBlocks(text: string): readonly FencedBlock[] {
  if (!text.includes('```') && !text.includes('~~~')) return [];
  const blocks: FencedBlock[] = [];
  let open: { readonly start: number; readonly sign: string } | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const end = at + line.length;
    const sign: string | null = open === null ? readOpeningFence(line) : null;
    if (sign !== null) open = { start: at, sign };
    else if (open !== null && closesFence(open.sign, line)) {
      blocks.push({ ...open, end: at + line.lastIndexOf(open.sign) + open.sign.length, isClosed: true });
      open = null;
    }
    at = end + 1;
  }
  return open === null ? blocks : [...blocks, { ...open, end: text.length, isClosed: false }];
}

/** Finds the mentions of an answer, except those in fenced code blocks, which cite nothing. */
export function findMentions(text: string): readonly Mention[] {
  const mentions: Mention[] = [];
  const blocks = findFencedBlocks(text);
  const isQuoted = (at: number): boolean => blocks.some(({ start, end }) => at >= start && at < end);
  for (const match of text.matchAll(new RegExp(`${mentionGroup}|ev-[0-9a-f]{10}`, 'g'))) {
    if (isQuoted(match.index)) continue;
    const ids = [...match[0].matchAll(/ev-[0-9a-zA-Z]+/g)].map(([found]) => found.toLowerCase());
    const end = match.index + match[0].length;
    mentions.push({ start: match.index, end, ids, bare: match[0].startsWith('ev-') });
  }
  return mentions;
}

/** Removes markers and notices from the text of a unit. */
export function removeMarks(text: string): string {
  let plain = '';
  let from = 0;
  for (const mention of findMentions(text)) {
    plain += text.slice(from, mention.start);
    from = mention.end;
  }
  return (plain + text.slice(from))
    .replace(blockMarkers, '')
    .replaceAll(unsupportedMark, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
}

export interface AnswerBody {
  readonly text: string;
  /** Number of sentences that an earlier cut left out. */
  readonly cutSentences: number;
}

/** Removes the notices that an earlier pass of the gate added. */
export function removeNotices(answer: string): AnswerBody {
  const text = answer.toWellFormed().replace(/\r\n?/g, '\n').trim();
  const body = text.startsWith(unverifiedNotice) ? text.slice(unverifiedNotice.length).trim() : text;
  const match = cutNoticePattern.exec(body);
  return match === null
    ? { text: body, cutSentences: 0 }
    : { text: body.slice(0, match.index).trim(), cutSentences: Number(match[1]) };
}

/** Adds the notices that the answer needs. `left`: the number of sentences that were left out. */
export function addNotices(text: string, unverified: boolean, left: number): string {
  return [unverified ? unverifiedNotice : '', text, left > 0 ? cutNotice(left) : '']
    .filter((part) => part !== '')
    .join('\n\n');
}
