import { extensionOf } from '../tokens/tokens-definitions.ts';
import { planSections } from './chunk-markdown.ts';
import { type ChunkPlan, type ChunkSettings, type LinedText, planLines } from './chunk-plan.ts';

/**
 * Cuts a file into the spans that are indexed, scored and cited. Line numbers are those of the file, 1-based and
 * inclusive; a line ends at `\n`, so `\r\n` counts once.
 */

const markdown = new Set(['md', 'markdown', 'mdx']);

/** Fills `plan` with the chunks of a file. */
export function planChunks(path: string, text: LinedText, settings: ChunkSettings, plan: ChunkPlan): void {
  plan.clear();
  if (markdown.has(extensionOf(path))) planSections(text, settings, plan);
  else planLines(text, 0, text.length, 1, '', settings, plan);
}
