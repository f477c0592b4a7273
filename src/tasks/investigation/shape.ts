/**
 * Defines the investigation task that a planner can delegate: its parameters, its result, and how it runs over the
 * material of the conversation.
 */
import { z } from 'zod';
import {
  claimFlags,
  claimVerdicts,
  forPrograms,
  type InvestigationResult,
  stopReasons,
  verifications,
} from '../../core/index.ts';
import { type Corpora, corpusNames, describeCorpora, findCorpus, withCorpus } from '../corpus.ts';
import { runTask } from '../run-task.ts';
import { wallClockLimit } from '../share.ts';
import { defaultLimits, limitsOf, maxAnswerBytes, maxDepth, maxTurns } from './limits.ts';
import type { Material } from './material.ts';
import { withOutcomes } from './report/report.ts';
import type { InvestigationPorts, InvestigationTypes } from './run.ts';

export interface InvestigationOffer extends Pick<InvestigationPorts, 'sandbox' | 'form'> {
  readonly corpora: Corpora<Material>;
  /** Whether a model decides claims that code leaves undecided. */
  readonly reader?: boolean;
  readonly prices?: InvestigationPorts['models']['prices'];
}

const tier = z.enum(['planner', 'analyst']).optional();

const paramsFor = (corpora: Corpora<Material>) =>
  z.strictObject({
    prompt: z.string().min(1).max(8000),
    over: z.enum(corpusNames(corpora)).default(corpora[0].name).describe(describeCorpora(corpora)),
    context: z.unknown().optional().describe('For the code, as a variable'),
    schema: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(`JSON Schema of the answer, at most ${maxAnswerBytes} bytes; else a text`),
    scope: z.string().optional().describe('Comma-separated globs'),
    depth: z.number().int().min(0).max(maxDepth).optional().meta(forPrograms),
    turns: z.number().int().min(1).max(maxTurns).optional().meta(forPrograms),
    tokens: z.number().positive().optional().describe('At most'),
    outer: tier.describe('Which model writes the code').meta(forPrograms),
    inner: tier.describe('Which model the code asks').meta(forPrograms),
  });
type Params = z.infer<ReturnType<typeof paramsFor>>;

const claim = z.object({
  ...{ text: z.string(), verdict: z.enum(claimVerdicts), why: z.string().optional() },
  ...{ evidence: z.array(z.string()), flags: z.array(z.enum(claimFlags)) },
});

/** The caller's part of the result; the rest stays in the run. */
const output: z.ZodType<InvestigationResult> = z.object({
  run_id: z.string(),
  status: z.enum(verifications),
  stop_reason: z.enum(stopReasons),
  answer: z.json(),
  citations: z.array(
    z.object({ id: z.string(), path: z.string(), start_line: z.number(), end_line: z.number() }),
  ),
  verification: z.enum(verifications),
  claims: z.array(claim).optional(),
  claim_counts: z.partialRecord(z.enum(claimVerdicts), z.number()).optional(),
  unsupported: z.array(z.string()).optional(),
  missing: z.array(z.string()).optional(),
  proposed_writes: z.array(z.string()),
  read_trail: z.object({ read: z.array(z.string()), count: z.number() }),
  spent: z.object({
    ...{ tokens: z.number(), usd: z.number(), wall_ms: z.number() },
    ...{ fuel: z.number(), calls: z.number(), steps: z.number() },
  }),
  note: z.string().optional(),
}) as z.ZodType<InvestigationResult>;

export const investigationTask = runTask<InvestigationTypes, Params, InvestigationResult>({
  description:
    'Code over all the pages or files: counting, comparing, joining, many steps, more reading than fits here. One short answer with checked citations; changes that it proposes become candidates.',
  takes: ({ corpora }) => paramsFor(corpora) as z.ZodType<Params>,
  gives: output,
  needs: ({ over }, { corpora }) => ['SandboxRun', ...findCorpus(corpora, over).needs],
  async work({ over, turns, tokens, depth, ...request }, { offer, context, run }) {
    const { corpora, prices, reader, ...ports } = offer;
    const { clients, capabilities } = context;
    const models = { planner: clients.planner, analyst: clients.analyst, ...(prices && { prices }) };
    const corpus = findCorpus(corpora, over);
    return withCorpus(corpus, context, async ({ material, propose }) => {
      const { investigation } = await run({ ...ports, models, material, capabilities }, (share) => ({
        ...pickRequest(request),
        ...(reader !== undefined && { reader }),
        root: corpus.root,
        // The requested limits or the defaults, up to the caller's remaining budget.
        limits: {
          turns: Math.min(
            turns ?? limitsOf({ tokens: Math.min(tokens ?? defaultLimits.tokens, share.tokens) }).turns,
            share.steps,
          ),
          tokens: Math.min(tokens ?? defaultLimits.tokens, share.tokens),
          fuel: Math.min(defaultLimits.fuel, share.fuel),
          wall_ms: wallClockLimit(share, defaultLimits.wall_ms),
          ...(depth !== undefined && { depth }),
          ...(Number.isFinite(share.usd) && { usd: share.usd }),
          ...(Number.isFinite(share.calls) && { calls: share.calls }),
        },
      }));
      const { result, proposed_writes } = investigation;
      if (propose === undefined || proposed_writes.length === 0 || result.stop_reason === 'cancelled')
        return result;
      // After a crash, this runs again. The workspace ignores a proposal whose key it has seen.
      return withOutcomes(investigation, await propose(investigation));
    });
  },
});

const pickRequest = ({ prompt, context, schema, scope, outer, inner }: Omit<Params, 'over'>) => ({
  prompt,
  ...(context !== undefined && { context }),
  ...(schema !== undefined && { schema }),
  ...(scope !== undefined && { scope }),
  ...(outer !== undefined && { outer }),
  ...(inner !== undefined && { inner }),
});
