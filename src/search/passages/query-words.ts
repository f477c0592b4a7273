import type { TermGroup } from '../lexical/index.ts';
import { termsOf } from '../tokens.ts';

/** A word of a query that an identifier stands for, and how well. */
export interface WordMatch {
  readonly word: number;
  /** 1 for the word itself, less for another form of it. */
  readonly share: number;
}

const tokens = { stemming: 'none' } as const;
const identifier = /[A-Za-z0-9_$\u0080-\uffff]+/g;

export const identifiersOf = (text: string): readonly string[] => text.match(identifier) ?? [];

/** The words of one query, matched against identifiers in code. Each distinct identifier is split once. */
export class QueryWords {
  readonly weights: readonly number[];
  readonly #byTerm = new Map<string, WordMatch[]>();
  readonly #known = new Map<string, readonly WordMatch[]>();

  constructor(groups: readonly TermGroup[]) {
    this.weights = groups.map(({ weight }) => weight);
    for (const [word, { terms }] of groups.entries())
      for (const { term, weight } of terms) {
        const matches = this.#byTerm.get(term);
        if (matches === undefined) this.#byTerm.set(term, [{ word, share: weight }]);
        else matches.push({ word, share: weight });
      }
  }

  of(name: string): readonly WordMatch[] {
    let matches = this.#known.get(name);
    if (matches === undefined) {
      matches = this.#find(name);
      this.#known.set(name, matches);
    }
    return matches;
  }

  #find(name: string): readonly WordMatch[] {
    const best = new Map<number, number>();
    for (const term of termsOf(name, tokens))
      for (const { word, share } of this.#byTerm.get(term) ?? [])
        best.set(word, Math.max(best.get(word) ?? 0, share));
    return best.size === 0 ? none : [...best].map(([word, share]) => ({ word, share }));
  }
}

const none: readonly WordMatch[] = [];
