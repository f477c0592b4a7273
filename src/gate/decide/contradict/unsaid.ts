/** Whether lines of code need not contain a term of a claim. Its absence then says nothing against the claim. */
import type { Figure } from '../../claim/figures.ts';
import type { Reading } from '../../claim/reading.ts';
import { findNamesInCode, type Term } from '../../claim/terms.ts';
import { type FoundTerm, findPart, segmentsOrNone } from '../../lines/find-name.ts';
import type { Source } from '../../lines/source.ts';
import { normalizeUnicode, removeSpaces } from '../../words/normal.ts';
import { isComparedBefore } from '../../words/turns.ts';
import { splitName } from '../../words/words.ts';

export const mayBeUnsaid = (term: Term, reading: Reading, source: Source): boolean =>
  isSupposed(term, reading) ||
  isKeyword(term, source) ||
  isOnlyType(term, source) ||
  isHandledConstant(term, source) ||
  isTextForm(term, source) ||
  isTuple(term, reading, source) ||
  isFormerName(term, reading, source) ||
  isNumbered(term, source) ||
  isFromExample(term, reading) ||
  isRaisedBelow(term, reading, source) ||
  isReference(term, reading, source) ||
  isEncoding(term, source) ||
  isIllustration(term, reading, source);

/** Whether lines of code need not contain a figure of a claim. */
export function mayFigureBeUnsaid(figure: Figure, reading: Reading, source: Source): boolean {
  const { text, start, end } = figure;
  const [before, behind] = [reading.text.slice(0, start), reading.text.slice(end)];
  // A formula may be calculated in another way.
  if (/^(?:\*\*|\^)/.test(behind) || /(?:\*\*|\^)$/.test(before)) return true;
  if (!isOnlyCode(source) || figure.dimension !== null) return false;
  const standard = referenceForm.exec(before)?.[1];
  if (standard !== undefined) return !namesOtherNumber(standard, source);
  return (
    numberLabel.test(before) ||
    (figure.value === 0 && source.segments.some(({ text: line }) => truthTest.test(line))) ||
    (isRangeBound(text, before, behind) && !changeVerb.test(before)) ||
    isIllustration(figure, reading, source)
  );
}

/** A change from one value to another, which is no range. */
const changeVerb =
  /\b(?:chang|bump|updat|upgrad|downgrad|rais|lower|increas|decreas|reduc|roll|revert|switch|mov|set|went|grew|f[ae]ll|rose)\p{Ll}*\b/iu;

/** Words before the author's own numbers: `phase 2`. */
const numberLabel = /\b(?:phase|stage|protocol|pass|round)s?\s+$/i;

const isOnlyCode = ({ segments }: Source): boolean =>
  segments.some(({ isCode }) => isCode) && !segments.some(({ isRecord }) => isRecord);

/** Standards, releases and issues. Code follows them, and seldom names them. */
const referenceForm =
  /\b(RFCs?|PEPs?|ISO|IEEE|ECMA|ANSI|POSIX|Unicode|HTML|XML|HTTP|TLS|SSL|SAX|Python|PyPy|Node|Go|Java|JDK|Ruby|PHP|Rust|Windows|AIX|macOS|sections?|issues?|tickets?|bugs?|pull requests?)[\s-]?(?:[\d.](?:,| and| or|\/)?\s?)*#?$/i;
const referenceName = /^(RFC|PEP|ISO|IEEE|#)-?\d{2,}$/i;

const namesOtherNumber = (standard: string, { segments }: Source): boolean => {
  const other = new RegExp(`(?<!\\p{L})${standard.replace(/s$/i, '')}s?[\\s_-]?\\d`, 'iu');
  return segments.some(({ text }) => other.test(text));
};

function isReference({ text, start }: Term, reading: Reading, source: Source): boolean {
  if (!isOnlyCode(source)) return false;
  const standard = referenceName.exec(text)?.[1] ?? referenceForm.exec(reading.text.slice(0, start))?.[1];
  return standard !== undefined && (standard === '#' || !namesOtherNumber(standard, source));
}

/** Whether a term is a keyword that a claim may name although the lines only implement it: `with` for `__enter__`. */
const isKeyword = ({ text }: Term, source: Source): boolean =>
  /^(?:with|for|if|else|while|await|async|yield|return|try|defer|switch|match|import)$/.test(text) &&
  isOnlyCode(source);

const encodingName = /^(?:utf-?(?:8|16|32)|(?:us-)?ascii|base(?:16|32|64|85)|latin-?1|iso-?8859-\d+)$/i;

/** Whether a term is an encoding such as `UTF-8`, and the lines name no other one. */
const isEncoding = ({ text }: Term, source: Source): boolean =>
  encodingName.test(text) &&
  isOnlyCode(source) &&
  !source.segments.some(({ text: line }) =>
    (line.match(/[\p{L}\p{N}-]+/gu) ?? []).some((one) => encodingName.test(one)),
  );

/** Code that tests whether a value is empty or missing. It needs no `0` for that. */
const truthTest = /\b(?:not|bool|len|None|null|nil|False|false)\b|!\p{L}|\bif\s+[\p{L}_.]+\s*[:)]/u;

/**
 * Whether a figure is a bound of a range: `from 0 to n - 1`, `between 1 and 9`, `[0, 1]`. Code may keep to a range
 * without naming it.
 */
const isRangeBound = (text: string, before: string, behind: string): boolean =>
  /\b(?:between|from|range)\s+[+-]?$/i.test(before) ||
  /\b(?:between|from|range)\s+[+-]?\S{1,12}\s+(?:and|to)\s+[+-]?$/i.test(before) ||
  (/\[$/.test(before) && /^,/.test(behind)) ||
  (/\[[\d.+-]+,\s?$/.test(before) && /^[\])]/.test(behind)) ||
  (/\($|~ ?$/.test(before) && /^-\d/.test(behind) && !/[.]/.test(text));

/** Whether a term is an exception that the lines neither throw nor catch, though they call code that may throw it. */
function isRaisedBelow({ text, start, end }: Term, { text: claim }: Reading, { segments }: Source): boolean {
  const isRaised =
    /(?:Error|Exception|Interrupt|Exit)$/.test(text) &&
    (/\b(?:rais|throw)(?:es?|s|ing|ed)?\s+(?:an?\s+)?["'`]*$/i.test(claim.slice(0, start)) ||
      /^["'`]*\s+(?:is|are|will be|gets) (?:raised|thrown)\b/i.test(claim.slice(end)));
  const code = segments.filter(({ isCode, isRecord }) => isCode && !isRecord);
  return (
    isRaised &&
    code.some((segment) => /[\p{L}\p{N}_]\(/u.test(segment.text)) &&
    !code.some((segment) =>
      /\b(?:raise|throw|except|catch|rescue)\b|(?:Error|Exception)\b/.test(segment.text),
    )
  );
}

/** Whether it follows `e.g.`, is in a worked example, or in a sentence that refers to another text. */
function isIllustration({ start }: { readonly start: number }, { text }: Reading, source: Source): boolean {
  if (!isOnlyCode(source)) return false;
  return (
    /.\b(?:e\.g\.|eg\.|for example|for instance)/i.test(text.slice(0, start)) ||
    /^(?:see|thanks to)\b/i.test(text) ||
    (/^(?:for example|example)\b/i.test(text) &&
      /->|=>|==|\b(?:gives?|yields?|calculates?|becomes?|returns?)\b/.test(text))
  );
}

const supposedForm =
  /\b(?:which|whose|where|when|whenever|if|iff|unless|while|until)\b[^.;]*\b(?:is|are|returns?|yields?|gives?|evaluates? to|comes? to)\s+["'`(]*$/i;

/** Whether a term is in a condition, such as `for which pred returns True`. */
const isSupposed = ({ text, start }: Term, { text: claim }: Reading): boolean =>
  /^(?:true|false)$/i.test(text) && supposedForm.test(claim.slice(0, start));

const typeNames = new Set(
  'dict list tuple set frozenset bytes bytearray str string int float double bool boolean array'.split(' '),
);

/** Whether a term is a type such as `dict`, and the lines name no type. A literal or a call may create one. */
const isOnlyType = ({ text }: Term, { segments }: Source): boolean =>
  typeNames.has(text) &&
  segments.some(({ isCode, isRecord }) => isCode && !isRecord) &&
  !segments.some(({ text: line }) =>
    (line.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []).some((one) => typeNames.has(one)),
  );

/** Whether a term is a constant whose last words name a function: `SSH_MSG_KEX_INIT` for `parse_kex_init`. */
function isHandledConstant({ text }: Term, source: Source): boolean {
  const parts = splitName(text);
  if (parts.length < 3 || !/^[\p{Lu}\p{N}_]+$/u.test(text)) return false;
  const end = parts.slice(-2).join(' ').toLowerCase();
  return [...source.names.keys()].some(
    (name) => /\p{Ll}/u.test(name) && splitName(name).join(' ').toLowerCase().endsWith(` ${end}`),
  );
}

/** Whether a term is the form of a text, such as `host:port`, of which the lines contain one word. */
const isTextForm = ({ kind, text }: Term, source: Source): boolean =>
  kind === 'code' &&
  /^\p{Ll}{2,}(?:[:/]\p{Ll}{2,})+$/u.test(text) &&
  text.split(/[:/]/).some((word) => findPart(word, source) !== null);

/** Whether a term names the parts of a result, such as `(name, value)` pairs. */
const isTuple = ({ text, start, end }: Term, { text: claim }: Reading, { segments }: Source): boolean =>
  /^\([\p{L}\p{N}_]+(?:, ?[\p{L}\p{N}_]+)+\)$/u.test(text) &&
  (/^`?\s*(?:pairs?|tuples?|triples?)\b/i.test(claim.slice(end)) ||
    /\b(?:pairs?|tuples?|triples?)\s+(?:of\s+)?`?$/i.test(claim.slice(0, start))) &&
  segments.some(({ text: line }) => /\b(?:return|yield)\b[^#]*,|=>\s*\[/.test(line));

const changeStart =
  /^(?:remov|drop|delet|replac|renam|chang|mov|switch|convert)(?:e|es|ed|s|d|ing|t|ted)?\b/i;

/** `Renamed from "a" to "b"`: the present lines no longer contain the old name. */
const isFormerName = ({ start }: Term, { text: claim }: Reading, { segments }: Source): boolean =>
  changeStart.test(claim) &&
  (/\bfrom\s+["'`(]*$/i.test(claim.slice(0, start)) ||
    /^(?:remov|drop|delet|replac)\w*\s+(?:the\s+|an?\s+)?["'`(]*$/i.test(claim.slice(0, start))) &&
  !segments.some(({ text: line }) => /^-(?!-)/.test(line));

/**
 * Whether a term is a numbered name, such as `SSH2` in a file about ssh. If the lines have another number, they
 * contradict it.
 */
function isNumbered({ text }: Term, { segments, known }: Source): boolean {
  const letters = /^(\p{Lu}\p{L}{2,})\d{1,2}$/u.exec(text)?.[1]?.toLowerCase();
  if (letters === undefined) return false;
  const other = new RegExp(`(?<!\\p{L})${letters}[-_]?\\d`, 'iu');
  const isNamed = [known.text, ...segments.map((segment) => segment.text)].some((one) =>
    one.toLowerCase().includes(letters),
  );
  return isNamed && !segments.some((segment) => other.test(segment.text));
}

/** Whether a term is the result of an example, which has the same words: `like "a.1" and gives ("a", 1)`. */
function isFromExample({ kind, text, start }: Term, { terms, text: claim }: Reading): boolean {
  if (kind !== 'code' && kind !== 'quote') return false;
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return (
    words.length > 0 &&
    terms.some((term) => {
      if (term.start >= start || !isComparedBefore(claim.slice(0, term.start))) return false;
      const exampleWords: readonly string[] = term.text.match(/[\p{L}\p{N}]+/gu) ?? [];
      return words.every((word) => exampleWords.includes(word));
    })
  );
}

/** Finds a list of parameters: `(op, text)` for the parameters `(op: str, text: str = "")`. */
export function findParameters(text: string, source: Source): FoundTerm | null {
  const names = /^\([\p{L}\p{N}_, *]+\)$/u.test(text) ? findNamesInCode(text) : [];
  if (names.length < 2) return null;
  const parameterList = `(${names.join(',')}`;
  const hasParameters = source.flats.some((_, at) =>
    removeSpaces(
      normalizeUnicode(
        source.segments.flatMap((segment) => (segment.source === at ? [segment.text] : [])).join(' '),
      ).replace(/:\s*[\p{L}_][^,()=]*(?:\[[^\]]{0,200}\])?(?:\s{0,20}=[^,()]*)?(?=[,)])/gu, ''),
    ).includes(parameterList),
  );
  return hasParameters ? { how: 'loose', segments: segmentsOrNone(source.names.get(names[0]!)) } : null;
}

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const dayForm = new RegExp(`\\b(${dayNames.join('|')})s?\\b`, 'gi');
const findDays = (text: string): readonly string[] =>
  [...text.matchAll(dayForm)].map(([, day]) => day!.toLowerCase());

/** A day of the week in the claim, if the lines name other days and have no date on that day. Null if there is none. */
export function findMissingDay({ text }: Reading, { segments, known }: Source): string | null {
  const days = findDays(text);
  if (days.length === 0) return null;
  const givenDays = new Set(segments.flatMap((segment) => findDays(segment.text)));
  const dated = segments.flatMap(({ moments }) =>
    moments.flatMap(({ day }) => {
      const date = day === null ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
      return Number.isNaN(date) ? [] : [dayNames[new Date(date).getUTCDay()]!];
    }),
  );
  const allDays = new Set([...givenDays, ...dated, ...findDays(known.text)]);
  return givenDays.size === 0 ? null : (days.find((day) => !allDays.has(day)) ?? null);
}
