/**
 * Sentences that say that something is nowhere: what is absent, where the sentence says so, and whether it says more.
 */

import { parseClaim } from '../claim/reading.ts';
import { isAboutSearch, splitClaims } from '../claim/split-claims.ts';
import { normalizeUnicode } from '../words/normal.ts';
import { isGeneric, isIdle } from '../words/words.ts';

export interface Absence {
  /** Names or words, each of which is said to be nowhere. */
  readonly wanted: readonly string[];
  /**
   * The part of the material that the sentence names, as it is written; null if the sentence is about all of the
   * material.
   */
  readonly place: string | null;
  /** Whether the claim says that nothing in the place mentions it, so that a single occurrence refutes the claim. */
  readonly isOfAll: boolean;
  /** Whether the sentence says something else as well, which a search does not settle. */
  readonly hasMore: boolean;
}

const texts =
  '(?:files?|pages?|notes?|documents?|texts?|lines?|modules?|sources?|tests?|entry|entries|sections?|articles?|records?|posts?|code|material|vault|workspace|repository|repo|code ?base|project|folders?|docs?|documentation)';
const tells =
  '(?:mentions?|mentioned|contains?|names?|holds?|has|have|includes?|uses?|refers? to|references?|speaks? of|talks? about|discuss(?:es)?|describes?|cites?|covers?|says? (?:a word |anything |a thing )?(?:about|of|on)|tells? (?:anything )?(?:about|of)|deals? with|documents?|occurs?|shows?|writes? (?:about|of)|links? to)';
const of = '(?:of|to|for|about|on|with)';
const lead = '(?:mentions?|references?|occurrences?|traces?|match(?:es)?|hits?|results?|instances?|signs?)';

/** The group `what` matches the thing that is said to be absent; `all`: the claim is about everything. */
const forms: readonly { readonly form: RegExp; readonly isOfAll: boolean }[] = [
  // For example: no page mentions X; none of the files contains X; nothing in the vault speaks of X.
  {
    form: new RegExp(
      `^(?:there is )?(?:no (?:other )?${texts}|none of (?:the|these|those|its|all)?\\s*(?:[\\d,]+ )?(?:\\p{L}+ )?${texts}|nothing|nobody)(?: (?:besides|except(?: for)?|other than|apart from|but|outside(?: of)?) \\S+)?(?<where>(?: (?:in|under|within|below|inside|among|of|from)\\b[^,;]*?)?)(?: (?:that|which|here|there))? (?:ever |even |so much as )?${tells} (?<what>.+)$`,
      'iu',
    ),
    isOfAll: true,
  },
  // There is no mention of X; no reference to X was found.
  {
    form: new RegExp(
      `^(?:there (?:is|are|was|were) )?(?:no|not a single) ${lead} ${of} (?<what>.+?)(?: (?:was|were|is|are|can be|could be) (?:found|met|seen))?$`,
      'iu',
    ),
    isOfAll: true,
  },
  // I found no mention of X; we did not find X; nothing was found about X.
  {
    form: new RegExp(
      `^(?:i|we) (?:found|find|saw|see|met) (?:no|not a single) (?:${lead}|${texts}) (?:${of}|that ${tells}|mentioning|containing) (?<what>.+)$`,
      'iu',
    ),
    isOfAll: true,
  },
  {
    form: new RegExp(
      `^(?:i|we) (?:did not|didn't|could not|couldn't) find (?:any |a )?(?:${lead} ${of} )?(?<what>.+)$`,
      'iu',
    ),
    isOfAll: true,
  },
  {
    form: /^nothing (?:was |is |could be |can be )?(?:found |known )?(?:about|on|of) (?<what>.+?)(?: (?:was|is|were) found)?$/iu,
    isOfAll: true,
  },
  {
    form: /^there (?:is|are|was|were) no (?<what>.+)$/iu,
    isOfAll: false,
  },
  // X is mentioned nowhere; X does not occur in any file; X was not found in src.
  {
    form: /^(?<what>.+?) (?:is|are|was|were) (?:mentioned|found|named|referenced|described|discussed) (?:nowhere|in no \p{L}+|in none of .+)$/iu,
    isOfAll: true,
  },
  {
    form: /^(?<what>.+?) (?:occurs?|appears?|exists?|stands?) (?:nowhere|in no \p{L}+|in none of .+)$/iu,
    isOfAll: true,
  },
  {
    form: /^(?<what>.+?) (?:(?:is|are|was|were) (?:not|never)|(?:has|have) (?:not|never) been|could not be) (?:mentioned|found|named|referenced)(?<where>(?: .+)?)$/iu,
    isOfAll: true,
  },
  {
    form: /^(?<what>.+?) (?:does not|doesn't|do not|don't|never) (?:occur|appear|exist)s?(?<where>(?: .+)?)$/iu,
    isOfAll: true,
  },
  // The sentence denies only that it exists in this form or place.
  {
    form: /^(?<what>.+?) (?:is|are|was|were) (?:not|never) (?:used|defined|called|imported|documented|described|tested|configured|set)(?<where>(?: .+)?)$/iu,
    isOfAll: false,
  },
  // For example `X is nowhere else`, which says nothing about one place.
  {
    form: /^.+? (?:does not|doesn't|do not|don't|never) (?:mention|contain|name|include|refer to|speak of|discuss|use)s? (?<what>.+)$/iu,
    isOfAll: false,
  },
];

const placeForm =
  /\s(?:in|under|within|below|inside|among|from)\s+(?:the\s+|any\s+(?:of\s+(?:the|its)\s+)?|its\s+|all\s+(?:of\s+)?(?:the\s+)?)?(?:folder\s+|directory\s+|path\s+)?[`"']?([\p{L}\p{N}_./*-]+)[`"']?(?:\s+(?:folder|directory|notes|pages|files))?/iu;
/** Names for the whole material. */
const everything =
  /^(?:vault|workspace|repository|repo|code|codebase|code-base|project|material|tree|files?|pages?|notes?|documents?|texts?|them|it|here|sources?|\d+|whole|entire|corpus|docs|documentation)$/i;
const rest =
  /(?:,?\s+(?:anywhere|at all|here|whatsoever|so far|either|in any (?:way|form)|by name|in (?:any of )?(?:the|this|these|all)\s+(?:whole\s+|entire\s+|[\d,]+\s+)?\p{L}+|(?:in|of|among|across) (?:all )?(?:[\d,]+ )?(?:pages|files|notes|documents)|in any (?:of (?:the|them|these) ?)?\p{L}*))+$/iu;
const besides =
  /\b(?:except(?:ing)?|besides|other than|apart from|outside(?: of)?|but for|save for|no other|nothing else|aside from|other)\b/i;
const joint =
  /(?:[;:]\s|,?\s(?:but|because|since|while|whereas|although|though|so that|as|until|before|after|if|unless|when|therefore|hence|and (?:so|thus|yet|it|its|the|this|that|no|all|every|each|they|there|only)|which|who)\s|,\s(?:and|so|or|yet)\s+\p{L}+\s+(?:is|are|was|has|have|does|do|can|will|must)\b|\s[-\u2013\u2014]\s|\.\s)/iu;

/** Null if the claim denies nothing, or if it is unclear what is said to be absent. */
export function findAbsence(claim: string): Absence | null {
  if (!isAboutSearch(claim) && !/\b(?:never|not|n't|no|none|nothing|nowhere)\b/i.test(claim)) return null;
  const text = normalizeUnicode(claim)
    .replace(/\s*\[ev-[^\]]*\]/g, '')
    .replace(/^(?:however|unfortunately|so|thus|therefore|but|and|in short|in all|overall|also)\b,?\s+/i, '')
    .replace(/[.!?\s]+$/, '')
    .trim();
  const match = joint.exec(mask(text));
  const head = match === null ? text : text.slice(0, match.index);
  const own = forms.flatMap(({ form, isOfAll }) => {
    const groups = form.exec(head)?.groups;
    return groups === undefined ? [] : [{ what: groups['what']!, where: groups['where'] ?? '', isOfAll }];
  })[0];
  if (own === undefined) return null;
  const { what, where } = own;
  const found = placeForm.exec(where) ?? placeForm.exec(what);
  const place = found === null || everything.test(found[1]!) ? null : found[1]!;
  const wanted = findWanted(place === null ? what : what.replace(found![0], ' '));
  if (wanted.length === 0) return null;
  const isTogether = / and /i.test(mask(what)) && wanted.length > 1;
  const isNarrowed = place === null && where.trim() !== '' && !rest.test(where) && found === null;
  const isBesides = besides.test(mask(text));
  return {
    ...{ wanted, place },
    isOfAll: own.isOfAll && !isTogether && !isNarrowed && !isBesides,
    hasMore: match !== null || isBesides,
  };
}

/** Hides quoted text and code, so that their words are not read as words of the sentence. */
const mask = (text: string): string =>
  text.replace(/`[^`]*`|"[^"]*"|'[^']*'(?!\p{L})/gu, (span) => 'x'.repeat(span.length));

function findWanted(what: string): readonly string[] {
  const named = parseClaim(what)
    .terms.filter(({ kind, mustMatch, start }) => kind !== 'path' && (mustMatch || isQuotedAt(what, start)))
    .map((term) => term.text.replace(/\(\)$/, ''));
  if (named.length > 0) return named;
  return what
    .replace(rest, '')
    .split(/,\s*(?:or|nor|and)\s+|,\s*|\s+(?:or|nor|and)\s+/i)
    .map((part) =>
      part
        .replace(rest, '')
        .replace(
          /^(?:(?:either|neither|both|the|a|an|any|some|such|word|words|term|name|phrase|topic|subject|called|named|of)\s+)+/i,
          '',
        )
        .replace(/^["'`(]+|["'`).,]+$/g, '')
        .trim(),
    )
    .filter(
      (part) =>
        part.length > 1 &&
        part.length <= 80 &&
        !part.split(/\s+/).every((word) => isIdle(word) || isGeneric(word)),
    );
}

const isQuotedAt = (text: string, at: number): boolean =>
  /["'`]/.test(text[at] ?? '') || /["'`]/.test(text[at - 1] ?? '');

/** Everything that the claims of an answer say is absent. */
export const findAbsences = (answer: string): readonly Absence[] =>
  splitClaims(answer).flatMap(({ text }) => findAbsence(text) ?? []);
