/**
 * Finds all occurrences of many keywords in one pass over a text (Aho and Corasick, 1975): each character costs one
 * table look-up, however many keywords there are. The case of ASCII letters is ignored.
 */

/** Number of ASCII characters. All others share one class, since no keyword contains one. */
const charCodes = 128;

export class KeywordAutomaton {
  /** The next state, at state × classes + class. */
  readonly #next: Uint16Array;
  readonly #classOf: Uint8Array;
  readonly #classes: number;
  /** For each state: the keywords that end there; null if none does. */
  readonly #ending: readonly (readonly number[] | null)[];
  readonly #ends: Uint8Array;
  readonly #lengths: readonly number[];

  /** Keywords in ASCII. */
  constructor(keywords: readonly string[]) {
    const lower = keywords.map((keyword) => keyword.toLowerCase());
    this.#lengths = lower.map(({ length }) => length);
    const letters = [...new Set(lower.join(''))];
    this.#classes = letters.length + 1;
    this.#classOf = new Uint8Array(charCodes);
    for (const [index, letter] of letters.entries()) {
      this.#classOf[letter.charCodeAt(0)] = index + 1;
      this.#classOf[letter.toUpperCase().charCodeAt(0)] = index + 1;
    }
    const { next, ending } = buildTrie(lower, this.#classOf, this.#classes);
    this.#next = linkSuffixes(next, ending, this.#classes);
    this.#ending = ending.map((ends) => (ends.length === 0 ? null : ends));
    this.#ends = Uint8Array.from(ending, (ends) => (ends.length === 0 ? 0 : 1));
  }

  /** Whether the first bytes hold any keyword: checked before bytes are decoded. */
  hasKeyword(bytes: Uint8Array, length: number): boolean {
    const next = this.#next;
    const classOf = this.#classOf;
    const classes = this.#classes;
    const ends = this.#ends;
    let state = 0;
    for (let at = 0; at < length; at++) {
      const code = bytes[at]!;
      state = code < charCodes ? next[state * classes + classOf[code]!]! : 0;
      if (ends[state] === 1) return true;
    }
    return false;
  }

  /** Calls `onHit` for each keyword found, in the order of their ends. */
  find(text: string, onHit: (keyword: number, at: number) => void): void {
    const next = this.#next;
    const classOf = this.#classOf;
    const classes = this.#classes;
    const ends = this.#ends;
    const { length } = text;
    let state = 0;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      state = code < charCodes ? next[state * classes + classOf[code]!]! : 0;
      if (ends[state] === 1)
        for (const keyword of this.#ending[state]!) onHit(keyword, at + 1 - this.#lengths[keyword]!);
    }
  }
}

interface Trie {
  /** For each state and character class: the next state, or -1 if the trie has no such child. */
  readonly next: number[][];
  readonly ending: number[][];
}

function buildTrie(keywords: readonly string[], classOf: Uint8Array, classes: number): Trie {
  const next: number[][] = [Array(classes).fill(-1)];
  const ending: number[][] = [[]];
  for (const [number, keyword] of keywords.entries()) {
    let state = 0;
    for (let at = 0; at < keyword.length; at++) {
      const letter = classOf[keyword.charCodeAt(at)]!;
      let child = next[state]![letter]!;
      if (child < 0) {
        child = next.length;
        next[state]![letter] = child;
        next.push(Array(classes).fill(-1));
        ending.push([]);
      }
      state = child;
    }
    ending[state]!.push(number);
  }
  return { next, ending };
}

/**
 * Completes the trie: without a child, a state continues as its longest suffix that has one; keywords that end in the
 * suffix end here as well.
 */
function linkSuffixes(next: number[][], ending: number[][], classes: number): Uint16Array {
  const table = new Uint16Array(next.length * classes);
  const suffix: number[] = Array(next.length).fill(0);
  const queue = [0];
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head]!;
    for (let letter = 0; letter < classes; letter++) {
      const child = next[state]![letter]!;
      const fallback = state === 0 ? 0 : table[suffix[state]! * classes + letter]!;
      if (child < 0) {
        table[state * classes + letter] = fallback;
        continue;
      }
      table[state * classes + letter] = child;
      suffix[child] = fallback;
      ending[child]!.push(...ending[fallback]!);
      queue.push(child);
    }
  }
  return table;
}
