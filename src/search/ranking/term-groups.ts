import type { TermGroup, WeightedTerm } from '../lexical/index.ts';
import { listInflections } from './inflections.ts';
import type { Query, QueryWord } from './query.ts';
import { findAbbreviations, findSynonyms } from './synonyms.ts';
import type { RankingWeights } from './weights.ts';

/** Weight of an abbreviation's plural, such as `args` for `argument`, relative to the abbreviation. */
const pluralShare = 0.7;
/** Weight of an inflected synonym, relative to the synonym. */
const inflectedShare = 0.5;

/** The terms to look up in the index: each word of the query, with its forms and synonyms. */
export function createTermGroups(query: Query, weights: RankingWeights): TermGroup[] {
  return query.words.map((word) => ({ weight: word.weight, terms: listAlternatives(query, word, weights) }));
}

function listAlternatives(query: Query, { term }: QueryWord, weights: RankingWeights): WeightedTerm[] {
  const weightByForm = new Map<string, number>([[term, 1]]);
  const addForm = (form: string, weight: number): void => {
    if (weight > (weightByForm.get(form) ?? 0)) weightByForm.set(form, weight);
  };
  for (const form of listInflections(term)) addForm(form, weights.inflection);
  // A report quotes the code, so that synonyms only add noise (measured on commits: -.004).
  if (query.intent !== 'report') {
    for (const word of new Set([term, toSingular(term)])) {
      for (const abbreviation of findAbbreviations(word)) {
        addForm(abbreviation, weights.abbreviation);
        addForm(`${abbreviation}s`, weights.abbreviation * pluralShare);
      }
      for (const synonym of findSynonyms(word)) {
        addForm(synonym, weights.synonym);
        for (const form of listInflections(synonym)) addForm(form, weights.synonym * inflectedShare);
      }
    }
  }
  return [...weightByForm].flatMap(([form, weight]) => (weight > 0 ? [{ term: form, weight }] : []));
}

function toSingular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(x|ch|sh|ss|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
