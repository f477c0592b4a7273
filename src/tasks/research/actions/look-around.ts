import { z } from 'zod';
import { readingPenalty } from '../../../catalogue/code/reading-order.ts';
import { escapePath, type LineSpan, type OutlineItem, type SymbolReader } from '../../../core/index.ts';
import { type Action, type ActionContext, action } from './action.ts';

export const lookAroundName = 'look_around';

/** Maximum number of files to outline, of definitions per file, and of folders. */
const maxFiles = 2;
const maxDefinitions = 6;
const maxFolders = 8;
const maxHits = 12;

/**
 * An overview of folders and definitions, which the program requests beside the first search. Planners are not offered
 * it.
 */
export const lookAround: Action = action({
  name: lookAroundName,
  description: 'The folders there are, and what the files define that a search finds first.',
  input: z.object({ query: z.string() }),
  available: ({ symbols }) => symbols !== undefined,
  async run({ query }, context) {
    const { material, scope, signal } = context;
    const symbols = material.symbols!;
    const options = { ...(scope.text !== undefined && { scope: scope.text }), signal };
    const [found, listed] = await Promise.all([
      material.search.search({ query, k: maxHits, ...options }),
      symbols.paths(options),
    ]);
    const files = Map.groupBy(
      found.hits.filter(({ path }) => scope.admits(path)),
      ({ path }) => path,
    );
    const outlines: string[] = [];
    const outlinedNames: ReadonlySet<string>[] = [];
    // Tests and benches come last, because they say little about what a program does.
    const orderedFiles = [...files].toSorted(([a], [b]) => readingPenalty(a) - readingPenalty(b));
    for (const [path, spans] of orderedFiles) {
      if (outlinedNames.length >= maxFiles) break;
      const outline = await outlineFile(symbols, path, spans, context);
      // A variant of a listed file, such as one generated from it, defines nearly the same names.
      if (outline === null || outlinedNames.some((names) => isVariant(outline.names, names))) continue;
      outlinedNames.push(outline.names);
      if (outline.text !== '') outlines.push(outline.text);
    }
    const folders = countFolders(listed.paths.filter(scope.admits));
    return {
      kind: 'done',
      summary: `${folders.length} folders and files at the top, and what ${outlines.length} files define`,
      text: [folders.slice(0, maxFolders).join(', '), ...outlines].filter((line) => line !== '').join('\n'),
      evidence: [],
      // Only the first results were looked at.
      completeness: 'partial',
      notes: [],
    };
  },
});

/** The folders at the top with their numbers of files, largest first. */
function countFolders(paths: readonly string[]): readonly string[] {
  const fileCounts = new Map<string, number>();
  for (const path of paths) {
    const slash = path.indexOf('/');
    const key = slash < 0 ? '' : path.slice(0, slash + 1);
    fileCounts.set(key, (fileCounts.get(key) ?? 0) + 1);
  }
  return [...fileCounts]
    .sort((a, b) => b[1] - a[1])
    .map(([folder, files]) => (folder === '' ? `${files} at the top` : `${escapePath(folder)} ${files}`));
}

const isVariant = (names: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  names.intersection(others).size * 2 > names.size;

interface FileOutline {
  /** Empty if the search shows all definitions of the file. */
  readonly text: string;
  /** The names of all definitions in the file. */
  readonly names: ReadonlySet<string>;
}

/**
 * Lists the definitions nearest to the hits, in file order. Only names and lines, since the text is sent with every
 * turn. A definition without members that overlaps a hit is left out, because the search shows it.
 */
async function outlineFile(
  symbols: SymbolReader,
  path: string,
  spans: readonly LineSpan[],
  { signal }: Pick<ActionContext, 'signal'>,
): Promise<FileOutline | null> {
  const found = await symbols.outline({ path, signal });
  if (found.kind !== 'outline') return null;
  const definitions = flattenItems(found.items, 0).filter(
    ({ item }) => item.kind !== 'field' && item.kind !== 'variable' && !/^__\w+__$/.test(item.name),
  );
  const distance = ({ item }: (typeof definitions)[number]) =>
    Math.min(
      ...spans.map(({ start }) =>
        item.start <= start && start <= item.end ? 0 : Math.abs(item.start - start),
      ),
    );
  const unseen = definitions.filter(
    ({ item }) =>
      item.children.length > 0 || !spans.some(({ start, end }) => item.start <= end && start <= item.end),
  );
  const nearest = new Set(unseen.toSorted((a, b) => distance(a) - distance(b)).slice(0, maxDefinitions));
  const names = new Set(definitions.map(({ item }) => item.name));
  if (nearest.size === 0) return names.size === 0 ? null : { text: '', names };
  const text = definitions
    .filter((definition) => nearest.has(definition))
    .map(({ item, depth }) => `${depth > 0 ? '.' : ''}${item.name} ${item.start}-${item.end}`)
    .join(', ');
  const moreText = unseen.length > nearest.size ? ` and ${unseen.length - nearest.size} more` : '';
  return {
    text: `${escapePath(path)} ${unseen.length < definitions.length ? 'also ' : ''}defines ${text}${moreText}`,
    names,
  };
}

const flattenItems = (
  items: readonly OutlineItem[],
  depth: number,
): readonly { readonly item: OutlineItem; readonly depth: number }[] =>
  items.flatMap((item) => [{ item, depth }, ...(depth < 1 ? flattenItems(item.children, depth + 1) : [])]);
