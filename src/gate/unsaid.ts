/** Terms of a claim that lines of code need not hold: that they are missing says nothing against it. */
import { type FoundTerm, findPart, segmentsOrNone } from './find-name.ts';
import { dense, normal } from './normal.ts';
import type { Reading } from './reading.ts';
import type { Source } from './source.ts';
import { namesInCode, type Term } from './terms.ts';
import { isLikened } from './turns.ts';
import { partsOf } from './words.ts';

export const mayBeUnsaid = (term: Term, reading: Reading, source: Source): boolean =>
  isSupposed(term, reading) ||
  isOnlyType(term, source) ||
  isHandled(term, source) ||
  isForm(term, source) ||
  isNumbered(term, source) ||
  isFromExample(term, reading);

const supposed =
  /\b(?:which|whose|where|when|whenever|if|iff|unless|while|until)\b[^.;]*\b(?:is|are|returns?|yields?|gives?|evaluates? to|comes? to)\s+["'`(]*$/i;

/** `for which pred returns True`: a condition, not what the code says. */
const isSupposed = ({ text, at }: Term, { text: claim }: Reading): boolean =>
  /^(?:true|false)$/i.test(text) && supposed.test(claim.slice(0, at));

const types = new Set(
  'dict list tuple set frozenset bytes bytearray str string int integer float double bool boolean array object map hash slice vector iterator iterable generator'.split(
    ' ',
  ),
);

/** A type name such as `dict` in a claim, if the lines name no type: a literal or a call may create one. */
const isOnlyType = ({ text }: Term, { segments }: Source): boolean =>
  types.has(text) &&
  segments.some(({ isCode, isRecord }) => isCode && !isRecord) &&
  !segments.some(({ text: line }) =>
    (line.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []).some((one) => types.has(one)),
  );

/** `SSH_MSG_KEX_INIT` of `parse_kex_init`: a constant by whose last words a function is named. */
function isHandled({ text }: Term, source: Source): boolean {
  const parts = partsOf(text);
  if (parts.length < 3 || !/^[\p{Lu}\p{N}_]+$/u.test(text)) return false;
  const end = parts.slice(-2).join(' ').toLowerCase();
  return [...source.names.keys()].some(
    (name) => /\p{Ll}/u.test(name) && partsOf(name).join(' ').toLowerCase().endsWith(` ${end}`),
  );
}

/** `host:port`, the form of a text, one word of which the lines hold. */
const isForm = ({ kind, text }: Term, source: Source): boolean =>
  kind === 'code' &&
  /^\p{Ll}{2,}(?:[:/]\p{Ll}{2,})+$/u.test(text) &&
  text.split(/[:/]/).some((word) => findPart(word, source) !== null);

/** `SSH2` in a file about ssh. Where the lines have it with another number, they say otherwise. */
function isNumbered({ text }: Term, { segments, known }: Source): boolean {
  const letters = /^(\p{Lu}{2,})\d{1,2}$/u.exec(text)?.[1]?.toLowerCase();
  if (letters === undefined) return false;
  const other = new RegExp(`(?<!\\p{L})${letters}[-_]?\\d`, 'iu');
  return (
    (known.bases.has(letters) ||
      segments.some(({ words }) => words.some((word) => word.text.toLowerCase() === letters))) &&
    !segments.some(({ text: line }) => other.test(line))
  );
}

/** `like "a.1" and gives ("a", 1)`: what becomes of the example is made of the same words. */
function isFromExample({ kind, text, at }: Term, { terms, text: claim }: Reading): boolean {
  if (kind !== 'code' && kind !== 'quote') return false;
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return (
    words.length > 0 &&
    terms.some((one) => {
      if (one.at >= at || !isLikened(claim.slice(0, one.at))) return false;
      const own: readonly string[] = one.text.match(/[\p{L}\p{N}]+/gu) ?? [];
      return words.every((word) => own.includes(word));
    })
  );
}

/** `(op, text)` for the parameters `(op: str, text: str = "")`. */
export function findParameters(text: string, source: Source): FoundTerm | null {
  const names = /^\([\p{L}\p{N}_, *]+\)$/u.test(text) ? namesInCode(text) : [];
  if (names.length < 2) return null;
  const own = `(${names.join(',')}`;
  const isThere = source.flats.some((_, at) =>
    dense(
      normal(source.segments.flatMap((one) => (one.source === at ? [one.text] : [])).join(' ')).replace(
        /:\s*[\p{L}_][^,()=]*(?:\[[^\]]*\])?(?:\s*=\s*[^,()]*)?(?=[,)])/gu,
        '',
      ),
    ).includes(own),
  );
  return isThere ? { how: 'loose', segments: segmentsOrNone(source.names.get(names[0]!)) } : null;
}

const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const dayForm = new RegExp(`\\b(${names.join('|')})s?\\b`, 'gi');
const daysIn = (text: string): readonly string[] =>
  [...text.matchAll(dayForm)].map(([, day]) => day!.toLowerCase());

/** A day of the week that the lines name another instead of, and have no date on. Null for none. */
export function missingDay({ text }: Reading, { segments, known }: Source): string | null {
  const said = daysIn(text);
  if (said.length === 0) return null;
  const held = new Set(segments.flatMap((one) => daysIn(one.text)));
  const dated = segments.flatMap(({ moments }) =>
    moments.flatMap(({ day }) => {
      const date = day === null ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
      return Number.isNaN(date) ? [] : [names[new Date(date).getUTCDay()]!];
    }),
  );
  const given = new Set([...held, ...dated, ...daysIn(known.text)]);
  return held.size === 0 ? null : (said.find((day) => !given.has(day)) ?? null);
}
