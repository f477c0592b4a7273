/** The investigation as a shape: a planner's question, answered in a run of its own under the planner's budget. */
import { z } from 'zod';
import {
  type InvestigationResult,
  investigationStatuses,
  isSondeError,
  SondeError,
  sha256,
} from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { type Shape, shape, type TaskContext } from '../shape.ts';
import { deepest, defaultLimits, type Limits } from './limits.ts';
import {
  type InvestigationRequest,
  type InvestigationSetting,
  resumeInvestigation,
  runInvestigation,
} from './run.ts';
import { type FinishedInvestigation, investigationShape } from './run-row.ts';

export interface InvestigationShapeSetting
  extends Pick<
    InvestigationSetting,
    'store' | 'material' | 'sandbox' | 'clock' | 'random' | 'sleep' | 'onEvent' | 'form'
  > {
  /** Of the material: a folder, or the file of a workspace. */
  readonly root: string;
  readonly prices?: InvestigationSetting['models']['prices'];
}

const tier = z.enum(['planner', 'analyst']).optional();

const params = z.strictObject({
  prompt: z.string().min(1).max(8000).describe('What is to be found out'),
  context: z.json().optional().describe('Passed along: there as a variable, shown to no model as a whole'),
  schema: z.record(z.string(), z.json()).optional().describe('JSON Schema of the answer; without it, a text'),
  scope: z.string().optional().describe('Comma-separated globs of the part to look at'),
  depth: z.number().int().min(0).max(deepest).optional().describe('How deep investigations may nest'),
  turns: z.number().int().min(1).max(200).optional().describe('At most so many turns'),
  tokens: z.number().positive().optional().describe('At most so many tokens'),
  outer: tier.describe('Which model writes the code'),
  inner: tier.describe('Which model the code asks'),
});
type Params = z.infer<typeof params>;

/** What the caller gets; the rest stays in the run. */
const output: z.ZodType<InvestigationResult> = z.object({
  run_id: z.string(),
  status: z.enum(investigationStatuses),
  answer: z.json(),
  citations: z.array(
    z.object({ id: z.string(), path: z.string(), start_line: z.number(), end_line: z.number() }),
  ),
  verification: z.enum(['verified', 'partial', 'unverified']),
  proposed_writes: z.array(z.string()),
  read_trail: z.object({ read: z.array(z.string()), count: z.number() }),
  spent: z.object({
    ...{ tokens: z.number(), usd: z.number(), wall_ms: z.number() },
    ...{ fuel: z.number(), calls: z.number(), steps: z.number() },
  }),
  note: z.string().optional(),
}) as z.ZodType<InvestigationResult>;

export function investigationTask(setting: InvestigationShapeSetting): Shape {
  return shape<Params, InvestigationResult>({
    key: investigationShape,
    description:
      'Answers a question by code that runs in a sandbox over the pages or files: counting, comparing, joining, many steps, more reading than fits here. Gives one short answer with checked citations, and proposed writes.',
    paramSchema: params as z.ZodType<Params>,
    outputSchema: output,
    recovery: 'reattach',
    async handler(given, context) {
      const limits = within(given, context);
      const { turns, wall_ms: _time, depth: _depth, wide: _wide, children: _children, ...held } = limits;
      const reserved = context.pool.reserve('investigation', {
        ...held,
        ...(turns !== undefined && { steps: turns }),
      });
      if (reserved.kind === 'exhausted')
        throw new SondeError('bad_argument', {
          message: `Not enough ${reserved.resource} is left for an investigation`,
          remedy: 'Answer with what is known.',
          details: { ...reserved },
        });
      try {
        const { result, investigation } = await carriedOut(given, limits, setting, context);
        const { tokens, usd, calls, fuel, steps } = result.spent;
        reserved.settle({ tokens, usd, calls, fuel, steps });
        return investigation.result;
      } catch (error) {
        // What it spent is in its own run; here it counts as all that it could.
        if (!isSondeError(error, 'lease_lost')) reserved.settle('unknown');
        throw error;
      }
    },
  });
}

async function carriedOut(
  { prompt, context: seeded, schema, scope, outer, inner }: Params,
  limits: Partial<Limits>,
  { root, prices, ...setting }: InvestigationShapeSetting,
  { clients, signal, subThread, thread, capabilities }: TaskContext,
): Promise<FinishedInvestigation> {
  const models = { planner: clients.planner, analyst: clients.analyst, ...(prices && { prices }) };
  const how: InvestigationSetting = { ...setting, models, signal, capabilities };
  const id = `run-${sha256(`${thread}\0${subThread}`).slice(0, 15)}`;
  if (begun(setting.store, id)) return resumeInvestigation(id, how);
  const request: InvestigationRequest = {
    id,
    prompt,
    root,
    limits,
    extra: { thread, sub_thread: subThread },
    ...(seeded !== undefined && { context: seeded }),
    ...(schema !== undefined && { schema }),
    ...(scope !== undefined && { scope }),
    ...(outer !== undefined && { outer }),
    ...(inner !== undefined && { inner }),
  };
  return runInvestigation(request, how);
}

function begun(store: Store, id: string): boolean {
  try {
    return store.runs.get(id).id === id;
  } catch (error) {
    if (isSondeError(error, 'not_found')) return false;
    throw error;
  }
}

/** What was asked for, or the usual, as far as the caller has it. */
function within({ turns, tokens, depth }: Params, { pool }: TaskContext): Partial<Limits> {
  const left = pool.remaining();
  return {
    turns: Math.max(1, Math.min(turns ?? defaultLimits.turns, left.steps)),
    tokens: Math.min(tokens ?? defaultLimits.tokens, left.tokens),
    fuel: Math.min(defaultLimits.fuel, left.fuel),
    wall_ms: Math.min(defaultLimits.wall_ms, pool.timeLeft()),
    ...(depth !== undefined && { depth }),
    ...(Number.isFinite(left.usd) && { usd: left.usd }),
    ...(Number.isFinite(left.calls) && { calls: left.calls }),
  };
}
