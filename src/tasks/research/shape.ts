/** The research as a shape: a planner's question, answered in a run of its own on the planner's budget. */
import { z } from 'zod';
import { type RunResult, stopReasons, verifications } from '../../core/index.ts';
import { type Corpora, corpusNamed, describedBy, namesOf, within } from '../corpus.ts';
import { inOwnRun } from '../own-run.ts';
import { type Shape, shape, type TaskContext } from '../shape.ts';
import { shareOf } from '../share.ts';
import { defaultLimits, type Limits, mostSteps } from './limits.ts';
import type { Material } from './material.ts';
import { type ResearchSetting, researchRun } from './run.ts';

export interface ResearchShapeSetting
  extends Pick<ResearchSetting, 'store' | 'clock' | 'random' | 'sleep' | 'onEvent'> {
  readonly corpora: Corpora<Material>;
  readonly prices?: ResearchSetting['models']['prices'];
}

const amount = z.number().positive().optional();

const paramsOver = (corpora: Corpora<Material>) =>
  z.strictObject({
    question: z.string().min(1).max(1_000_000).describe('What is to be found out'),
    over: z.enum(namesOf(corpora)).default(corpora[0].name).describe(describedBy(corpora)),
    scope: z.string().optional().describe('Comma-separated globs of the part to search'),
    steps: z.number().int().min(1).max(mostSteps).optional().describe('At most so many steps'),
    tokens: amount.describe('At most so many tokens'),
  });

/** What the caller gets: the answer with its citations; the rest stays in the run. */
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

type Params = z.infer<ReturnType<typeof paramsOver>>;

export function researchTask(setting: ResearchShapeSetting): Shape {
  const { corpora } = setting;
  return shape({
    key: researchRun.shape,
    description:
      'Answers one hard question by many searches and readings, with checked citations. Use it where a few searches of your own would not do.',
    paramSchema: paramsOver(corpora),
    outputSchema: output,
    recovery: 'reattach',
    needs: ({ over }) => corpusNamed(corpora, over).needs,
    handler: async (given, context) => output.parse(await carriedOut(given, setting, context)),
  });
}

async function carriedOut(
  { question, scope, over, steps, tokens }: Params,
  { corpora, prices, ...setting }: ResearchShapeSetting,
  context: TaskContext,
): Promise<RunResult> {
  const { clients, signal, pool } = context;
  const corpus = corpusNamed(corpora, over);
  const models = { planner: clients.planner, analyst: clients.analyst, ...(prices && { prices }) };
  return within(corpus, context, async ({ material }) => {
    const how: ResearchSetting = { ...setting, models, material, signal, pool };
    const { result } = await inOwnRun(researchRun, context, how, (own) => ({
      ...own,
      question,
      root: corpus.root,
      limits: limitsFor({ steps, tokens }, context),
      ...(scope !== undefined && { scope }),
    }));
    return result;
  });
}

/** What was asked for, or the usual, as far as the caller has it. */
function limitsFor(
  { steps, tokens }: { readonly [Name in 'steps' | 'tokens']: number | undefined },
  { pool }: TaskContext,
): Partial<Limits> {
  const share = shareOf(pool);
  return {
    steps: Math.min(steps ?? defaultLimits.steps, share.steps),
    tokens: Math.min(tokens ?? defaultLimits.tokens, share.tokens),
    wall_ms: Math.min(defaultLimits.wall_ms, share.wall_ms),
    action_ms: defaultLimits.action_ms,
    ...(Number.isFinite(share.usd) && { usd: share.usd }),
    ...(Number.isFinite(share.calls) && { calls: share.calls }),
  };
}
