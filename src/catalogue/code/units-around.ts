import type { LineMatch, OutlineItem, SymbolReader } from '../../core/index.ts';
import type { FindUnit } from './cited-lines.ts';
import { readingPenalty } from './reading-order.ts';

/** Maximum files whose definitions are looked up: those that are worth reading first. */
const maxFiles = 12;

/** Names the definition around each line, by syntax. */
export async function findUnitsAround(
  matches: readonly LineMatch[],
  symbols: Pick<SymbolReader, 'outline'> | undefined,
  signal: AbortSignal | undefined,
): Promise<FindUnit> {
  if (symbols === undefined) return () => null;
  const paths = [...new Set(matches.map(({ path }) => path))].sort(
    (a, b) => readingPenalty(a) - readingPenalty(b),
  );
  const known = new Map<string, readonly OutlineItem[]>();
  for (const path of paths.slice(0, maxFiles)) {
    const found = await symbols.outline({ path, ...(signal && { signal }) });
    if (found.kind === 'outline' && found.completeness !== 'unknown') known.set(path, found.items);
  }
  return (path, line) => findNameAt(known.get(path) ?? [], line);
}

function findNameAt(items: readonly OutlineItem[], line: number): string | null {
  const item = items.findLast(({ start, end, kind }) => start <= line && line <= end && kind !== 'field');
  // A definition on a single line says its name itself.
  if (item === undefined || (item.start === line && item.end === line)) return null;
  const inner = findNameAt(item.children, line);
  return inner === null ? item.name : `${item.name}.${inner}`;
}
