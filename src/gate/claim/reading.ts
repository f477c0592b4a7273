/** A claim as searchable parts: terms, figures, times, and the words between them. */

import type { TextSpan } from '../../core/index.ts';
import { collapseSpaces, normalizeUnicode } from '../words/normal.ts';
import { hasMeaning, splitWords, type Word } from '../words/words.ts';
import { type Figure, findFigures, findWordFigures } from './figures.ts';
import { findPlaces, type NamedPlace } from './places.ts';
import { findTerms, isWrittenDate, type Term } from './terms.ts';
import { findMoments, type Moment } from './times.ts';

export interface Reading {
  readonly text: string;
  readonly terms: readonly Term[];
  readonly figures: readonly Figure[];
  readonly moments: readonly Moment[];
  /** Lines of files that the claim names. */
  readonly places: readonly NamedPlace[];
  /** Words with meaning, outside terms. */
  readonly words: readonly Word[];
}

const isWithin = (at: number, spans: readonly TextSpan[]): boolean =>
  spans.some((span) => at >= span.start && at < span.end);

/** Text before a figure that numbers a part of the answer, or a line: `step 2`, `lines 10-20`. */
const beforeOwnNumber =
  /(?:\b(?:step|steps|line|lines|point|item|figure|table|section|chapter|part|case|option|page|example|L|zeilen?|lignes?)|\bl\.)\s*(?:\d+\s*(?:-|to|and|,)\s*)?$/i;
/** Text before a line number in an error message. */
const beforeLineNumber = /\.\p{Ll}{1,4}["'`]?,?\s(?:at\s)?line\s$/u;
const ordinal = /^(?:st|nd|rd|th|-(?:based|indexed|bit|byte|way|dimensional|tuples?|arg\w*|th))\b/i;

/** Whether a figure is the number of an item in a running list. */
const isItem = (text: string, at: number, end: number): boolean =>
  /(?:^|[.;:!?)]\s|\s\()$/.test(text.slice(0, at)) && /^(?:\.(?:\s|$)|\)\s)/.test(text.slice(end));

export function parseClaim(claim: string): Reading {
  const text = normalizeClaim(claim);
  const found = findTerms(text);
  const places = findPlaces(text).filter(({ path }) => !isWrittenDate.test(path));
  const named = places.map(({ before, endOffset }) => ({ start: before.length, end: endOffset }));
  const exactTerms = found.filter(({ kind }) => kind !== 'proper');
  const moments = findMoments(text).filter(
    ({ start }) => !isWithin(start, exactTerms) && !isWithin(start, named),
  );
  const measured = findFigures(text).filter(({ dimension }) => dimension !== null);
  // `November` in a date and `MiB` in a size are no names.
  const terms = found.filter(
    ({ kind, start, end }) =>
      !(kind === 'proper' && isWithin(start, moments)) &&
      !isPlace({ start, end }, named) &&
      !(/^[kKMGT]iB$/.test(text.slice(start, start + 3)) && isWithin(start, measured)),
  );
  const spans = [...terms.filter(({ kind }) => kind !== 'proper'), ...moments, ...named];
  // The numbers of `pool-1952-9` count nothing.
  const numbered = terms.filter(({ kind, text: name }) => kind === 'proper' && /\d-\d/.test(name));
  const figures = [...findFigures(text), ...findWordFigures(text)].filter(
    ({ start, end }) =>
      !isWithin(start, spans) &&
      !isWithin(start, numbered) &&
      (!beforeOwnNumber.test(text.slice(0, start)) || beforeLineNumber.test(text.slice(0, start))) &&
      !ordinal.test(text.slice(end)) &&
      !isItem(text, start, end),
  );
  const words = splitWords(text).filter(
    (word) => hasMeaning(word) && !isWithin(word.at, spans) && !isWithin(word.at, figures),
  );
  return { text, terms, figures, moments, places, words };
}

/**
 * Whether a term is a place in backticks, such as `src/a.ts:12-20`. The lines of the place must be cited, and need not
 * contain the place itself.
 */
const isPlace = (term: TextSpan, named: readonly TextSpan[]): boolean =>
  named.some(
    ({ start, end }) => term.start <= start && end <= term.end && term.end - term.start - (end - start) <= 2,
  );

const normalizeClaim = (text: string): string =>
  collapseSpaces(
    normalizeUnicode(text)
      // The target of a link is not part of the statement.
      .replace(/!?\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*\)/g, '$1')
      // `name', as manuals wrote it.
      .replace(/`([\p{L}_$][\p{L}\p{N}_$.]*)'(?!\p{L})/gu, '`$1`')
      .replace(/(?<![\p{L}\p{N}])\*\*|\*\*(?![\p{L}\p{N}])|__(?=\s|$)|(?<=\s)__/gu, ''),
  );
