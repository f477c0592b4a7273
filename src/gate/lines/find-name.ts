/** Whether a source holds a name of code: as written, in another form, or inside a longer one. */
import type { Reading } from '../claim/reading.ts';
import { notCodeNames, splitNamePath, type Term } from '../claim/terms.ts';
import { isGerman } from '../words/languages.ts';
import { splitName } from '../words/words.ts';
import { joinName, type Source } from './source.ts';

export interface FoundTerm {
  /**
   * exact: as written. loose: in another form, or as separate words; not enough to confirm or refute a claim. known:
   * not in the lines themselves, only in the file path, the enclosing declaration or the question.
   */
  readonly how: 'exact' | 'loose' | 'known';
  /** Segments that contain the term. */
  readonly segments: readonly number[];
}

export const segmentsOrNone = (segments: readonly number[] | undefined): readonly number[] => segments ?? [];

export function findName(text: string, source: Source): FoundTerm | null {
  if (text.startsWith('--'))
    return findText(text, source, '(?<![\\p{L}\\p{N}-])', '(?![\\p{L}\\p{N}-])') ?? findFlag(text, source);
  if (/^\dxx$/i.test(text))
    return findText(text, source, '', '') ?? findText(text[0]!, source, '(?<!\\d)', '\\d\\d(?!\\d)');
  if (/^#\d+$|^[A-Z][A-Z0-9]*-\d+$/.test(text)) {
    const found = findText(text, source, '(?<![\\p{L}\\p{N}])', '(?![\\p{L}\\p{N}])');
    return found ?? findIgnoringSeparators(text, source);
  }
  if (/^\p{L}[^.:>#]*-/u.test(text))
    return (
      findText(text, source, '(?<![\\p{L}\\p{N}_-])', '(?![\\p{L}\\p{N}_]|-\\p{L})') ??
      findIgnoringSeparators(text, source)
    );
  const parts = splitNamePath(text.replace(/[!?]$/, ''));
  if (parts.length === 0) return findText(text, source, '', '');
  const places = parts.map((part) => findPart(part, source));
  // If the qualified name is missing, the lines may still contain its last part.
  const end = places.at(-1);
  if (places.some((place) => place === null))
    return (
      findIgnoringSeparators(text, source) ??
      (places.length > 1 && end !== null && end?.how === 'exact' ? { ...end, how: 'loose' } : null)
    );
  const found = places as readonly FoundTerm[];
  const rank = { exact: 2, loose: 1, known: 0 } as const;
  const last = found.at(-1)!;
  // `Class.method`: the class may be in the header alone.
  const how =
    found.length === 1
      ? last.how
      : last.how === 'known'
        ? 'known'
        : found.some(({ how }) => how === 'loose')
          ? 'loose'
          : last.how;
  const within = last.segments.filter((segment) => found.every(({ segments }) => segments.includes(segment)));
  return { how: rank[how] === 0 ? 'known' : how, segments: within.length > 0 ? within : last.segments };
}

export function findPart(part: string, source: Source): FoundTerm | null {
  const bare = part.replace(/^[@$]/, '');
  const exact = source.names.get(bare) ?? source.names.get(part);
  if (exact !== undefined) return { how: 'exact', segments: exact };
  if (source.known.names.has(bare)) return { how: 'known', segments: [] };
  const joined = joinName(bare);
  const loose = source.joined.get(joined) ?? source.joined.get(singular(joined));
  if (loose !== undefined) return { how: 'loose', segments: loose };
  if (source.known.joined.has(joined)) return { how: 'known', segments: [] };
  if (splitName(bare).length === 1) {
    // A word that a longer name begins or ends with: `cache` of `clearCache`.
    const within = source.segments.flatMap(({ words }, index) =>
      words.some(({ text }) => text.toLowerCase() === joined) ? [index] : [],
    );
    if (within.length > 0) return { how: 'loose', segments: within };
  }
  return null;
}

const singular = (word: string): string => (word.endsWith('s') && word.length > 3 ? word.slice(0, -1) : word);

export function findIgnoringSeparators(text: string, source: Source): FoundTerm | null {
  const joined = joinName(text);
  const found = source.joined.get(joined);
  if (found !== undefined) return { how: 'loose', segments: found };
  return source.known.joined.has(joined) ? { how: 'known', segments: [] } : null;
}

/** Finds a flag by its variable: `--max-count` may be declared as `max_count`. */
function findFlag(text: string, source: Source): FoundTerm | null {
  const found = source.joined.get(joinName(text));
  return found === undefined ? null : { how: 'loose', segments: found };
}

export function findText(text: string, source: Source, before: string, behind: string): FoundTerm | null {
  if (text === '') return null;
  const form = new RegExp(`${before}${RegExp.escape(text)}${behind}`, 'iu');
  const segments = source.segments.flatMap(({ text: given }, index) => (form.test(given) ? [index] : []));
  if (segments.length > 0) return { how: 'exact', segments };
  return form.test(source.known.text) ? { how: 'known', segments: [] } : null;
}

/**
 * A literal such as `None` or `true` that a claim may name although the lines do not contain it: code without a return
 * statement returns `None`, and a comparison gives a boolean.
 */
export const isFreeLiteral = (text: string, source: Source): boolean =>
  (/^(?:true|false)$/i.test(text) && source.segments.some((segment) => returnsTest.test(segment.text))) ||
  (/^(?:None|null|nil|undefined|void|true|false|True|False)$/.test(text) &&
    !source.segments.some(({ text: given }) =>
      /\b(?:None|null|nil|undefined|void|true|false|True|False)\b/.test(given),
    ));

/** Code that returns the result of a comparison or a test, which is a boolean. */
const returnsTest =
  /\breturn\b[^\n]*(?:\b(?:all|any|isinstance|bool|every|some|includes|has)\(|[=!<>]=|[<>]|\b(?:not|in|is|and|or)\b|&&|\|\|)/;

/** Whether the lines name a similar but other thing: `user-service` for `cart-service`. */
export function hasLookAlike(text: string, source: Source): boolean {
  const parts = text.toLowerCase().split('-');
  if (parts.length < 2 || parts[0]!.length < 3 || !/^\p{L}{3,}$/u.test(parts.at(-1)!)) return false;
  if (/(?:ed|ing|ly|able|free|only|based|like|level|wide|time|to|up|off|on|out|side)$/.test(parts.at(-1)!))
    return false;
  const form = /(?<![\p{L}\p{N}_$@./-])\p{L}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)+(?![\p{L}\p{N}_/-])/gu;
  return source.segments.some(({ text: given }) =>
    [...given.matchAll(form)].some(([name]) => {
      const other = name.toLowerCase().split('-');
      return (
        other.length === parts.length &&
        other[0]!.length > 2 &&
        (other.at(-1) === parts.at(-1) || isOtherEnd(parts, other))
      );
    }),
  );
}

/**
 * Whether two names differ only in their last parts, and neither is a form of the other: `stups-prod`, `stups-test`.
 */
function isOtherEnd(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [one.at(-1)!, other.at(-1)!];
  return (
    one.slice(0, -1).every((part, at) => part === other[at]) &&
    !a.startsWith(b.slice(0, 4)) &&
    !b.startsWith(a.slice(0, 4))
  );
}

/**
 * If the lines contain at least this share of the claim's words that are not names, a name missing from the lines
 * counts against the claim.
 */
const minShare = 0.5;
const days = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;

/** Short forms that name no particular thing. */
const common =
  /^(?:APIs?|HTML|JSON|XML|YAML|CSV|PDF|HTTPS?|PIDs?|URLs?|URIs?|IDs?|UI|CLI|SDK|CI|PRs?|OS|CPU|RAM|IP|DNS|TLS|SSL|SQL|EU|US|USA|UK|UN)$/;

/**
 * Whether a word is part of a compound name, such as `Python Package Index`, of which the lines contain another part or
 * the initials.
 */
function isPartOfCompound(text: string, claim: string, { segments }: Source): boolean {
  const whole = [...claim.matchAll(/\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)+/gu)]
    .map(([one]) => one.split(' '))
    .find((words) => words.includes(text));
  if (whole === undefined) return false;
  const letters = whole.map((word) => word[0]!).join('');
  return segments.some(
    (segment) =>
      segment.text.includes(letters) || whole.some((word) => word !== text && segment.text.includes(word)),
  );
}

/**
 * Whether a claim names another product than the lines, such as `Azure` where they say AWS. Lines of code prove nothing
 * here: code often calls a product by a name of its own.
 */
export function isOtherProduct(
  { text }: Term,
  { words, terms, text: claim }: Reading,
  source: Source,
): boolean {
  const isProse = source.segments.every(({ isCode }) => !isCode);
  if (!isProse || !/^\p{Lu}/u.test(text) || notCodeNames.test(text) || days.test(text) || common.test(text))
    return false;
  if (isInitials(text, source) || hasAllParts(text, source)) return false;
  if (isPartOfCompound(text, claim, source) || (isGerman(claim) && /^\p{Lu}\p{Ll}+$/u.test(text)))
    return false;
  const rest = words.filter(({ at }) => !terms.some((term) => at >= term.start && at < term.end));
  const held = rest.filter(({ base }) => source.segments.some(({ bases }) => bases.has(base)));
  return rest.length > 0 && held.length / rest.length >= minShare;
}

/** Whether the lines have all parts of a name with a hyphen: `Systemd Timern` for `Systemd-Timer`. */
function hasAllParts(text: string, { segments }: Source): boolean {
  const parts = text.toLowerCase().split('-');
  return (
    parts.length > 1 &&
    segments.some((segment) =>
      parts.every((part) => part.length > 2 && segment.text.toLowerCase().includes(part)),
    )
  );
}

/** Whether a word in capitals is the initials of a name in the lines: `IC` for `Incident Commander`. */
function isInitials(text: string, { segments }: Source): boolean {
  if (!/^\p{Lu}{2,5}$/u.test(text)) return false;
  const form = new RegExp(
    `(?<![\\p{L}\\p{N}])${[...text].map((letter) => `${letter}\\p{Ll}+`).join('[ -]')}(?![\\p{L}\\p{N}])`,
    'u',
  );
  return segments.some((segment) => form.test(segment.text));
}

/** A quotation too short to be searched: signs only, or one word while the lines quote another. */
export function isOddQuote({ kind, text, mustMatch }: Term, { segments }: Source): boolean {
  if (kind === 'code') return text.length > 1 && !/[\p{L}\p{N}]/u.test(text);
  if (kind !== 'quote' || mustMatch || text.length < 2) return false;
  if (!/^[\p{L}\p{N} ]+$/u.test(text)) return true;
  return (
    !text.includes(' ') && segments.some(({ isCode, text: given }) => isCode && /(["'])\p{L}+\1/u.test(given))
  );
}
