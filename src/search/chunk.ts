import { planSections } from './chunk-markdown.ts';
import { type ChunkPlan, type ChunkSettings, planLines } from './chunk-plan.ts';
import { extensionOf } from './tokens-definitions.ts';

/**
 * Where a file is cut into the spans that are indexed, scored and cited. Line numbers are those of the file
 * on disk, 1-based and inclusive; a line ends at `\n`, so `\r\n` counts once.
 */

const markdown = new Set(['md', 'markdown', 'mdx']);

/** Fills `plan` with the chunks of `bytes[0, length)`. */
export function planChunks(
  path: string,
  bytes: Uint8Array,
  length: number,
  settings: ChunkSettings,
  plan: ChunkPlan,
): void {
  plan.clear();
  if (markdown.has(extensionOf(path))) planSections(bytes, length, settings, plan);
  else planLines(bytes, 0, length, 1, '', settings, plan);
}
