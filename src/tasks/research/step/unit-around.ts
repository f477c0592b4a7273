/**
 * The definition that contains a line: by syntax if the language is supported, otherwise by indentation and brackets.
 */
import { enclosingBlock, withLinesAbove } from '../../../core/answers.ts';
import type { Enclosing, OutlineItem, SymbolReader } from '../../../core/index.ts';

interface LineRequest {
  readonly path: string;
  readonly lines: readonly string[];
  readonly line: number;
  /** Maximum number of lines. */
  readonly max: number;
  readonly signal: AbortSignal;
}

/**
 * The innermost definition around a line that fits into `max` lines, or else the lines around the line. `within` is the
 * definition that contains the shown lines.
 */
export async function unitAround(
  symbols: Pick<SymbolReader, 'outline'> | undefined,
  { path, lines, line, max, signal }: LineRequest,
): Promise<Enclosing> {
  const found = await symbols?.outline({ path, signal });
  if (found?.kind !== 'outline' || found.completeness === 'unknown') return enclosingBlock(lines, line, max);
  const around = holding(found.items, line);
  const inner = around.at(-1);
  // A variable on a line of its own says little without its neighbours.
  if (inner === undefined || (around.length === 1 && inner.start === inner.end))
    return enclosingBlock(lines, line, max);
  const fit = around.findIndex(({ start, end }) => end - start < max);
  const [unit, outer] = [around[fit], fit < 0 ? inner : around[fit - 1]];
  const whole = unit === undefined ? null : spanOf(unit);
  const within = outer === undefined ? null : spanOf(outer);
  if (whole !== null && (within === null || whole.end - whole.start + 1 >= minLength))
    return { shown: withLinesAbove(lines, whole, max), within };
  const above = Math.min(before, Math.floor((max - 1) * 0.4));
  const near = {
    start: Math.max(within?.start ?? 1, line - above),
    end: Math.min(within?.end ?? lines.length, line + Math.min(behind, max - 1 - above)),
  };
  const both = {
    start: Math.min(whole?.start ?? line, near.start),
    end: Math.max(whole?.end ?? line, near.end),
  };
  return { shown: both.end - both.start < max ? both : (whole ?? near), within };
}

/** The innermost definition that contains a line, by syntax. */
export async function definitionAt(
  symbols: Pick<SymbolReader, 'outline'>,
  { path, line, signal }: Pick<LineRequest, 'path' | 'line' | 'signal'>,
): Promise<OutlineItem | undefined> {
  const found = await symbols.outline({ path, signal });
  return found.kind === 'outline' ? holding(found.items, line).at(-1) : undefined;
}

/**
 * Number of lines shown before and behind a line if its definition is too long. A definition of fewer than `minLength`
 * lines is shown with its neighbours.
 */
const before = 11;
const behind = 16;
const minLength = 12;

const spanOf = ({ start, end }: OutlineItem) => ({ start, end });

/** The definitions that contain a line, from the outermost to the innermost. */
function holding(items: readonly OutlineItem[], line: number): readonly OutlineItem[] {
  const item = items.findLast(({ start, end }) => start <= line && line <= end);
  return item === undefined ? [] : [item, ...holding(item.children, line)];
}
