/** Finds the verb of a claim, or of a part of it, and whether a line does what the verb says. */

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
  /** Names of several parts. A verb in such a name does not say that this is done. */
  readonly names: readonly string[];
}

const subjectForm =
  /^\s*(?:(?:[Aa]nd|[Tt]hen|[Aa]lso|[Ff]irst|[Ii]t|[Tt]his|[Tt]hey|[Tt]he (?:function|method|code|class|constructor|setter|getter))\s+)*(?:(?:[Tt]he\s+)?(?:`[^`]*`|[\p{L}_$][\p{L}\p{N}_$.#]*\(\)|(?=[\p{L}\p{N}$.#]*_|[\p{L}\p{N}$.#]*\p{Ll}\p{Lu})[#\p{L}_$][\p{L}\p{N}_$.#]*)(?:\s+(?:function|method|class))?\s+)?(?:(?:also|then|first|only|always|already|immediately|directly)\s+)*/u;
const passiveForm =
  /\b(?:is|are|was|were|be|been|being|gets?|got)\s+(?:(?:also|then|first|only|already|not|\p{L}+ly)\s+)*(?<verb>\p{L}{2,}(?:ed|en|wn|t|d|ne|un|ut))\b/iu;
const auxiliaryVerb = /^(?:is|are|was|were|be|been|being|has|have|had|does|do|did|can|will|must|may)$/i;
const gerundForm = /^\s*(?:the\s+)?(?<verb>\p{L}{2,}ing)\b/iu;
/** `The scheduler runs the tasks`: what is before an article and ends in `s` is a verb. */
const beforeObject =
  /^(?:(?:The|An?|Each|Every)\s+)?\p{L}+\s+(?=(?!(?:is|was|has|does)\b)(?<verb>\p{Ll}+s)\s+(?:the|an?|its|their|all|each|every|no|any)\b)/u;

/** Verbs that are too common to count elsewhere, but state the action of a claim. */
export const actingVerb =
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
  const from = subjectForm.exec(text)?.[0].length ?? 0;
  const first = /^\p{L}+/u.exec(text.slice(from))?.[0] ?? '';
  const passiveVerb = passiveForm.exec(text)?.groups?.['verb'];
  const isGetting = /^gets?$/.test(first) && passiveVerb !== undefined;
  if (text.slice(0, from).trim() !== '' && first !== '' && !auxiliaryVerb.test(first) && !isGetting)
    return { verb: first, from };
  const object = beforeObject.exec(text);
  if (object !== null) return { verb: object.groups!['verb']!, from: object[0].length };
  return { verb: passiveVerb ?? gerundForm.exec(text)?.groups?.['verb'] ?? null, from: 0 };
}

/** Words that `toComparable` groups with others that do something else, so that a line needs the word itself. */
const looseVerbs = new Set(['set', 'if', 'true', 'false', 'null', 'length'].map(toComparable));
const verbGroups = [
  'write store save put',
  'set assign',
  'compute calculate',
  'check test verify',
  'print printf println',
].map((group) => new Set(group.split(' ').map(stem)));

/** If the claim says `print`, words in messages count too. */
const printVerb = toComparable('print');

const calleeForm = /(?<name>[\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^<>()]*>)?\(/gu;
const clearingForm = /=\s*(?:undefined|null|nil|None|false|False|0|""|''|\[\]|\{\})\s*[;,]?\s*$/;

const keywordForm =
  /\b(?:return|yield|raise|throw|panic|delete|del|await|assert|break|continue|new|import|export|goto|defer|go|print|echo)\b/g;

/** Names that a line of code calls; none for the head of a definition. */
const findCallees = cacheByKey(({ text }: Segment): readonly string[] =>
  /^\s*(?:(?:export|default|public|private|protected|static|async|pub(?:\([^)]*\))?)\s+)*(?:def|func|function|fn|class)\b/.test(
    text,
  )
    ? []
    : [...text.matchAll(calleeForm)].map(({ groups }) => groups!['name']!),
);

/** `uses` and `says`: no line does this by a call. */
const nonActionVerb = /^(?:us(?:es?|ed|ing)|sa(?:ys?|id))$/i;

/** Whether a line of code, or a sentence, does what the verb says. A variable, an option or a constant does nothing. */
export function doesVerb({ verb, words, names }: ClaimAction, segment: Segment): boolean {
  const word = words.find(({ text }) => text === verb);
  if (word === undefined || nonActionVerb.test(word.text)) return true;
  if (!segment.isCode || segment.isRecord || docstringLine.test(segment.text))
    return containsWord(word, listPossibleVerbs(segment, word)) || isShownBySign(word, segment, words);
  const doers = findCallees(segment)
    .filter((name) => !names.includes(name))
    .flatMap(splitName);
  return (
    containsWord(word, [...doers, ...(segment.text.match(keywordForm) ?? [])]) ||
    isShownBySign(word, segment, words)
  );
}

/** A line of words alone, in a text that begins on another line. */
const docstringLine = /^\s*\p{L}[^=(){}[\];<>]*$/u;

/** Words of a sentence that may be verbs: `lock` in `Release lock by deleting key` is not. */
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
  containsWord(
    word,
    segment.words
      .filter(({ at }) => words.some(({ base }) => base === printVerb) || !isInMessage(segment.text, at))
      .map(({ text }) => text),
  ) || isShownBySign(word, segment, words);

function containsWord({ text, base }: Word, given: readonly string[]): boolean {
  const wordStem = stem(text);
  return given.some((one) => {
    const other = stem(one);
    return (
      other === wordStem ||
      verbGroups.some((group) => group.has(wordStem) && group.has(other)) ||
      (!looseVerbs.has(base) && toComparable(one) === base)
    );
  });
}

function isShownBySign({ text, base }: Word, segment: Segment, words: readonly Word[]): boolean {
  if (/^increment/i.test(text)) return /\+=|\+\+|\+ 1\b/.test(segment.text);
  if (/^decrement/i.test(text)) return /-=|--|- 1\b/.test(segment.text);
  if (/^(?:sets?|setting|assign(?:s|ed|ing)?)$/i.test(text))
    return /[^=!<>]=(?![=>])/.test(segment.text) && !clearingForm.test(segment.text);
  // `calls x` needs a call whose name consists only of words of the claim.
  if (base === toComparable('call'))
    return findCallees(segment).some(
      (name) =>
        (/^call/i.test(text) || !/^\p{Lu}/u.test(name)) &&
        splitName(name).every((part) => words.some((one) => one.base === toComparable(part))),
    );
  return endingBases.includes(base) && findSignWords(segment.text).includes(base);
}
const endingBases = ['return', 'raise', 'null'].map(toComparable);
