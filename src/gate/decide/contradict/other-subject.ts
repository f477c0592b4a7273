/** Finds figures, times and names that the lines link with another subject than the claim does. */

import type { TextSpan } from '../../../core/index.ts';
import type { Figure } from '../../claim/figures.ts';
import { matchFigure } from '../../claim/match-figure.ts';
import type { Reading } from '../../claim/reading.ts';
import { findTerms, type Term } from '../../claim/terms.ts';
import { isSameMoment, type Moment } from '../../claim/times.ts';
import {
  type Clause,
  computeShare,
  computeShareAt,
  type GivenClause,
  splitClauses,
  splitSource,
} from '../../lines/clauses.ts';
import { cacheByKey, type Source } from '../../lines/source.ts';
import type { Word } from '../../words/words.ts';

/** Minimum number of words that say what a figure measures: fewer may occur together anywhere. */
const minWords = 3;
/**
 * The share of the claim's words that another record must contain, and by how much it must exceed the record with the
 * figure.
 */
const minFit = 0.5;
const minLead = 0.2;
/** A name may be described by other words than its own lines use, so another record must fit better. */
const minFitOfName = 0.6;
const minLeadOfName = 0.4;

/**
 * The reason why the cited text is about another subject: another record links a different figure, time or name with
 * the words of the claim. Null if none does.
 */
export function findOtherSubject(reading: Reading, source: Source): string | null {
  const clauses = splitClauses(reading, { joined: false });
  const wordsBeside = ({ start, end }: PhraseSpan): readonly Word[] =>
    clauses
      .find((clause: Clause) => start >= clause.start && start < clause.end)
      ?.words.filter((word) => (word.at < start || word.at >= end) && !timeZone.test(word.text)) ?? [];
  for (const figure of reading.figures) {
    if (figure.isWord && figure.dimension === null) continue;
    const found = findOther(wordsBeside(figure), figure, source, {
      holds: ({ segment, start, end }) =>
        source.segments[segment]!.figures.some(
          (given) =>
            given.start >= start &&
            given.start < end &&
            matchFigure(figure, given, source.segments[segment]!.text.slice(0, given.start)) !== null,
        ),
      another: ({ segment, start, end }) =>
        findAnotherFigure(
          figure,
          source.segments[segment]!.figures.filter((figure) => figure.start >= start && figure.start < end),
        ),
    });
    if (found !== null) return found;
  }
  for (const moment of reading.moments) {
    // A period from one time to another is in no single record.
    if (isEndOfPeriod(moment, reading)) continue;
    const momentsIn = ({ segment, start, end }: GivenClause): readonly Moment[] =>
      source.segments[segment]!.moments.filter((moment) => moment.start >= start && moment.start < end);
    const found = findOther(wordsBeside(moment), moment, source, {
      holds: (unit) => momentsIn(unit).some((given) => isSameMoment(moment, given)),
      another: (unit) => momentsIn(unit).find((given) => isSamePrecision(moment, given))?.text ?? null,
    });
    if (found !== null) return found;
  }
  // Names of code occur next to each other in every line and comment about it.
  const codeSources = new Set(
    source.segments.flatMap(({ source: of, isCode, isRecord }) => (isCode && !isRecord ? [of] : [])),
  );
  const isCode = ({ segment }: GivenClause): boolean => codeSources.has(source.segments[segment]!.source);
  for (const term of reading.terms) {
    if (!term.mustMatch || !nameKinds.has(term.kind)) continue;
    const nameForm = new RegExp(
      `(?<![\\p{L}\\p{N}_])${RegExp.escape(term.text.replace(/\(\)$/, ''))}(?![\\p{L}\\p{N}_])`,
      'iu',
    );
    const found = findOther(
      wordsBeside(term),
      term,
      source,
      {
        holds: ({ text, segment }) => nameForm.test(text) || isNamedAbove(nameForm, segment, source),
        another: (unit) => (isCode(unit) ? null : findAnotherName(term, unit, reading.text)),
      },
      { fit: minFitOfName, lead: minLeadOfName, words: 2 },
    );
    if (found !== null) return found;
  }
  return null;
}

const timeZone = /^(?:utc|gmt|[ecmp][ds]t|cest?|cet|bst|ist|jst)$/i;

const titleForm = /^\s*(?:#{1,6}\s|\[?v?\d+\.\d+(?:\.\d+)*\]?(?:\s|$))/i;

/** Whether the line, or the last title above it, contains the name. */
function isNamedAbove(nameForm: RegExp, segment: number, { segments }: Source): boolean {
  const { source } = segments[segment]!;
  for (let at = segment; at >= 0 && segments[at]!.source === source; at -= 1) {
    const { text } = segments[at]!;
    if (titleForm.test(text) || /^v?\d+\.\d+\.\d+/.test(text)) return nameForm.test(text);
  }
  return false;
}

const isEndOfPeriod = ({ start, end }: Moment, { moments, text }: Reading): boolean =>
  moments.some(
    (moment) =>
      (moment.start >= end && /^\s*(?:and|to|until|till|-)\s*$/i.test(text.slice(end, moment.start))) ||
      (moment.end <= start && /^\s*(?:and|to|until|till|-)\s*$/i.test(text.slice(moment.end, start))),
  );

interface PhraseSpan extends TextSpan {
  readonly text: string;
}

interface ClauseTest {
  readonly holds: (unit: GivenClause) => boolean;
  /** Another value of the same kind, as written. */
  readonly another: (unit: GivenClause) => string | null;
}

function findOther(
  words: readonly Word[],
  { text }: PhraseSpan,
  source: Source,
  { holds, another }: ClauseTest,
  min: { readonly fit: number; readonly lead: number; readonly words: number } = {
    fit: minFit,
    lead: minLead,
    words: minWords,
  },
): string | null {
  if (words.length < min.words) return null;
  let ownFit: number | null = null;
  let best = { fit: 0, said: '' };
  const holdingUnits = splitSource(source).filter(holds);
  for (const unit of splitSource(source)) {
    if (holdingUnits.includes(unit)) ownFit = Math.max(ownFit ?? 0, computeFit(words, unit, source));
    else {
      const said = another(unit);
      // A word beside both, such as the host of a log, does not distinguish them.
      if (said !== null && holdingUnits.some((one) => one.text.includes(said))) continue;
      const fit = said === null ? 0 : computeFit(words, unit, source);
      if (said !== null && fit > best.fit) best = { fit, said };
    }
  }
  if (ownFit === null || best.fit < min.fit || best.fit - ownFit < min.lead) return null;
  return `the lines say that of ${best.said}, and not of ${text}`;
}

/** How well a clause, or the lines around a line of code, fits the words. */
const computeFit = (words: readonly Word[], unit: GivenClause, source: Source): number =>
  Math.max(computeShareAt(words, unit.segment, source), computeShare(words, unit.bases, source));

const findAnotherFigure = (figure: Figure, figures: readonly Figure[]): string | null =>
  figures.find(
    (given) =>
      !given.isWord &&
      !given.text.includes(':') &&
      isInteger(given) === isInteger(figure) &&
      (given.dimension === figure.dimension || given.dimension === null || figure.dimension === null),
  )?.text ?? null;

const nameKinds: ReadonlySet<string> = new Set(['name', 'proper', 'version', 'hash', 'address']);

const findClauseTerms = cacheByKey(({ text }: GivenClause): readonly Term[] => findTerms(text));

function findAnotherName({ kind, mustMatch, text }: Term, unit: GivenClause, claim: string): string | null {
  const found = findClauseTerms(unit).find(
    (term) =>
      term.mustMatch === mustMatch &&
      (term.kind === kind || mustMatch) &&
      nameKinds.has(term.kind) &&
      classifyShape(term.text) === classifyShape(text) &&
      !calendar.test(term.text) &&
      !term.text.includes('//'),
  );
  return found === undefined || claim.includes(found.text) ? null : found.text;
}

const calendar =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)$/i;

/** The form of a name: `on-page` and `WYSIWYG` are names of another form than `Apostrophe`. */
const classifyShape = (name: string): string => {
  const bare = name.replace(/\(\)$/, '');
  if (/^\p{Ll}[\p{Ll}\p{N}]*(?:-[\p{Ll}\p{N}]+)+$/u.test(bare)) return 'hyphens';
  return /^\p{Lu}{4,}$/u.test(bare) ? 'capitals' : 'name';
};

const isSamePrecision = (moment: Moment, given: Moment): boolean =>
  (moment.second === null) === (given.second === null);

const isInteger = ({ text }: Figure): boolean => !/\d\.\d/.test(text);
