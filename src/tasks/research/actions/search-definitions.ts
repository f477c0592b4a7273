import { z } from 'zod';
import type { Turn } from '../state.ts';
import { action } from './action.ts';

export const searchDefinitionsName = 'search_definitions';

/** Maximum number of definitions that an answer is composed of. */
export const maxDefinitions = 12;

/** For the policy without a model. Planners are not offered it, since their searches show whole definitions. */
export const searchDefinitions = action({
  name: searchDefinitionsName,
  description: 'The definitions in the best files of a search that say most about a question.',
  input: z.object({ query: z.string() }),
  available: ({ definitionSearch }) => definitionSearch !== undefined,
  async run({ query }, { material, scope, signal, collect }) {
    const reply = await material.definitionSearch!.search({
      query,
      k: maxDefinitions,
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
      scores: evidence.map(({ score }) => score ?? 0),
      // The hits are ranked, and cut after the best ones.
      completeness: 'partial',
      notes: [...reply.notes, ...notes],
    };
  },
});

export const rerankDefinitionsName = 'rerank_definitions';

/** Maximum number of definitions that the model puts in order. */
const maxCandidates = 30;

/** The step whose definitions a model put in order; undefined if there is none. */
export const findRerankTurn = (turns: readonly Turn[]): Turn | undefined =>
  turns.find(
    ({ action, outcome, evidence }) =>
      action === rerankDefinitionsName && outcome === 'ok' && evidence.length > 1,
  );

/** The program requests it itself if the setting `rerank` is on. Planners are not offered it. */
export const rerankDefinitions = action({
  name: rerankDefinitionsName,
  description: 'The definitions in the best files of a search, put in order by a model.',
  input: z.object({ query: z.string() }),
  available: ({ definitionSearch }) => definitionSearch !== undefined,
  async run({ query }, { material, scope, signal, collect, rerank }) {
    const reply = await material.definitionSearch!.search({
      query,
      k: maxCandidates,
      ...(scope.text !== undefined && { scope: scope.text }),
      signal,
    });
    const { evidence, notes } = await collect(
      reply.hits.map((hit) => ({ ...hit, reason: 'a definition that holds the words of the question' })),
    );
    const ranked = evidence.length > 1 ? await rerank(evidence) : { best: [] };
    if ('failure' in ranked) return { kind: 'failed', message: ranked.failure };
    const rankedFirst = new Set(ranked.best.flatMap((n) => evidence[n] ?? []));
    const ordered = [...rankedFirst, ...evidence.filter((evidence) => !rankedFirst.has(evidence))].slice(
      0,
      maxDefinitions,
    );
    return {
      kind: 'done',
      summary: `a model put ${rankedFirst.size} of ${evidence.length} definitions first`,
      text: '',
      evidence: ordered,
      completeness: 'partial',
      notes: [...reply.notes, ...notes],
    };
  },
});
