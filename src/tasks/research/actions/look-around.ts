import { z } from 'zod';
import { setback } from '../../../catalogue/code/reading-order.ts';
import { escapePath, type LineSpan, type OutlineItem, type SymbolReader } from '../../../core/index.ts';
import { type Action, type ActionContext, action } from './action.ts';

export const around = 'look_around';

/** Maximum number of files to outline, of definitions per file, and of folders. */
const maxFiles = 2;
const maxDefinitions = 6;
const maxFolders = 8;
const hits = 12;

/** The program's own first look, besides the first search: no planner is offered it. */
export const lookAround: Action = action({
  name: around,
  about: 'The folders there are, and what the files define that a search finds first.',
  input: z.object({ query: z.string() }),
  available: ({ symbols }) => symbols !== undefined,
  async run({ query }, context) {
    const { material, scope, signal } = context;
    const symbols = material.symbols!;
    const asked = { ...(scope.text !== undefined && { scope: scope.text }), signal };
    const [found, listed] = await Promise.all([
      material.search.search({ query, k: hits, ...asked }),
      symbols.paths(asked),
    ]);
    const files = Map.groupBy(
      found.hits.filter(({ path }) => scope.admits(path)),
      ({ path }) => path,
    );
    const outlines: string[] = [];
    const named: ReadonlySet<string>[] = [];
    // Files of tests and benches come last: they say little about what a program does.
    const inOrder = [...files].toSorted(([a], [b]) => setback(a) - setback(b));
    for (const [path, spans] of inOrder) {
      if (named.length >= maxFiles) break;
      const outline = await outlineNear(symbols, path, spans, context);
      // A variant of a file, such as one that is generated from it, defines nearly the same names.
      if (outline === null || named.some((names) => isVariant(outline.names, names))) continue;
      named.push(outline.names);
      if (outline.text !== '') outlines.push(outline.text);
    }
    const folders = foldersOf(listed.paths.filter(scope.admits));
    return {
      kind: 'done',
      summary: `${folders.length} folders and files at the top, and what ${outlines.length} files define`,
      text: [folders.slice(0, maxFolders).join(', '), ...outlines].filter((line) => line !== '').join('\n'),
      evidence: [],
      // Only a look at the first results.
      completeness: 'partial',
      notes: [],
    };
  },
});

/** The top folders; if there is only one, its subfolders as well. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const counted = new Map<string, number>();
  for (const path of paths) {
    const cut = path.indexOf('/');
    const key = cut < 0 ? '' : path.slice(0, cut + 1);
    counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  return [...counted]
    .sort((a, b) => b[1] - a[1])
    .map(([folder, files]) => (folder === '' ? `${files} at the top` : `${escapePath(folder)} ${files}`));
}

const isVariant = (names: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  names.intersection(others).size * 2 > names.size;

interface NearOutline {
  /** Empty if the search shows all that the file defines. */
  readonly text: string;
  /** The names of all definitions in the file. */
  readonly names: ReadonlySet<string>;
}

/**
 * The definitions nearest to the finds, in the order of the file: names and lines alone, since this is sent with every
 * turn, and whoever wants a signature asks for it. The search itself shows the functions that it found.
 */
async function outlineNear(
  symbols: SymbolReader,
  path: string,
  spans: readonly LineSpan[],
  { signal }: Pick<ActionContext, 'signal'>,
): Promise<NearOutline | null> {
  const found = await symbols.outline({ path, signal });
  if (found.kind !== 'outline') return null;
  const all = flat(found.items, 0).filter(
    ({ item }) => item.kind !== 'field' && item.kind !== 'variable' && !/^__\w+__$/.test(item.name),
  );
  const distance = ({ item }: (typeof all)[number]) =>
    Math.min(
      ...spans.map(({ start }) =>
        item.start <= start && start <= item.end ? 0 : Math.abs(item.start - start),
      ),
    );
  const left = all.filter(
    ({ item }) =>
      item.children.length > 0 || !spans.some(({ start, end }) => item.start <= end && start <= item.end),
  );
  const kept = new Set(left.toSorted((a, b) => distance(a) - distance(b)).slice(0, maxDefinitions));
  const names = new Set(all.map(({ item }) => item.name));
  if (kept.size === 0) return names.size === 0 ? null : { text: '', names };
  const text = all
    .filter((one) => kept.has(one))
    .map(({ item, depth }) => `${depth > 0 ? '.' : ''}${item.name} ${item.start}-${item.end}`)
    .join(', ');
  const more = left.length > kept.size ? ` and ${left.length - kept.size} more` : '';
  return {
    text: `${escapePath(path)} ${left.length < all.length ? 'also ' : ''}defines ${text}${more}`,
    names,
  };
}

const flat = (
  items: readonly OutlineItem[],
  depth: number,
): readonly { readonly item: OutlineItem; readonly depth: number }[] =>
  items.flatMap((item) => [{ item, depth }, ...(depth < 1 ? flat(item.children, depth + 1) : [])]);
