import type { LineMatch, SpanHit, SpanSearch, TextGrep } from '../../core/index.ts';

/** Maximum matching lines that are read. */
const maxMatchingLines = 5_000;
/** Lines of a window. */
const spanLines = 40;
/** Maximum words of a query that are searched. */
const maxWords = 12;

/** Words too common to say what a file is about. */
const commonWords =
  /^(?:the|and|for|are|was|how|why|who|what|when|where|which|does|did|has|have|with|from|into|that|this|there|not|its|can|will|use[ds]?|via|all|any|but|per)$/i;

/**
 * A search without an index: windows of lines, ranked by how many words of the query they hold, rarer words
 * counting more. It reads every file, ranks less well than an index, and always says that it is partial.
 */
export function searchByGrep(grep: TextGrep): SpanSearch {
  return {
    async search({ query, k = 10, scope, signal }) {
      const words = extractWords(query);
      if (words.length === 0) return { hits: [], completeness: 'partial', notes: [noIndexNote] };
      const reply = await grep.grep({
        pattern: words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'),
        ignoreCase: true,
        limit: maxMatchingLines,
        ...(scope !== undefined && { scope }),
        ...(signal !== undefined && { signal }),
      });
      return {
        hits: rankWindows(words, reply.matches).slice(0, k),
        completeness: 'partial',
        notes: [noIndexNote],
      };
    },
  };
}

const noIndexNote = 'there is no index yet: the files were searched with ripgrep, which ranks less well';

function extractWords(query: string): readonly string[] {
  const found = query.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
  return [...new Set(found)].filter((word) => !commonWords.test(word)).slice(0, maxWords);
}

function rankWindows(words: readonly string[], matches: readonly LineMatch[]): readonly SpanHit[] {
  const windows = new Map<
    string,
    { readonly path: string; readonly first: number; readonly words: Set<string> }
  >();
  const windowsWith = new Map<string, number>();
  for (const { path, line, text } of matches) {
    const first = line - ((line - 1) % spanLines);
    const key = `${first} ${path}`;
    const window = windows.get(key) ?? { path, first, words: new Set<string>() };
    windows.set(key, window);
    const folded = `${path} ${text}`.toLowerCase();
    for (const word of words) {
      if (window.words.has(word) || !folded.includes(word)) continue;
      window.words.add(word);
      windowsWith.set(word, (windowsWith.get(word) ?? 0) + 1);
    }
  }
  const rarity = (word: string): number => Math.log(1 + windows.size / (windowsWith.get(word) ?? 1));
  const scored = [...windows.values()].map((window) => ({
    window,
    score: [...window.words].reduce((sum, word) => sum + rarity(word), 0),
  }));
  const best = Math.max(1e-9, ...scored.map(({ score }) => score));
  return scored
    .sort(
      (a, b) =>
        b.score - a.score || (a.window.path < b.window.path ? -1 : 1) || a.window.first - b.window.first,
    )
    .map(({ window, score }) => ({
      path: window.path,
      start: window.first,
      end: window.first + spanLines - 1,
      score: score / best,
      provenance: 'grep',
    }));
}
