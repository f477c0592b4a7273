/** Lets a planner delegate a drift run. The run reads only the systems that the conversation may read. */
import { z } from 'zod';
import { verifications } from '../../core/index.ts';
import { runTask } from '../run-task.ts';
import { wallClockLimit } from '../share.ts';
import { driftLimits, maxQueries } from './limits.ts';
import type { DriftTypes } from './run.ts';

const params = z.object({
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('Since when, such as when this schedule ran the time before; 24 hours ago where absent'),
  queries: z
    .array(z.string().min(1).max(2_000))
    .max(maxQueries)
    .optional()
    .describe('In the language of the metrics (PromQL); absent: everything that the systems watch'),
});

const output = z.object({ run_id: z.string(), status: z.enum(verifications), answer: z.string() });

export const driftTask = runTask<DriftTypes, z.infer<typeof params>, z.infer<typeof output>>({
  description:
    'Says what drifted in the systems since a moment (metrics, alerts, changes, log lines), next to the same hours before. Only looks; its answer cites what it read.',
  takes: () => params,
  gives: output,
  needs: () => ['SignalsRead'],
  async work({ since, queries }, { offer: { root, ...systems }, context: { clients }, run }) {
    const { result } = await run({ ...systems, models: clients }, (share) => ({
      root,
      ...(since !== undefined && { since: Date.parse(since) }),
      ...(queries !== undefined && { queries }),
      limits: { wall_ms: Math.min(driftLimits.wall_ms, wallClockLimit(share, driftLimits.wall_ms)) },
    }));
    return { run_id: result.run_id, status: result.status, answer: result.answer };
  },
});
