/** The verb of a claim, or of a part of it, and the lines that do what it says. */

import { cacheByKey, type Segment } from '../../lines/source.ts';
import { isInMessage } from '../../lines/statements.ts';
import { findSignWords, splitName, splitWords, stem, toComparable, type Word } from '../../words/words.ts';

/** A part of a claim that says what is done. */
export interface ClaimAction {
  /** The verb; null if it can't be distinguished from the other words. */
  readonly verb: string | null;
  /** What is before the verb of an active sentence. */
  readonly subject: string;
  /** The words that are not of its subject. */
  readonly words: readonly Word[];
  /** Names of several parts, of which one may be a verb that says nothing of what is done with them. */
  readonly names: readonly string[];
}

const subject =
  /^\s*(?:(?:[Aa]nd|[Tt]hen|[Aa]lso|[Ff]irst|[Ii]t|[Tt]his|[Tt]hey|[Tt]he (?:function|method|code|class|constructor|setter|getter))\s+)*(?:(?:[Tt]he\s+)?(?:`[^`]*`|[\p{L}_$][\p{L}\p{N}_$.#]*\(\)|(?=[\p{L}\p{N}$.#]*_|[\p{L}\p{N}$.#]*\p{Ll}\p{Lu})[#\p{L}_$][\p{L}\p{N}_$.#]*)(?:\s+(?:function|method|class))?\s+)?(?:(?:also|then|first|only|always|already|immediately|directly)\s+)*/u;
const passive =
  /\b(?:is|are|was|were|be|been|being|gets?|got)\s+(?:(?:also|then|first|only|already|not|\p{L}+ly)\s+)*(?<verb>\p{L}{2,}(?:ed|en|wn|t|d|ne|un|ut))\b/iu;
const auxiliary = /^(?:is|are|was|were|be|been|being|has|have|had|does|do|did|can|will|must|may)$/i;
const gerund = /^\s*(?:the\s+)?(?<verb>\p{L}{2,}ing)\b/iu;
/** `The scheduler runs the tasks`: what is before an article and ends in `s` is a verb. */
const beforeObject =
  /^(?:(?:The|An?|Each|Every)\s+)?\p{L}+\s+(?=(?!(?:is|was|has|does)\b)(?<verb>\p{Ll}+s)\s+(?:the|an?|its|their|all|each|every|no|any)\b)/u;

/** Verbs that say little elsewhere, but are what is done here. */
export const acting =
  /^(?:handl|implement|perform|provid|giv|gave|receiv|keep|kept|tak|took|leav|left|find|found|want|need|tr(?:y|ied)|serv|stay|remain|reach|lead|led|br(?:ing|ought)|carr|appl|put|cover|affect|show|tell|told|report|record|mak|made|get|got|let|goes|went|com(?:es|ing)|h[eo]ld|contain)(?:e|s|es|ed|d|ies|ing|ting|n|en)?$/i;

export const parseAction = (text: string): ClaimAction => {
  const { verb, from } = findVerb(text);
  return {
    verb,
    subject: text.slice(0, from),
    words: splitWords(text).filter(({ at }) => at >= from),
    names: (text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter((name) => /_|\p{Ll}\p{Lu}/u.test(name)),
  };
};

function findVerb(text: string): { readonly verb: string | null; readonly from: number } {
  const from = subject.exec(text)?.[0].length ?? 0;
  const first = /^\p{L}+/u.exec(text.slice(from))?.[0] ?? '';
  const undergone = passive.exec(text)?.groups?.['verb'];
  const isGetting = /^gets?$/.test(first) && undergone !== undefined;
  if (text.slice(0, from).trim() !== '' && first !== '' && !auxiliary.test(first) && !isGetting)
    return { verb: first, from };
  const object = beforeObject.exec(text);
  if (object !== null) return { verb: object.groups!['verb']!, from: object[0].length };
  return { verb: undergone ?? gerund.exec(text)?.groups?.['verb'] ?? null, from: 0 };
}

/** Words of one group that do different things: what is compared is no condition, and what is computed is not saved. */
const loose = new Set(['set', 'if', 'true', 'false', 'null', 'length'].map(toComparable));
const alike = [
  'write store save put',
  'set assign',
  'compute calculate',
  'check test verify',
  'print printf println',
].map((group) => new Set(group.split(' ').map(stem)));

/** Printed text is in a message. */
const spoken = toComparable('print');

const callee = /(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^<>()]*>)?\(/gu;
const settingNothing = /=\s*(?:undefined|null|nil|None|false|False|0|""|''|\[\]|\{\})\s*[;,]?\s*$/;

const keywords =
  /\b(?:return|yield|raise|throw|panic|delete|del|await|assert|break|continue|new|import|export|goto|defer|go|print|echo)\b/g;

/** Names that a line of code calls, and not those that it defines or makes an object of. */
const findCallees = cacheByKey(({ text }: Segment): readonly string[] =>
  /^\s*(?:(?:export|default|public|private|protected|static|async|pub(?:\([^)]*\))?)\s+)*(?:def|func|function|fn|class)\b/.test(
    text,
  )
    ? []
    : [...text.matchAll(callee)].map(({ groups }) => groups!['name']!),
);

/** Verbs of what lines use and say: no line does them. */
const nothingDone = /^(?:us(?:es?|ed|ing)|sa(?:ys?|id))$/i;

/** Whether a line of code, or a sentence, does what the verb says. A variable, an option or a constant does nothing. */
export function isDone({ verb, words, names }: ClaimAction, segment: Segment): boolean {
  const word = words.find(({ text }) => text === verb);
  if (word === undefined || nothingDone.test(word.text)) return true;
  if (!segment.isCode || segment.isRecord || isDocstring.test(segment.text))
    return isIn(word, listPossibleVerbs(segment, word)) || isBySign(word, segment, words);
  const doers = findCallees(segment)
    .filter((name) => !names.includes(name))
    .flatMap(splitName);
  return isIn(word, [...doers, ...(segment.text.match(keywords) ?? [])]) || isBySign(word, segment, words);
}

/** A line of words alone, in a text that begins on another line. */
const isDocstring = /^\s*\p{L}[^=(){}[\];<>]*$/u;

/** Words of a sentence that may be its verbs: `lock` in `Release lock by deleting key` is none. */
const listPossibleVerbs = ({ words, text }: Segment, { text: verb }: Word): readonly string[] =>
  words
    .filter(
      ({ text: one, at }, index) =>
        !verb.endsWith('s') ||
        index === 0 ||
        /(?:s|d|ing|en|t|n)$/.test(one) ||
        /\b(?:will|can|must|may|should|and|or|then|also|only|just|it|we|you|they)\s+$/i.test(
          text.slice(0, at),
        ),
    )
    .map((one) => one.text);

/** Whether a line has a word of a claim. */
export const containsClaimWord = (word: Word, segment: Segment, words: readonly Word[]): boolean =>
  isIn(
    word,
    segment.words
      .filter(({ at }) => words.some(({ base }) => base === spoken) || !isInMessage(segment.text, at))
      .map(({ text }) => text),
  ) || isBySign(word, segment, words);

function isIn({ text, base }: Word, given: readonly string[]): boolean {
  const own = stem(text);
  return given.some((one) => {
    const other = stem(one);
    return (
      other === own ||
      alike.some((group) => group.has(own) && group.has(other)) ||
      (!loose.has(base) && toComparable(one) === base)
    );
  });
}

function isBySign({ text, base }: Word, segment: Segment, words: readonly Word[]): boolean {
  if (/^increment/i.test(text)) return /\+=|\+\+|\+ 1\b/.test(segment.text);
  if (/^decrement/i.test(text)) return /-=|--|- 1\b/.test(segment.text);
  if (/^(?:sets?|setting|assign(?:s|ed|ing)?)$/i.test(text))
    return /[^=!<>]=(?![=>])/.test(segment.text) && !settingNothing.test(segment.text);
  // What is called is what the claim names, and not what has a part of its name.
  if (base === toComparable('call'))
    return findCallees(segment).some(
      (name) =>
        (/^call/i.test(text) || !/^\p{Lu}/u.test(name)) &&
        splitName(name).every((part) => words.some((one) => one.base === toComparable(part))),
    );
  return ending.includes(base) && findSignWords(segment.text).includes(base);
}
const ending = ['return', 'raise', 'null'].map(toComparable);
