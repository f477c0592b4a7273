/**
 * Defines the research task that a planner can delegate: its parameters, its result, and how it runs over the material
 * of the conversation.
 */
import { z } from 'zod';
import { forPrograms, stopReasons, verifications } from '../../core/index.ts';
import { type Corpora, corpusNames, describeCorpora, findCorpus, withCorpus } from '../corpus.ts';
import { runTask } from '../run-task.ts';
import { wallClockLimit } from '../share.ts';
import { defaultLimits, maxSteps } from './limits.ts';
import type { Material } from './material/material.ts';
import type { ResearchPorts, ResearchTypes } from './run.ts';

export interface ResearchSetup {
  readonly corpora: Corpora<Material>;
  readonly prices?: ResearchPorts['models']['prices'];
  /** Whether a model decides the claims that code could not decide. */
  readonly reader?: boolean;
  /** Whether the analyst ranks the best definitions of a search again. */
  readonly rerank?: boolean;
}

const paramsFor = (corpora: Corpora<Material>) =>
  z.strictObject({
    question: z.string().min(1).max(1_000_000),
    over: z.enum(corpusNames(corpora)).default(corpora[0].name).describe(describeCorpora(corpora)),
    scope: z.string().optional().describe('Comma-separated globs'),
    steps: z.number().int().min(1).max(maxSteps).optional().meta(forPrograms),
    tokens: z.number().positive().optional().describe('At most'),
  });

/** The caller gets the answer with its citations; everything else stays in the run. */
const output = z.object({
  run_id: z.string(),
  status: z.enum(verifications),
  missing: z.array(z.string()).optional(),
  answer: z.string(),
  citations: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      start_line: z.number(),
      end_line: z.number(),
      status: z.string(),
    }),
  ),
  confidence: z.number().nullable(),
  stop_reason: z.enum(stopReasons),
});

type Params = z.infer<ReturnType<typeof paramsFor>>;

export const researchTask = runTask<ResearchTypes, Params, z.infer<typeof output>>({
  description:
    'One hard question, answered by many searches and readings, with checked citations; for where a few searches of your own would not do.',
  takes: ({ corpora }) => paramsFor(corpora) as z.ZodType<Params>,
  gives: output,
  needs: ({ over }, { corpora }) => findCorpus(corpora, over).needs,
  async work({ question, scope, over, steps, tokens }, { offer, context, run }) {
    const { planner, analyst } = context.clients;
    const models = { planner, analyst, ...(offer.prices && { prices: offer.prices }) };
    const corpus = findCorpus(offer.corpora, over);
    return withCorpus(corpus, context, async ({ material }) => {
      const { result } = await run({ models, material }, (share) => ({
        question,
        root: corpus.root,
        ...(offer.reader !== undefined && { reader: offer.reader }),
        ...(offer.rerank !== undefined && { rerank: offer.rerank }),
        ...(scope !== undefined && { scope }),
        // The requested limits or the defaults, up to the caller's remaining budget.
        limits: {
          steps: Math.min(steps ?? defaultLimits.steps, share.steps),
          tokens: Math.min(tokens ?? defaultLimits.tokens, share.tokens),
          wall_ms: wallClockLimit(share, defaultLimits.wall_ms),
          action_ms: defaultLimits.action_ms,
          ...(Number.isFinite(share.usd) && { usd: share.usd }),
          ...(Number.isFinite(share.calls) && { calls: share.calls }),
        },
      }));
      return output.parse(result);
    });
  },
});
