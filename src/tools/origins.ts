/** Adds the origins of a result. Some tools name their origins exactly; for the others, the host names them. */
import type { Capability, Tool, ToolResult } from '../core/index.ts';

const materialCapabilities: ReadonlySet<Capability> = new Set([
  'PagesRead',
  'SearchUse',
  'CodeRead',
  'SignalsRead',
]);

export function addOrigins(
  { name, effect, capability }: Pick<Tool, 'name' | 'effect' | 'capability'>,
  result: ToolResult,
): ToolResult {
  if (!result.ok || result.origins.length > 0) return result;
  if (effect !== 'read' || capability === null || !materialCapabilities.has(capability)) return result;
  return Object.freeze({ ...result, origins: result.reads.length > 0 ? result.reads : [`tool:${name}`] });
}
