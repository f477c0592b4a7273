/** The research as a shape: a planner's question, answered in a run of its own under the planner's budget. */
import { z } from 'zod';
import { isSondeError, type RunResult, SondeError, type StopReason, sha256 } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { type Shape, shape, type TaskContext } from '../shape.ts';
import { defaultLimits, type Limits, mostSteps } from './limits.ts';
import { type ResearchSetting, resumeResearch, runResearch } from './run.ts';
import { researchShape } from './run-row.ts';

export interface ResearchShapeSetting
  extends Pick<ResearchSetting, 'store' | 'material' | 'clock' | 'random' | 'sleep' | 'onEvent'> {
  /** Absolute path of the material. */
  readonly root: string;
  readonly prices?: ResearchSetting['models']['prices'];
}

const amount = z.number().positive().optional();

const params = z.strictObject({
  question: z.string().min(1).max(8000).describe('What is to be found out'),
  scope: z.string().optional().describe('Comma-separated globs of the part to search'),
  steps: z.number().int().min(1).max(mostSteps).optional().describe('At most so many steps'),
  tokens: amount.describe('At most so many tokens'),
});

const stopReasons: readonly StopReason[] = ['finalized', 'budget', 'stagnant', 'model_failed', 'cancelled'];

/** What the caller gets: the answer with its citations; the rest stays in the run. */
const output = z.object({
  run_id: z.string(),
  status: z.enum(['verified', 'partial', 'unverified']),
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

type Params = z.infer<typeof params>;

export function researchTask(setting: ResearchShapeSetting): Shape {
  return shape({
    key: researchShape,
    description:
      'Answers one hard question over the code base or the notes, with checked citations. Use it where a few searches of your own would not do.',
    paramSchema: params,
    outputSchema: output,
    recovery: 'reattach',
    async handler(given, context) {
      const limits = within(given, context);
      const { steps: _steps, wall_ms: _time, action_ms: _each, ...held } = limits;
      const reserved = context.pool.reserve('research', held);
      if (reserved.kind === 'exhausted')
        throw new SondeError('bad_argument', {
          message: `Not enough ${reserved.resource} is left for a research`,
          remedy: 'Answer with what is known.',
          details: { ...reserved },
        });
      try {
        const result = await carriedOut(given, limits, setting, context);
        const { tokens, usd, calls } = result.spent;
        reserved.settle({ tokens, usd, calls });
        return output.parse(result);
      } catch (error) {
        // What it spent is in its own run; here it counts as all that it could.
        if (!isSondeError(error, 'lease_lost')) reserved.settle('unknown');
        throw error;
      }
    },
  });
}

async function carriedOut(
  { question, scope }: Params,
  limits: Partial<Limits>,
  { root, store, material, prices, ...more }: ResearchShapeSetting,
  { clients, signal, subThread, thread }: TaskContext,
): Promise<RunResult> {
  const models = { planner: clients.planner, analyst: clients.analyst, ...(prices && { prices }) };
  const how: ResearchSetting = { ...more, store, models, material, signal };
  const id = `run-${sha256(`${thread}\0${subThread}`).slice(0, 15)}`;
  if (begun(store, id)) return resumeResearch(id, how);
  const extra = { thread, sub_thread: subThread };
  return runResearch({ id, question, root, limits, extra, ...(scope !== undefined && { scope }) }, how);
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
function within({ steps, tokens }: Params, { pool }: TaskContext): Partial<Limits> {
  const left = pool.remaining();
  return {
    steps: Math.max(1, Math.min(steps ?? defaultLimits.steps, left.steps)),
    tokens: Math.min(tokens ?? defaultLimits.tokens, left.tokens),
    wall_ms: Math.min(defaultLimits.wall_ms, pool.timeLeft()),
    action_ms: defaultLimits.action_ms,
    ...(Number.isFinite(left.usd) && { usd: left.usd }),
    ...(Number.isFinite(left.calls) && { calls: left.calls }),
  };
}
