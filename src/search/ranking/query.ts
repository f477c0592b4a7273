import { splitTerms } from '../tokens/tokens.ts';
import { stemWord } from './inflections.ts';
import { classifyIntent, type Intent } from './intent.ts';
import { stopWords } from './stop-words.ts';
import type { RankingWeights } from './weights.ts';

/** A word of a query. Of words with the same stem only the first counts. */
export interface QueryWord {
  /** The word as it is in the index. */
  readonly term: string;
  readonly stem: string;
  /** 1 for an ordinary word. */
  readonly weight: number;
}

export interface Query {
  /** The query without HTML comments, such as those in an issue's template. */
  readonly text: string;
  readonly intent: Intent;
  readonly words: readonly QueryWord[];
}

const comment = /<!--[\s\S]*?-->/g;
const quoted = /`([^`\n]{2,60})`/g;
const name = /[A-Za-z_$][\w$]*/g;
/** Names that are not ordinary words: `fooBar`, `foo_bar`, `FOO_BAR`. */
const compound = /[a-z][A-Z]|[a-z0-9]_[A-Za-z]|^[A-Z]+_/;
const maxTitleWeight = 3;
/** In characters. A longer query is a dump. `maxWords` limits the distinct words, since each takes time. */
const maxQueryLength = 30_000;
const maxWords = 300;
const tokens = { stemming: 'none' } as const;

export function parseQuery(query: string, weights: RankingWeights): Query {
  const text = query.slice(0, maxQueryLength).replace(comment, ' ');
  const terms = new Set(splitTerms(text, tokens));
  const title = stemTitle(text);
  const code = findCodeTerms(text);
  const titleWeight = Math.min(maxTitleWeight, Math.max(1, Math.sqrt(terms.size / weights.titleWords)));
  const onlyStopWords = [...terms].every((term) => stopWords.has(term));
  const words = new Map<string, QueryWord>();
  for (const term of terms) {
    if (stopWords.has(term) && !onlyStopWords) continue;
    const stem = stemWord(term);
    if (words.has(stem)) continue;
    const weight = (title.has(stem) ? titleWeight : 1) * (code.has(term) ? weights.code : 1);
    words.set(stem, { term, stem, weight });
  }
  return { text, intent: classifyIntent(text), words: [...words.values()].slice(0, maxWords) };
}

/** Stems of the first line of several; none if there is only one. */
function stemTitle(text: string): ReadonlySet<string> {
  const end = text.indexOf('\n');
  return new Set(end > 0 ? splitTerms(text.slice(0, end), tokens).map(stemWord) : []);
}

function findCodeTerms(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [word] of text.matchAll(name)) {
    if (compound.test(word)) found.add(word.toLowerCase().replace(/^[_$]+|[_$]+$/g, ''));
  }
  for (const match of text.matchAll(quoted))
    for (const term of splitTerms(match[1]!, tokens)) found.add(term);
  return found;
}
