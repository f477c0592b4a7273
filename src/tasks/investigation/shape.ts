/** The investigation as a shape: a planner's question, answered in a run of its own on the planner's budget. */
import { z } from 'zod';
import {
  type Capability,
  type InvestigationResult,
  investigationStatuses,
  verifications,
} from '../../core/index.ts';
import { type Corpora, corpusNamed, describedBy, namesOf, type OpenCorpus, within } from '../corpus.ts';
import { inOwnRun } from '../own-run.ts';
import { type Shape, shape, type TaskContext } from '../shape.ts';
import { shareOf } from '../share.ts';
import { deepest, defaultLimits, type Limits } from './limits.ts';
import type { Material } from './material.ts';
import { type FinishedInvestigation, withHandedOver } from './report.ts';
import { type InvestigationSetting, investigationRun } from './run.ts';

export interface InvestigationShapeSetting
  extends Pick<
    InvestigationSetting,
    'store' | 'sandbox' | 'clock' | 'random' | 'sleep' | 'onEvent' | 'form'
  > {
  readonly corpora: Corpora<Material>;
  readonly prices?: InvestigationSetting['models']['prices'];
}

const tier = z.enum(['planner', 'analyst']).optional();

const paramsOver = (corpora: Corpora<Material>) =>
  z.strictObject({
    prompt: z.string().min(1).max(8000).describe('What is to be found out'),
    over: z.enum(namesOf(corpora)).default(corpora[0].name).describe(describedBy(corpora)),
    context: z
      .unknown()
      .optional()
      .describe('Passed along: there as a variable, shown to no model as a whole'),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('JSON Schema of the answer; without it, a text'),
    scope: z.string().optional().describe('Comma-separated globs of the part to look at'),
    depth: z.number().int().min(0).max(deepest).optional().describe('How deep investigations may nest'),
    turns: z.number().int().min(1).max(200).optional().describe('At most so many turns'),
    tokens: z.number().positive().optional().describe('At most so many tokens'),
    outer: tier.describe('Which model writes the code'),
    inner: tier.describe('Which model the code asks'),
  });
type Params = z.infer<ReturnType<typeof paramsOver>>;

/** What the caller gets; the rest stays in the run. */
const output: z.ZodType<InvestigationResult> = z.object({
  run_id: z.string(),
  status: z.enum(investigationStatuses),
  answer: z.json(),
  citations: z.array(
    z.object({ id: z.string(), path: z.string(), start_line: z.number(), end_line: z.number() }),
  ),
  verification: z.enum(verifications),
  missing: z.array(z.string()).optional(),
  proposed_writes: z.array(z.string()),
  read_trail: z.object({ read: z.array(z.string()), count: z.number() }),
  spent: z.object({
    ...{ tokens: z.number(), usd: z.number(), wall_ms: z.number() },
    ...{ fuel: z.number(), calls: z.number(), steps: z.number() },
  }),
  note: z.string().optional(),
}) as z.ZodType<InvestigationResult>;

export function investigationTask(setting: InvestigationShapeSetting): Shape {
  const { corpora } = setting;
  return shape<Params, InvestigationResult>({
    key: investigationRun.shape,
    description:
      'Answers a question by code that runs in a sandbox over the pages or files: counting, comparing, joining, many steps, more reading than fits here. Gives one short answer with checked citations; changes that it proposes are made as candidates.',
    paramSchema: paramsOver(corpora) as z.ZodType<Params>,
    outputSchema: output,
    recovery: 'reattach',
    needs: ({ over }): readonly Capability[] => ['SandboxRun', ...corpusNamed(corpora, over).needs],
    async handler(given, context) {
      const corpus = corpusNamed(corpora, given.over);
      return within(corpus, context, async (open) => {
        const { investigation } = await carriedOut(given, corpus.root, open, setting, context);
        const { result, proposed_writes } = investigation;
        if (open.propose === undefined || proposed_writes.length === 0 || result.status === 'cancelled')
          return result;
        // Killed in between, it comes here again, and the boundary knows each of them by its key.
        return withHandedOver(investigation, await open.propose(investigation));
      });
    },
  });
}

async function carriedOut(
  given: Params,
  root: string,
  { material }: OpenCorpus<Material>,
  { prices, corpora: _corpora, ...setting }: InvestigationShapeSetting,
  context: TaskContext,
): Promise<FinishedInvestigation> {
  const { clients, signal, capabilities, pool } = context;
  const models = { planner: clients.planner, analyst: clients.analyst, ...(prices && { prices }) };
  const how: InvestigationSetting = { ...setting, material, models, signal, capabilities, pool };
  const { prompt, context: seeded, schema, scope, outer, inner } = given;
  return inOwnRun(investigationRun, context, how, (own) => ({
    ...own,
    prompt,
    root,
    limits: limitsFor(given, context),
    ...(seeded !== undefined && { context: seeded }),
    ...(schema !== undefined && { schema }),
    ...(scope !== undefined && { scope }),
    ...(outer !== undefined && { outer }),
    ...(inner !== undefined && { inner }),
  }));
}

/** What was asked for, or the usual, as far as the caller has it. */
function limitsFor({ turns, tokens, depth }: Params, { pool }: TaskContext): Partial<Limits> {
  const share = shareOf(pool);
  return {
    turns: Math.min(turns ?? defaultLimits.turns, share.steps),
    tokens: Math.min(tokens ?? defaultLimits.tokens, share.tokens),
    fuel: Math.min(defaultLimits.fuel, share.fuel),
    wall_ms: Math.min(defaultLimits.wall_ms, share.wall_ms),
    ...(depth !== undefined && { depth }),
    ...(Number.isFinite(share.usd) && { usd: share.usd }),
    ...(Number.isFinite(share.calls) && { calls: share.calls }),
  };
}
