import { z } from 'zod';
import { action } from './action.ts';

export const bestDefinitions = 'search_definitions';

/** Maximum number of definitions that one search returns. */
const max = 12;

/** For the policy without a model: a planner gets whole blocks from its searches, and is not offered this. */
export const searchDefinitions = action({
  name: bestDefinitions,
  about: 'The definitions in the best files of a search that say most about a question.',
  input: z.object({ query: z.string() }),
  available: ({ best }) => best !== undefined,
  async run({ query }, { material, scope, signal, collect }) {
    const reply = await material.best!.search({
      query,
      k: max,
      ...(scope.text !== undefined && { scope: scope.text }),
      signal,
    });
    const { evidence, notes } = await collect(
      reply.hits.map((hit) => ({ ...hit, reason: 'a definition that holds the words of the question' })),
    );
    return {
      kind: 'done',
      summary: evidence.length === 0 ? 'nothing matched' : `${evidence.length} definitions`,
      text: '',
      evidence,
      // Ranked, and cut once the first ones suffice.
      completeness: 'partial',
      notes: [...reply.notes, ...notes],
    };
  },
});
