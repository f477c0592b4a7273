/** Sentences about the search itself, such as "nothing was found": checked against the log of the run. */

import { parseClaim } from '../claim/reading.ts';
import type { Claim, ClaimSource, LoggedSearch, RunLogView } from '../gate.ts';
import { normalizeUnicode } from '../words/normal.ts';
import { isGeneric, isIdle } from '../words/words.ts';
import { type Absence, findAbsence } from './absence.ts';

export type SearchDecision = Pick<Claim, 'verdict' | 'why' | 'evidence'>;

const unread =
  /\b(?:i|we) (?:did not|didn't|have not|haven't|could not|couldn't) (?:read|open|look (?:at|into)|see|inspect|examine)\b/i;
const absence =
  /\b(?:no (?:other )?(?:file|page|line|test|code|mention|match(?:es)?|occurrence|result|hit|reference|note|document|module|place)s?\b|nothing\b|nowhere\b|not (?:be )?found\b|(?:did not|didn't|could not|couldn't) find\b|found (?:no|nothing)\b|(?:does not|doesn't|do not|don't) (?:occur|appear|mention|contain|exist)\b|(?:is|are) (?:not|never) (?:mentioned|used|defined|called|referenced|found)\b)/i;
/** Phrases that narrow a statement to part of the material. */
const narrowed =
  /\b(?:in|under|within|below|inside|among)\s+(?:the\s+|any\s+|its\s+)?[`"']?([\p{L}\p{N}_./*-]+)/iu;

/** Null if the sentence is about something else. */
export function decideBySearch(claim: string, log: RunLogView): SearchDecision | null {
  const text = normalizeUnicode(claim);
  if (unread.test(text)) return decideUnread(text, log);
  const absence = findAbsence(claim) ?? findRoughAbsence(text);
  if (absence === null) return null;
  const decisions = absence.wanted.map((one) => decideOne(one, absence, log));
  const refuted = decisions.find(({ verdict }) => verdict === 'contradicted');
  if (refuted !== undefined) return refuted;
  const open = decisions.find(({ verdict }) => verdict !== 'absent');
  if (open !== undefined) return open;
  const evidence = [...new Set(decisions.flatMap((searchDecision) => searchDecision.evidence))];
  const why = [...new Set(decisions.map((searchDecision) => searchDecision.why))].join(' ');
  return absence.hasMore
    ? { verdict: 'unclear', why: `${why} It says more than that.`, evidence }
    : { verdict: 'absent', why, evidence };
}

/** Decides a claim that one name occurs nowhere. */
function decideOne(wanted: string, { place, isOfAll }: Absence, log: RunLogView): SearchDecision {
  const about = log.searches.filter((search) => wouldFind(search, wanted));
  if (about.length === 0)
    return { verdict: 'unclear', why: `No search of this run was for "${wanted}".`, evidence: [] };
  const apt = about.filter(({ scope }) => scope === null || (place !== null && isWithin(place, scope)));
  const loggedSearch = about.find(
    ({ matches, scope }) => matches > 0 && (place === null || (scope !== null && isWithin(place, scope))),
  );
  if (loggedSearch !== undefined) {
    const lines = `${loggedSearch.matches} ${loggedSearch.matches === 1 ? 'line' : 'lines'}`;
    const why = `The search for "${loggedSearch.pattern}" met ${lines}${loggedSearch.met === undefined ? '' : `: ${loggedSearch.met}`}.`;
    return { verdict: isOfAll ? 'contradicted' : 'unclear', why, evidence: [loggedSearch.id] };
  }
  const complete = apt.find((one) => one.complete && one.matches === 0);
  if (complete !== undefined) {
    const { id, over } = complete;
    const what = over === undefined ? describeSearch(complete) : `${describeSearch(complete)}, ${over},`;
    return { verdict: 'absent', why: `${what} was complete and met nothing.`, evidence: [id] };
  }
  const first = apt[0] ?? about[0]!;
  const lacks = first.lacks === undefined ? '' : `: ${first.lacks}`;
  const why =
    apt.length === 0
      ? `${describeSearch(first)} left out what is outside of it.`
      : `${describeSearch(first)} was not complete${lacks}.`;
  return { verdict: 'unclear', why, evidence: [first.id] };
}

/** A denial in another form: the names in it, and the place. Nothing more is known about it. */
function findRoughAbsence(text: string): Absence | null {
  if (!absence.test(text)) return null;
  const wanted = listWanted(text);
  const place = narrowed.exec(text)?.[1] ?? null;
  return wanted.length === 0 ? null : { wanted, place, isOfAll: false, hasMore: false };
}

const describeSearch = ({ pattern, scope, exactCase = false }: LoggedSearch): string =>
  `The search for "${pattern}"${exactCase ? ' in just these letters' : ''} over ${scope === null ? 'everything' : scope}`;

function decideUnread(text: string, log: RunLogView): SearchDecision | null {
  const named = parseClaim(text)
    .terms.filter(({ kind }) => kind === 'path')
    .map((term) => term.text.replace(/^\.?\//, ''));
  if (named.length === 0) return decideUnreadKind(text, log);
  const met = named.find((path) =>
    log.read.some((one) => one === path || one.endsWith(`/${path}`) || one.startsWith(path)),
  );
  return met === undefined
    ? { verdict: 'shown', why: 'The log has no reading of it.', evidence: [] }
    : { verdict: 'contradicted', why: `The log has a reading of ${met}.`, evidence: [] };
}

/** Kinds of files that a sentence may name together, each known by its paths. */
const kindsOfFiles: readonly { readonly said: RegExp; readonly path: RegExp }[] = [
  {
    said: /^(?:unit |integration )?tests?(?: files?| suites?| code)?$/i,
    path: /(?:^|\/)(?:tests?|specs?|__tests__)\/|(?:^|\/)test_[^/]+$|[._-](?:test|spec)s?\.[^/]+$/i,
  },
  {
    said: /^(?:documentation|docs?|readmes?)$/i,
    path: /(?:^|\/)docs?\/|(?:^|\/)readme[^/]*$|\.(?:md|mdx|rst|adoc)$/i,
  },
];

/** "I did not read the tests": what was read contains no path of that kind. */
function decideUnreadKind(text: string, log: RunLogView): SearchDecision {
  const object = text
    .slice(text.search(unread))
    .replace(unread, '')
    .replace(/[.!?]+$/, '')
    .trim()
    // "All of the tests" is no such phrase: some may have been read.
    .replace(/^(?:any of )?(?:the|any|its|their) /i, '');
  const kind = kindsOfFiles.find(({ said }) => said.test(object));
  if (kind === undefined)
    return { verdict: 'unclear', why: 'It names no file that the log could tell of.', evidence: [] };
  const met = log.read.find((path) => kind.path.test(path));
  return met === undefined
    ? { verdict: 'shown', why: 'The log has no reading of such a file.', evidence: [] }
    : { verdict: 'contradicted', why: `The log has a reading of ${met}.`, evidence: [] };
}

/** The things said to be absent: names, quotes, or else the words that don't belong to the phrase itself. */
function listWanted(text: string): readonly string[] {
  const { terms } = parseClaim(text);
  const named = terms
    .filter(({ kind, mustMatch }) => kind !== 'path' && mustMatch)
    .map((term) => term.text.replace(/\(\)$/, ''));
  if (named.length > 0) return named;
  const proper = terms.filter(({ kind }) => kind === 'proper').map((term) => term.text);
  const acronyms = text.match(/\b\p{Lu}{2,}\b/gu) ?? [];
  if (proper.length + acronyms.length > 0) return [...proper, ...acronyms];
  return (text.match(/[\p{L}\p{N}_-]+/gu) ?? []).filter(
    (word) => !isIdle(word) && !isGeneric(word) && !turnWord.test(word) && word.length > 2,
  );
}

const turnWord =
  /^(?:found|find|mention\w*|page|note|match\w*|occurr?\w*|reference\w*|appear\w*|exist\w*|look\w*|search\w*|document|result|other|about|contain\w*)$/i;

/** Whether a search for the pattern would have found the text, read literally or as a pattern. */
function wouldFind({ pattern, exactCase = false }: LoggedSearch, text: string): boolean {
  const [one, other] = exactCase ? [pattern, text] : [pattern.toLowerCase(), text.toLowerCase()];
  if (one === other || one === `\\b${other}\\b`) return true;
  // A longer pattern may have failed because of its other parts.
  return one.split('|').some((part) => part.replace(/\\b|[()^$]|\\(?=[.\s])/g, '').trim() === other);
}

/** `tests` is within `tests/**`, `src/a` within `src`: the search covered the whole place. */
function isWithin(place: string, scope: string): boolean {
  const bare = (text: string): string => text.replace(/^\.?\//, '').replace(/(?:\/?\*+.*|\/)$/, '');
  const of = bare(place);
  const globs = scope.split(',').map((glob) => glob.trim());
  // An excluded path may contain the place that the claim is about.
  if (globs.some((glob) => glob.startsWith('!'))) return false;
  return globs.some(
    (glob) =>
      bare(glob) === of ||
      of.startsWith(`${bare(glob)}/`) ||
      (/^tests?$/.test(of) && /^tests?$/.test(bare(glob))),
  );
}

const nobody =
  '(?:nothing|nobody|no one|no (?:other )?(?:caller|code|function|method|class|file|module|test|line|place|one)s?)';
const uses = '(?:calls?|uses?|references?|invokes?|imports?)';
const passive = '(?:called|used|referenced|invoked|imported)';
const whole =
  '(?:,? (?:anywhere|at all|here|elsewhere|from anywhere|in (?:the|this) (?:whole |entire )?(?:code ?base|code|repository|repo|project|tree|crate|package)))*';
const name =
  '(?:the (?:function|method|class|type|constant) )?`?(?<name>[\\p{L}_$][\\p{L}\\p{N}_$.:#]*)(?:\\(\\))?`?';
const userForms = [
  `${nobody} (?:else )?(?:here |in (?:the|this) \\p{L}+ )?${uses} ${name}`,
  `${name} is (?:never|not) ${passive}(?: by (?:anything|anyone|any code))?`,
  `${name} is ${passive} (?:nowhere|by nothing|by nobody|by no one|by no code)`,
  `${name} has no (?:callers?|users?|uses|usages|references)`,
  `there (?:is|are) no (?:callers?|users?|uses?|usages?|references?|calls?) (?:of|to|for) ${name}`,
].map((form) => new RegExp(`^${form}${whole}$`, 'iu'));

/**
 * A sentence that says that nobody uses a definition: a complete listing of its users shows it, and nothing else. Null
 * if the claim says something else, or more.
 */
export function decideNoUsers(
  claim: string,
  sources: readonly ClaimSource[],
): Pick<Claim, 'verdict' | 'why'> | null {
  const text = normalizeUnicode(claim)
    .trim()
    .replace(/[.!?]+$/, '');
  const said = userForms.flatMap((form) => form.exec(text)?.groups?.['name'] ?? [])[0];
  if (said === undefined) return null;
  const own = said.split(/[.:#]+/).at(-1);
  const isCall = /\b(?:calls?|callers?|called|invokes?|invoked)\b/i.test(text.replace(said, ''));
  const listed = sources.find(
    ({ unused, listing = '' }) => unused === own && (isCall || !listing.includes(' calls it')),
  );
  return listed === undefined
    ? { verdict: 'unclear', why: 'Only a complete listing of its users that is cited shows that.' }
    : { verdict: 'absent', why: `A complete listing: ${listed.listing}.` };
}
