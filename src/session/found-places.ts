import { z } from 'zod';
import type { ToolResult } from '../core/index.ts';
import type { FoundPlace } from './messages.ts';

/** Places of one search; the rest is only in its text. */
const mostKept = 10;
const longestSnippet = 600;

const hits = z.object({
  hits: z.array(
    z.object({ path: z.string(), page: z.string(), blocks: z.array(z.string()), snippet: z.string() }),
  ),
});

/** The places that a search over pages found; undefined for the result of anything else. */
export function foundIn(result: ToolResult): FoundPlace[] | undefined {
  const read = result.ok ? hits.safeParse(result.data) : null;
  if (read === null || !read.success) return undefined;
  return read.data.hits.slice(0, mostKept).map(({ path, page, blocks, snippet }) => ({
    path,
    page,
    block: blocks[0] ?? null,
    snippet: snippet.slice(0, longestSnippet).toWellFormed(),
  }));
}
