/**
 * Whether lines of code do what a part of a claim says is done. A line that has the words around a verb, but not the verb,
 * may do anything with them: `readCache(dir)` does not say that the directory is deleted.
 */

import type { Reading } from '../../claim/reading.ts';
import { lastPart } from '../../claim/terms.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { isInMessage } from '../../lines/statements.ts';
import { comparable, isLight, partsOf, signWords, stem, type Word, wordsIn } from '../../words/words.ts';

/** `all`: one line holds every word. `deed`: it holds the verb and half of the other words at least. */
export type EventCarried = 'all' | 'deed' | null;

const subject =
  /^\s*(?:(?:[Aa]nd|[Tt]hen|[Aa]lso|[Ff]irst|[Ii]t|[Tt]his|[Tt]hey|[Tt]he (?:function|method|code|class|constructor|setter|getter))\s+)*(?:(?:[Tt]he\s+)?(?:`[^`]*`|[\p{L}_$][\p{L}\p{N}_$.#]*\(\)|(?=[\p{L}\p{N}$.#]*_|[\p{L}\p{N}$.#]*\p{Ll}\p{Lu})[#\p{L}_$][\p{L}\p{N}_$.#]*)(?:\s+(?:function|method|class))?\s+)?(?:(?:also|then|first|only|always|already|immediately|directly)\s+)*/u;
const passive =
  /\b(?:is|are|was|were|be|been|being|gets?|got)\s+(?:(?:also|then|first|only|already|not|\p{L}+ly)\s+)*(?<verb>\p{L}{2,}(?:ed|en|wn|t|d|ne|un|ut))\b/iu;
const auxiliary = /^(?:is|are|was|were|be|been|being|gets?|has|have|had|does|do|did|can|will|must|may)$/i;
const gerund = /^\s*(?:the\s+)?(?<verb>\p{L}{2,}ing)\b/iu;

interface Deed {
  readonly text: string;
  /** Where the words of an event begin that are not its subject. */
  readonly from: number;
}

/** The verb of an event; null if it can't be told from its other words. */
export function deedOf(event: string): Deed | null {
  const lead = subject.exec(event)?.[0] ?? '';
  const first = /^\p{L}+/u.exec(event.slice(lead.length))?.[0];
  if (lead.trim() !== '' && first !== undefined && !auxiliary.test(first))
    return { text: first, from: lead.length };
  const text = (passive.exec(event) ?? gerund.exec(event))?.groups?.['verb'];
  return text === undefined ? null : { text, from: 0 };
}

/** Verbs that say little elsewhere, but are what is done here. */
const acting =
  /^(?:handl|implement|perform|provid|giv|gave|receiv|keep|kept|tak|took|leav|left|find|found|want|need|tr(?:y|ied)|serv|stay|remain|reach|lead|led|br(?:ing|ought)|carr|appl|put|cover|affect|show|tell|told|report|record|mak|made|get|got|let|goes|went|com(?:es|ing)|h[eo]ld|contain)(?:e|s|es|ed|d|ies|ing|ting|n|en)?$/i;

export function carriedBy(event: string, lines: readonly number[], source: Source): EventCarried {
  const deed = deedOf(event);
  const words = wordsIn(event);
  const firm = words.filter(
    ({ text, at }) =>
      at >= (deed?.from ?? 0) &&
      text.length > 1 &&
      /\p{L}/u.test(text) &&
      (text === deed?.text || acting.test(text) || !isLight(text)),
  );
  if (firm.length === 0) return null;
  let carried: EventCarried = null;
  for (const at of lines) {
    const segment = source.segments[at]!;
    const held = firm.filter((word) => isHeld(word, segment, words));
    if (held.length === firm.length) return 'all';
    if (!held.some(({ text }) => text === deed?.text)) continue;
    // What stands nowhere may be another word for what the line has.
    const others = firm.filter(
      ({ text, base }) => text !== deed?.text && source.segments.some(({ bases }) => bases.has(base)),
    );
    if (others.filter((word) => held.includes(word)).length * 2 >= others.length) carried = 'deed';
  }
  return carried;
}

/**
 * Whether a line does what the claim says is done. What a function is called does not say what its lines do: `// Keep two
 * rows` in `flushRows`.
 */
export function holdsDeed(text: string, at: number, { segments }: Source): boolean {
  const deed = deedOf(text);
  const words = wordsIn(text);
  return words.every((word) => word.text !== deed?.text || isHeld(word, segments[at]!, words));
}

/** Whether the lines have the verb of the claim only as a part of a name that the claim names: `flushRows flushes two rows`. */
export function isDeedOfName(
  { text, terms, figures }: Reading,
  lines: readonly number[],
  { segments }: Source,
): boolean {
  const deed = deedOf(text);
  const base = comparable(deed?.text ?? '');
  const names = terms.filter(
    ({ kind, text: name }) => kind === 'name' && wordsIn(name).some((part) => part.base === base),
  );
  if (deed === null || figures.length === 0 || names.length === 0) return false;
  return !lines.some((at) => {
    const bare = names.reduce(
      (line, { text: name }) => line.replaceAll(lastPart(name), ' '),
      segments[at]!.text,
    );
    return wordsIn(bare).some((word) => word.base === base);
  });
}

/**
 * Whether a sentence of the lines says that the subject of the claim does something else, and has the verb of the claim in
 * another form: that `addCrate` hauls the crates is not said by `addCrate adds a crate to be hauled`.
 */
export function isDeedOfAnother({ text }: Reading, lines: readonly number[], { segments }: Source): boolean {
  const deed = deedOf(text);
  const name = /^\s*`?(?<name>[\p{L}_$][\p{L}\p{N}_$.#]*)/u.exec(text.slice(0, deed?.from ?? 0))?.groups?.[
    'name'
  ];
  if (deed === null || name === undefined || !deed.text.endsWith('s')) return false;
  const verb = new RegExp(`^\\W*${RegExp.escape(lastPart(name))}\\W{1,3}(?<verb>\\p{Ll}+s)\\b`, 'u');
  const base = comparable(deed.text);
  return lines.some((at) => {
    const { isCode, text: line, words } = segments[at]!;
    const own = isCode ? undefined : verb.exec(line)?.groups?.['verb'];
    return (
      own !== undefined &&
      comparable(own) !== base &&
      words.some((word) => word.base === base) &&
      !words.some((word) => word.base === base && word.text.endsWith('s'))
    );
  });
}

/** Words of one group that do different things: what is compared is no condition, and what is computed is not saved. */
const loose = new Set(['set', 'if', 'true', 'false', 'null'].map(comparable));
const alike = [
  'write store save put',
  'set assign',
  'compute calculate',
  'check test verify',
  'print printf println',
].map((group) => new Set(group.split(' ').map(stem)));

/** What is printed stands in a message. */
const spoken = comparable('print');

const callee = /(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^<>()]*>)?\(/gu;
const settingNothing = /=\s*(?:undefined|null|nil|None|false|False|0|""|''|\[\]|\{\})\s*[;,]?\s*$/;

function isHeld({ text, base }: Word, segment: Segment, words: readonly Word[]): boolean {
  if (/^(?:use|uses|used|using)$/i.test(text)) return true;
  const own = stem(text);
  const given = words.some((one) => one.base === spoken)
    ? segment.words
    : segment.words.filter(({ at }) => !isInMessage(segment.text, at));
  const stems = given.map((one) => stem(one.text));
  if (stems.includes(own)) return true;
  if (alike.some((group) => group.has(own) && stems.some((one) => group.has(one)))) return true;
  if (!loose.has(base) && given.some((one) => one.base === base)) return true;
  if (/^(?:sets?|setting|assign(?:s|ed|ing)?)$/i.test(text))
    return /[^=!<>]=(?![=>])/.test(segment.text) && !settingNothing.test(segment.text);
  if (base === comparable('call')) return isCalled(segment, words);
  if (base === comparable('return') || base === comparable('raise') || base === comparable('null'))
    return signWords(segment.text).includes(base);
  return false;
}

/** Whether the line calls what the event names, and not what has a part of its name. */
const isCalled = ({ text }: Segment, words: readonly Word[]): boolean =>
  [...text.matchAll(callee)].some(({ groups }) =>
    partsOf(groups!['name']!).every((part) => words.some(({ base }) => base === comparable(part))),
  );
