import { z } from 'zod';
import { count, lowered } from '../bounds.ts';
import { done } from '../entry.ts';
import { codeEntry, scope, spanData, within } from './code-ports.ts';

export const hybridSearch = codeEntry({
  name: 'hybrid_search',
  description:
    'Ranked search by words and meaning over all files in scope. Use the terms the code would use: identifiers, error messages, names of options; or a sentence. Returns the best spans with their lines.',
  parameters: z.object({
    // An issue with its log is a query, too: search takes of it what it can use.
    query: z.string().trim().min(1).max(1_000_000).describe('Terms, identifiers, or a sentence'),
    k: z.int().min(1).max(50).default(8).describe('How many spans; 8 is usual'),
    scope,
  }),
  capability: 'CodeRead',
  effect: 'read',
  cost: '10 ms to 1 s where files changed; 1 KB a span',
  needs: ['search'],
  pieces: { tool: 50, action: 20 },
  asAction: { fixed: { scope: undefined }, max: { k: 20 } },
  async run({ query, k, scope: wanted }, { ports, scope: outer, pieces, collect, signal }) {
    const inside = within(outer, wanted);
    const reply = await ports.search.search({ query, k, ...inside.asked, ...(signal && { signal }) });
    const hits = reply.hits.filter(({ path }) => inside.admits(path));
    const outside = reply.hits.length - hits.length;
    const reason = `found by searching for: ${query}`;
    const { evidence, notes } = await collect(
      hits.slice(0, Math.min(k, pieces)).map((hit) => ({ ...hit, reason, near: query })),
    );
    const files = new Set(evidence.map(({ file_path }) => file_path)).size;
    return done({
      summary:
        evidence.length === 0
          ? 'nothing matched'
          : `${count(evidence.length, 'span')} in ${count(files, 'file')}`,
      nothing: 'Nothing matched.',
      data: { spans: evidence.map(spanData) },
      evidence,
      completeness: lowered(reply.completeness, hits.length >= k || notes.length > 0),
      ranked: true,
      notes: [
        ...reply.notes,
        ...notes,
        ...(outside > 0 ? [`${count(outside, 'hit')} outside the scope dropped`] : []),
      ],
    });
  },
});
