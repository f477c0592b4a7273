import { z } from 'zod';
import type { ToolResult } from '../../core/index.ts';
import type { FoundPlace } from '../history/messages.ts';

/** Maximum places that are kept of one search; the rest is only in its text. */
const maxPlaces = 10;
const maxSnippetLength = 600;

const hits = z.object({
  hits: z.array(
    z.object({ path: z.string(), page: z.string(), blocks: z.array(z.string()), snippet: z.string() }),
  ),
});

/** The places that a search over pages found; undefined if the result is not of such a search. */
export function findPlaces(result: ToolResult): FoundPlace[] | undefined {
  const read = result.ok ? hits.safeParse(result.data) : null;
  if (read === null || !read.success) return undefined;
  return read.data.hits.slice(0, maxPlaces).map(({ path, page, blocks, snippet }) => ({
    path,
    page,
    block: blocks[0] ?? null,
    snippet: snippet.slice(0, maxSnippetLength).toWellFormed(),
  }));
}
