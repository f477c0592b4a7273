/**
 * Checks a claim that gives a name a value: whether the lines give the name that value, and whether the claim says no
 * more.
 */

import type { TextSpan } from '../../../core/index.ts';
import type { Figure } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import { isSameMoment, type Moment } from '../../claim/times.ts';
import { type Field, findFields, isCommentedOut, isCommonInNames } from '../../lines/find-fields.ts';
import type { Segment, Source } from '../../lines/source.ts';
import { normalizeUnicode } from '../../words/normal.ts';
import { findDenials, findTurns, isMultiple } from '../../words/turns.ts';
import { isIdle, splitWords, toComparable, type Word } from '../../words/words.ts';
import { isLogged } from './place.ts';

/** Verbs that only say that something has a value. */
const linkingWord =
  /^(?:is|are|was|were|be|been|being|equals?|equalled|has|have|had|gets?|got|uses?|used|takes?|took|taken|lasts?|lasted|carries|holds?|held|shows?|shown|reads?|gives?|given|stands?|stood|amounts?|comes?|came|defaults?|sets?|listens?|listed|runs?|allows?|allowed|limited|limits?|capped|fixed|configured|defined|declared|recorded|records?|reports?|reported|stays?|remains?|assigned|initialized|initialised|specified|named|called|as|with|value|values|setting|option|default|parameter|constant|field|variable|key|entry|number|amount|size|exactly|currently|explicitly|by|there|config|configuration|file)$/i;
const lastingVerb = /^(?:takes?|took|taken|lasts?|lasted|needed|needs)$/i;
const lengthBases = ['time', 'duration', 'elapsed', 'length', 'latency', 'lag', 'took'].map(toComparable);

const switchValues: readonly (readonly [said: RegExp, given: RegExp])[] = [
  [/^(?:enabled|on|true|active|activated|yes)$/i, /^["']?(?:true|yes|on|enabled?|1)["']?$/i],
  [/^(?:disabled|off|false|inactive|deactivated|no)$/i, /^["']?(?:false|no|off|disabled?|0)["']?$/i],
];

/**
 * shown: one of the lines assigns the claimed value to the name, and none assigns another. doubt: the claim says that a
 * name has a value, but the lines of code that contain the value do not say so. Null for any other claim.
 */
export function decideField(reading: Reading, source: Source): 'shown' | 'doubt' | null {
  const { text, terms } = reading;
  const turns = findTurns(text.replace(/\b(?:never|not) set\b/gi, ''));
  if (turns.negation || turns.quantifier || turns.modal || turns.cause || turns.proposal) return null;
  if (findDenials(text).length > 0 || isCompared(text) || isMultiple(text)) return null;
  const saidValue = findClaimedValue(reading);
  if (saidValue === null) return null;
  const paths = terms.filter(({ kind }) => kind === 'path');
  const isInValueOrPath = (at: number): boolean =>
    (at >= saidValue.start && at < saidValue.end) || paths.some((path) => at >= path.start && at < path.end);
  const claimWords = splitWords(text).filter((word) => !isInValueOrPath(word.at) && /\p{L}/u.test(word.text));
  const subject = claimWords.filter(
    (word) => !isIdle(word.text) && !linkingWord.test(word.text) && !isCommonInNames(word),
  );
  // Words of the claim count for a name even if they mean something else there: `key`, `size`, `default`.
  const claimBases = new Set(claimWords.map(({ base }) => base));
  if (subject.length === 0 && !claimWords.some(({ text: word }) => linkingWord.test(word))) return null;
  const extraBases = claimWords.some(({ text: word }) => lastingVerb.test(word)) ? lengthBases : [];
  const fieldsOfName = findFields(source).filter((field) => {
    // The counted noun of the value, as in `20 tons`, is no part of the name.
    const valueBases = new Set(splitWords(field.value).map(({ base }) => base));
    const ownSubject = subject.filter(({ at, base }) => at < saidValue.end || !valueBases.has(base));
    return isAbout(field, ownSubject, claimBases, extraBases, source);
  });
  if (fieldsOfName.length > 0 && fieldsOfName.every((field) => saidValue.isIn(field, claimBases)))
    return 'shown';
  if (!tieForm.test(text.slice(0, saidValue.start))) return null;
  const lines = source.segments.filter((segment) => saidValue.isOn(segment));
  const isOther = (segment: Segment): boolean => {
    if (isCommentedOut(segment, source)) return true;
    if (!segment.isCode || isLogged(segment)) return false;
    const fields = findFields(source).filter((field) => field.segment === segment);
    const named = fields.filter(({ key }) => isNameSaid(key, claimBases, extraBases));
    const isUnsaid = fields.length > 0 && named.length === 0;
    const isAnother =
      named.some(({ value }) => !/[(]/.test(value)) &&
      !fields.some((field) => saidValue.isIn(field, claimBases));
    return isUnsaid || isAnother || conditionLine.test(segment.text);
  };
  // Elsewhere the same name has another value.
  const sameNamed = findFields(source).filter(
    ({ key, segment }) => !isLogged(segment) && isNameSaid(key, claimBases, extraBases),
  );
  const isDoubled =
    sameNamed.some((field) => saidValue.isIn(field, claimBases)) &&
    !sameNamed.every((field) => saidValue.isIn(field, claimBases));
  return lines.length > 0 && (isDoubled || lines.every(isOther)) ? 'doubt' : null;
}

const conditionLine = /^\s*[}]?\s*(?:if|elif|else if|elsif|unless|while|when|case|assert)\b/;

/** Whether the claim has all words of a name, except words that every value may have. */
const isNameSaid = (
  key: ReadonlySet<string>,
  claimBases: ReadonlySet<string>,
  extraBases: readonly string[],
): boolean =>
  [...key].every(
    (word) => claimBases.has(word) || extraBases.includes(word) || (key.size > 1 && optionalBases.has(word)),
  );

const optionalBases = new Set(
  ['size', 'count', 'number', 'amount', 'value', 'default', 'config', 'setting'].map(toComparable),
);

/** Words directly before a value, such as `is set to`; the words before them name the thing that has the value. */
const tieForm =
  /\b(?:is|are|was|were|equals|defaults to|(?:(?:is|are|was|were) )?(?:now )?(?:set|fixed|configured|chang(?:es?|ed)|bump(?:s|ed)?|rais(?:es?|ed)|lower(?:s|ed)?) (?:to|at)|=|:)\s*(?:now |currently |exactly )?["'`(]*$/i;

/**
 * Whether each word of the claim is a word of the name or of its section, and each word of the name is in the claim.
 */
function isAbout(
  { key, around, sections, segment }: Field,
  subject: readonly Word[],
  claimBases: ReadonlySet<string>,
  extraBases: readonly string[],
  { known: { bases: given }, paths }: Source,
): boolean {
  if (!isNameSaid(key, claimBases, extraBases)) return false;
  const path = new Set(splitWords(paths[segment.source] ?? '').map(({ base }) => base));
  const outerWords = subject.filter(({ base }) => !key.has(base) && !around.has(base));
  if (!outerWords.every(({ base }) => path.has(base) || given.has(base))) return false;
  // The claim must mention the section if other sections have a setting of the same name.
  return [...sections].every((word) => claimBases.has(word) || path.has(word) || given.has(word));
}

interface SaidValue {
  readonly start: number;
  readonly end: number;
  /** `words`: the words of the claim, which may contain the unit. */
  isIn(field: Field, words: ReadonlySet<string>): boolean;
  isOn(segment: Segment): boolean;
}

/** The only value in the claim; null if there are several, or none. */
function findClaimedValue({ text, terms, figures, moments }: Reading): SaidValue | null {
  const measured = figures.filter(({ isWord, dimension }) => !isWord || dimension === null);
  if (measured.length + moments.length > 1) return null;
  const [figure] = measured;
  if (figure !== undefined) return createFigureValue(figure);
  const [moment] = moments;
  if (moment !== undefined) {
    const isSame = (one: Moment): boolean => isSameMoment(moment, one);
    return {
      ...{ start: moment.start, end: moment.end },
      isIn: ({ segment, at, value }) =>
        segment.moments.some(
          (moment) => moment.start >= at && moment.start <= at + value.length && isSame(moment),
        ),
      isOn: (segment) => segment.moments.some(isSame),
    };
  }
  // The value at the end of the sentence: the last name or quotation, a switch, or the last word.
  const last = terms.findLast(
    ({ kind, end, text: term }) =>
      kind !== 'path' && term.split(' ').length < 3 && /^["'`).\s]*$/.test(text.slice(end)),
  );
  if (last !== undefined) return createTextValue(last.text, last);
  const word = /(?<=\s)([\p{L}\p{N}_-]+)[.\s]*$/u.exec(text);
  if (word === null) return null;
  const place = { start: word.index, end: word.index + word[1]!.length };
  const form = switchValues.find(([one]) => one.test(word[1]!));
  if (form === undefined)
    return tieForm.test(text.slice(0, word.index)) ? createTextValue(word[1]!, place) : null;
  return { ...place, isIn: ({ value }) => form[1].test(value.trim()), isOn: () => false };
}

function createFigureValue(figure: Figure): SaidValue {
  const isSame = (one: Figure, { text }: Segment): boolean =>
    !one.isPart && !one.isWord && matchFigure(figure, one, text.slice(0, one.start)) === 'same';
  return {
    ...{ start: figure.start, end: figure.end },
    isIn({ segment, at, value }, words) {
      const figures = segment.figures.filter(
        (figure) =>
          figure.start >= at && figure.start < at + value.length && !figure.isPart && !figure.isWord,
      );
      const [one] = figures;
      if (one === undefined || figures.length > 1) return false;
      const rest = value.slice(0, one.start - at) + value.slice(one.end - at);
      return (
        isSame(one, segment) &&
        splitWords(rest).every(({ base }) => words.has(base)) &&
        !/[+*/%&|^?-]/.test(rest)
      );
    },
    isOn: (segment) => segment.figures.some((figure) => isSame(figure, segment)),
  };
}

function createTextValue(said: string, { start, end }: TextSpan): SaidValue {
  const bareValue = toBareValue(said);
  return {
    ...{ start, end },
    isIn: ({ value }) => toBareValue(value) === bareValue,
    isOn: ({ text }) => normalizeUnicode(text).includes(bareValue),
  };
}

const toBareValue = (text: string): string =>
  normalizeUnicode(text)
    .replace(/^[\s"'`(<[]+|[\s"'`)>\],;]+$/g, '')
    .trim();

/** Whether the claim compares with a figure, rather than gives it as the value. */
const isCompared = (text: string): boolean =>
  /\b(?:more|less|fewer|greater|larger|smaller|higher|lower|longer|shorter|bigger) than\b|\b(?:over|above|below|under|up to|beyond|at (?:least|most)|almost|nearly|before|after|until|since|from|times)\b|\bto \d.*\bto\b/i.test(
    text,
  );

/** A form of values in a log. The form says what the value is: a time is the timestamp, `POST` is the method. */
interface FieldForm {
  readonly keys: RegExp;
  /** All values of the form in a line. */
  readonly values: RegExp;
}

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const clock = '\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?';
const offset = '(?: ?(?:Z\\b|[+-]\\d\\d:?\\d\\d(?!\\d)))?';
const timePatterns = [
  `\\d{4}[-/]\\d\\d[-/]\\d\\d[T ]${clock}${offset}`,
  `\\d{1,2}[-/]${month}[-/]\\d{4}[: ]${clock}${offset}`,
  `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?${month} +\\d{1,2} ${clock}(?: \\d{4}\\b)?`,
  '1\\d{9}(?:\\d{3}|\\.\\d+)?(?!\\d)',
];
const address = '\\d{1,3}(?:\\.\\d{1,3}){3}';

const timeForm: FieldForm = {
  keys: /^(?:log |event |request )?(?:time|date|time ?stamp|datetime|epoch)$/i,
  values: new RegExp(`(?<![\\p{L}\\p{N}.])(?:${timePatterns.join('|')})`, 'gu'),
};
const fieldForms: readonly FieldForm[] = [
  timeForm,
  {
    keys: /^(?:(?:auth )?user(?: ?name)?|login(?: name)?|account)$/i,
    values:
      /(?<=\buser(?:name)?(?:=|:\s?| )["'[]?)(?!(?:for|from|is|was|has|had|not|no|unknown|information|name|id|access|login|logged|auth\p{L}*)\b)[\p{L}\p{N}_.@-]*[\p{L}\p{N}_]|(?<= for (?:(?:invalid|illegal) user )?)(?!user\b|invalid\b|illegal\b)[\p{L}\p{N}_.@-]+(?= from \S+ port)/giu,
  },
  {
    keys: /^(?:program|process(?: name)?|daemon)$/i,
    values: /(?<=^\S.{10,40} )[\p{L}][\p{L}\p{N}_./-]*(?=\[\d+\]:)/gu,
  },
  { keys: /^(?:pid|process id)$/i, values: /(?<=[\p{L}\p{N}]\[)\d+(?=\]:)|(?<=\s#)\d+(?=\])/gu },
  { keys: /^(?:host|host ?name)$/i, values: /(?<=\bhost(?:name)?[= ])[\p{L}\p{N}][\p{L}\p{N}.-]*/giu },
  {
    keys: /^(?:ip|(?:ip |client ?)?address|client ?ip)$/i,
    values: new RegExp(`(?<![\\p{L}\\p{N}.])${address}(?![\\p{N}]|\\.\\d)`, 'gu'),
  },
  {
    keys: /^port$/i,
    values: new RegExp(`(?<=(?<![\\d.])${address}[:#/]|\\bport )\\d{2,5}(?![\\d.])`, 'giu'),
  },
  {
    keys: /^(?:http |request )?(?:verb|method)$/i,
    values: /(?<![\p{L}\p{N}_./-])(?:GET|POST|PUT|DELETE|HEAD|OPTIONS|PATCH)(?= )/gu,
  },
  { keys: /^(?:transport|(?:transport )?protocol)$/i, values: /(?<![\p{L}\p{N}_/-])(?:TCP|UDP|ICMP)\b/giu },
  {
    keys: /^(?:log |event )?(?:level|severity)$/i,
    values:
      /(?<![\p{L}\p{N}_/-])(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)(?![\p{L}\p{N}_/-])|(?<=\[(?:[\p{L}\p{N}_]+:)?)(?:trace|debug|info|notice|warn|error|crit)(?=\])/gu,
  },
];

const statedValue =
  /^\s*(?:the )?(?<key>\p{L}[\p{L} ]{1,30}?) (?:is|was) (?<not>not )?["'`]?(?<value>\S(?:.{0,60}\S)?)$/iu;

/**
 * Decides a claim about a value in lines of a log. shown: the lines contain exactly one value of that form, and the
 * claim gives it. denied: the same, but the claim denies it. doubt: the lines contain only other values, or the claim
 * gives a time of something that has none. Null for any other claim.
 */
export function decideFormed({ text }: Reading, { segments }: Source): 'shown' | 'denied' | 'doubt' | null {
  const said = statedValue.exec(text.trim().replace(/["'`]?\s*[.]?$/, ''))?.groups;
  if (said === undefined || segments.length === 0 || !segments.every(isLogged)) return null;
  const { key = '', not, value = '' } = said;
  const form = fieldForms.find(({ keys }) => keys.test(key));
  if (form === undefined)
    return /time|date|since|until|epoch|start|end|first|last/i.test(key) || !isOnlyValue(value, timeForm)
      ? null
      : 'doubt';
  const foundValues = new Set(
    segments.flatMap((segment) =>
      [...segment.text.matchAll(form.values)].map(([found]) => found.toLowerCase()),
    ),
  );
  if (foundValues.size > 0 && !foundValues.has(value.toLowerCase())) return 'doubt';
  if (foundValues.size !== 1) return null;
  return not === undefined ? 'shown' : 'denied';
}

const isOnlyValue = (value: string, { values }: FieldForm): boolean =>
  [...value.matchAll(values)].some(([found]) => found.length === value.length);
