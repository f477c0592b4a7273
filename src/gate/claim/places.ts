/** Finds places of files that an answer names: `src/a.ts:12-20`, `src/a.ts#L12`, `a.ts, lines 12 to 20`. */
export interface NamedPlace {
  readonly path: string;
  /** 1-based and inclusive. */
  readonly start: number;
  readonly end: number;
  /** The text before the name. If a name has spaces, only the part after the last space counts as the name. */
  readonly before: string;
  /** Offset in the text at which the name ends. */
  readonly endOffset: number;
}

/** File extensions that make a name without a folder a path: `server.port:8080` and `example.org:443` are not paths. */
const extensions =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|py|pyi|pyx|go|rs|java|kt|kts|scala|groovy|c|h|cc|cpp|cxx|hpp|hh|cs|fs|rb|php|swift|' +
  'm|mm|sh|bash|zsh|fish|ps1|sql|md|mdx|rst|adoc|txt|json|jsonl|yaml|yml|toml|ini|cfg|conf|xml|html|htm|css|scss|' +
  'less|vue|svelte|astro|proto|graphql|ex|exs|erl|hs|ml|clj|lua|pl|r|jl|dart|zig|nim|tf|gradle|log|csv|ipynb|lock';
const character = '[\\p{L}\\p{N}_.@+~-]';
const path = `(?:(?:/?(?:${character}+/)+${character}*[\\p{L}\\p{N}_-])|(?:${character}*\\.(?:${extensions})))`;
const before = '(?<![\\p{L}\\p{N}_/.:@])';
const to = '\\s*(?:-|–|—|to|and)\\s*L?';
/**
 * Patterns of places. They are compiled on first use, since this takes ten milliseconds, and few processes ever read an
 * answer.
 */
let forms: readonly RegExp[] | undefined;

const createForms = (): readonly RegExp[] => [
  new RegExp(`${before}(?<path>${path}):(?<a>\\d{1,7})(?:${to}(?<b>\\d{1,7}))?(?![\\p{L}\\d])`, 'dgu'),
  new RegExp(`${before}(?<path>${path})#L(?<a>\\d{1,7})(?:${to}(?<b>\\d{1,7}))?`, 'dgu'),
  new RegExp(
    `${before}(?<path>${path})[\`'")\\]*]*,?\\s*\\(?(?:at |on |in )?lines?\\s+(?<a>\\d{1,7})(?:${to}(?<b>\\d{1,7}))?`,
    'dgu',
  ),
  new RegExp(
    `\\blines?\\s+(?<a>\\d{1,7})(?:${to}(?<b>\\d{1,7}))?\\s+(?:of|in)\\s+[\`'"*]*(?<path>${path})(?![\\p{L}\\p{N}_/:])`,
    'dgiu',
  ),
];

export function findPlaces(text: string): readonly NamedPlace[] {
  forms ??= createForms();
  return forms
    .flatMap((form) => [...text.matchAll(form)])
    .map(({ 0: whole, index, groups, indices }) => {
      const start = Number(groups?.['a']);
      const end = Number(groups?.['b'] ?? start);
      const [from, to] = indices?.groups?.['path'] ?? [index, index];
      const named = { path: text.slice(from, to), before: text.slice(0, from) };
      return { ...named, start, end: Math.max(start, end), endOffset: index + whole.length };
    })
    .sort((a, b) => a.endOffset - b.endOffset);
}
