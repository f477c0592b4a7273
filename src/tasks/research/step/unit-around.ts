/**
 * Finds the definition that contains a line: by syntax if the language is supported, otherwise by indentation and
 * brackets.
 */
import { findEnclosingBlock, includeLinesAbove } from '../../../core/answers.ts';
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
 * The largest definition around a line that fits into `max` lines, or else the neighbouring lines. `within` is the
 * definition that contains the shown lines.
 */
export async function unitAround(
  symbols: Pick<SymbolReader, 'outline'> | undefined,
  { path, lines, line, max, signal }: LineRequest,
): Promise<Enclosing> {
  const found = await symbols?.outline({ path, signal });
  if (found?.kind !== 'outline' || found.completeness === 'unknown')
    return findEnclosingBlock(lines, line, max);
  const enclosing = listEnclosing(found.items, line);
  const innermost = enclosing.at(-1);
  // A one-line definition, such as a variable, says little without its neighbours.
  if (innermost === undefined || (enclosing.length === 1 && innermost.start === innermost.end))
    return findEnclosingBlock(lines, line, max);
  const fittingIndex = enclosing.findIndex(({ start, end }) => end - start < max);
  const [unit, outer] = [enclosing[fittingIndex], fittingIndex < 0 ? innermost : enclosing[fittingIndex - 1]];
  const unitSpan = unit === undefined ? null : spanOf(unit);
  const within = outer === undefined ? null : spanOf(outer);
  if (unitSpan !== null && (within === null || unitSpan.end - unitSpan.start + 1 >= minLength))
    return { shown: includeLinesAbove(lines, unitSpan, max), within };
  const linesAbove = Math.min(linesBefore, Math.floor((max - 1) * 0.4));
  const nearby = {
    start: Math.max(within?.start ?? 1, line - linesAbove),
    end: Math.min(within?.end ?? lines.length, line + Math.min(linesAfter, max - 1 - linesAbove)),
  };
  const joint = {
    start: Math.min(unitSpan?.start ?? line, nearby.start),
    end: Math.max(unitSpan?.end ?? line, nearby.end),
  };
  return { shown: joint.end - joint.start < max ? joint : (unitSpan ?? nearby), within };
}

/** The innermost definition that contains a line, by syntax. */
export async function definitionAt(
  symbols: Pick<SymbolReader, 'outline'>,
  { path, line, signal }: Pick<LineRequest, 'path' | 'line' | 'signal'>,
): Promise<OutlineItem | undefined> {
  const found = await symbols.outline({ path, signal });
  return found.kind === 'outline' ? listEnclosing(found.items, line).at(-1) : undefined;
}

/**
 * Maximum number of lines shown before and after a line if its definition is too long. A member of fewer than
 * `minLength` lines is shown with its neighbours.
 */
const linesBefore = 11;
const linesAfter = 16;
const minLength = 12;

const spanOf = ({ start, end }: OutlineItem) => ({ start, end });

/** The definitions that contain a line, from the outermost to the innermost. */
function listEnclosing(items: readonly OutlineItem[], line: number): readonly OutlineItem[] {
  const item = items.findLast(({ start, end }) => start <= line && line <= end);
  return item === undefined ? [] : [item, ...listEnclosing(item.children, line)];
}
