import { splitTerms } from '../tokens/tokens.ts';
import { stemWord } from './inflections.ts';
import { classifyIntent, type Intent } from './intent.ts';
import { stopWords } from './stop-words.ts';
import type { RankingWeights } from './weights.ts';

/** A word of a query. Of words with the same stem only the first counts. */
export interface QueryWord {
  /** The word in the form in which it is in the index. */
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

const htmlComment = /<!--[\s\S]*?-->/g;
const quotedCode = /`([^`\n]{2,60})`/g;
const namePattern = /[A-Za-z_$][\w$]*/g;
/** Names that are not ordinary words: `fooBar`, `foo_bar`, `FOO_BAR`. */
const compoundName = /[a-z][A-Z]|[a-z0-9]_[A-Za-z]|^[A-Z]+_/;
const maxTitleWeight = 3;
/** Maximum characters of a query that are read. A longer query is mostly a log. */
const maxQueryLength = 30_000;
/** Maximum number of different words of a query, since each takes time. */
const maxWords = 300;
const tokenOptions = { stemming: 'none' } as const;

export function parseQuery(query: string, weights: RankingWeights): Query {
  const text = query.slice(0, maxQueryLength).replace(htmlComment, ' ');
  const terms = new Set(splitTerms(text, tokenOptions));
  const titleStems = stemTitle(text);
  const codeTerms = findCodeTerms(text);
  const titleWeight = Math.min(maxTitleWeight, Math.max(1, Math.sqrt(terms.size / weights.titleWords)));
  const onlyStopWords = [...terms].every((term) => stopWords.has(term));
  const words = new Map<string, QueryWord>();
  for (const term of terms) {
    if (stopWords.has(term) && !onlyStopWords) continue;
    const stem = stemWord(term);
    if (words.has(stem)) continue;
    const weight = (titleStems.has(stem) ? titleWeight : 1) * (codeTerms.has(term) ? weights.code : 1);
    words.set(stem, { term, stem, weight });
  }
  return { text, intent: classifyIntent(text), words: [...words.values()].slice(0, maxWords) };
}

/** The stems of the first line, if there are several lines; otherwise none. */
function stemTitle(text: string): ReadonlySet<string> {
  const end = text.indexOf('\n');
  return new Set(end > 0 ? splitTerms(text.slice(0, end), tokenOptions).map(stemWord) : []);
}

/** The terms of the names of code in a query, and of its words between backticks. */
function findCodeTerms(text: string): ReadonlySet<string> {
  const codeTerms = new Set<string>();
  for (const [word] of text.matchAll(namePattern)) {
    if (compoundName.test(word)) codeTerms.add(word.toLowerCase().replace(/^[_$]+|[_$]+$/g, ''));
  }
  for (const match of text.matchAll(quotedCode))
    for (const term of splitTerms(match[1]!, tokenOptions)) codeTerms.add(term);
  return codeTerms;
}
