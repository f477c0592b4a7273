import { z } from 'zod';
import type { Turn } from '../state.ts';
import { action } from './action.ts';

export const bestDefinitions = 'search_definitions';

/** Maximum number of definitions that an answer is put together from. */
export const maxDefinitions = 12;

/** For the policy without a model: a planner gets whole blocks from its searches, and is not offered this. */
export const searchDefinitions = action({
  name: bestDefinitions,
  about: 'The definitions in the best files of a search that say most about a question.',
  input: z.object({ query: z.string() }),
  available: ({ best }) => best !== undefined,
  async run({ query }, { material, scope, signal, collect }) {
    const reply = await material.best!.search({
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
      // Ranked, and cut once the first ones suffice.
      completeness: 'partial',
      notes: [...reply.notes, ...notes],
    };
  },
});

export const rerankedDefinitions = 'rerank_definitions';

/** Number of definitions that the model puts in order. */
const candidates = 30;

/** The step whose definitions a model put in order; undefined if there is none. */
export const rerankedTurn = (turns: readonly Turn[]): Turn | undefined =>
  turns.find(
    ({ action, outcome, evidence }) =>
      action === rerankedDefinitions && outcome === 'ok' && evidence.length > 1,
  );

/** A step of the program's own, where the setting `rerank` is on. No planner is offered it. */
export const rerankDefinitions = action({
  name: rerankedDefinitions,
  about: 'The definitions in the best files of a search, put in order by a model.',
  input: z.object({ query: z.string() }),
  available: ({ best }) => best !== undefined,
  async run({ query }, { material, scope, signal, collect, rerank }) {
    const reply = await material.best!.search({
      query,
      k: candidates,
      ...(scope.text !== undefined && { scope: scope.text }),
      signal,
    });
    const { evidence, notes } = await collect(
      reply.hits.map((hit) => ({ ...hit, reason: 'a definition that holds the words of the question' })),
    );
    const ranked = evidence.length > 1 ? await rerank(evidence) : { best: [] };
    if ('failure' in ranked) return { kind: 'failed', message: ranked.failure };
    const first = new Set(ranked.best.flatMap((n) => evidence[n] ?? []));
    const ordered = [...first, ...evidence.filter((evidence) => !first.has(evidence))].slice(
      0,
      maxDefinitions,
    );
    return {
      kind: 'done',
      summary: `a model put ${first.size} of ${evidence.length} definitions first`,
      text: '',
      evidence: ordered,
      completeness: 'partial',
      notes: [...reply.notes, ...notes],
    };
  },
});
