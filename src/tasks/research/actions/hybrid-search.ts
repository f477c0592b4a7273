import { z } from 'zod';
import { action } from './action.ts';
import { count, lowered, whole } from './bounds.ts';

export const hybridSearch = action({
  name: 'hybrid_search',
  about:
    'Ranked search by words and meaning over all files in scope. Use the terms the code would use: identifiers, error messages, names of options. Returns the best spans as evidence.',
  input: z.object({
    query: z.string().describe('What to look for: terms, identifiers, or a sentence'),
    k: z.coerce.number().default(8).describe('How many spans, 1 to 20; 8 is usual'),
  }),
  available: () => true,
  async run({ query, k }, { material, scope, signal, collect }) {
    if (query.trim() === '') return { kind: 'failed', message: 'The query is empty: name what to look for.' };
    const reply = await material.search.search({
      query,
      k: whole(k, 1, 20),
      ...(scope.text !== undefined && { scope: scope.text }),
      signal,
    });
    const inScope = reply.hits.filter((hit) => scope.admits(hit.path));
    const outside = reply.hits.length - inScope.length;
    const { evidence, notes } = await collect(
      inScope
        .slice(0, 20)
        .map((hit) => ({ ...hit, reason: `found by searching for: ${query}`, near: query })),
    );
    const files = new Set(evidence.map((item) => item.file_path)).size;
    return {
      kind: 'done',
      summary:
        evidence.length === 0
          ? 'nothing matched'
          : `${count(evidence.length, 'span')} in ${count(files, 'file')}`,
      text: '',
      evidence,
      // A ranked list ends where it was told to: what comes after is weaker, not absent.
      completeness: lowered(reply.completeness, true),
      notes: [
        ...reply.notes,
        ...notes,
        ...(outside > 0 ? [`${count(outside, 'hit')} outside the scope dropped`] : []),
      ],
    };
  },
});
