/** An investigation as a shape of work: what a planner hands an alert to. */
import { z } from 'zod';
import { incidentVerdicts, type Signal, type SystemMask } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import { inOwnRun } from '../own-run.ts';
import { type Shape, shape } from '../shape.ts';
import { shareOf } from '../share.ts';
import { alertLimits } from './alert/limits.ts';
import type { Sink } from './deliver/sink.ts';
import { defaultLimits } from './limits.ts';
import { incidentRun } from './run.ts';

export interface IncidentShapeOptions {
  readonly store: Store;
  readonly signals: readonly Signal[];
  readonly mask?: SystemMask;
  /** For lists: where the systems are. */
  readonly root: string;
  readonly sinks?: (run: string) => readonly Sink[];
}

const params = z.object({
  alert: z.string().min(1).max(alertLimits.bodyBytes).describe('The alert as it was sent, JSON or text'),
});

const claim = z.object({ text: z.string(), evidence: z.array(z.string()).readonly() });

/** What goes back into a conversation: short; the whole is under its run. */
const output = z.object({
  run_id: z.string(),
  verdict: z.enum(incidentVerdicts),
  root_cause: z.string(),
  first_failing_service: z.string().nullable(),
  suspects: z.array(z.object({ kind: z.string(), id: z.string(), score: z.number() })).max(5),
  causal_chain: z.array(claim).max(10),
  remediation_steps: z.array(z.string()).readonly(),
  validity_score: z.number(),
});

/** Called again with the same sub-thread it goes on with the run that it began there. */
export function incidentShape({ store, signals, mask, root, sinks }: IncidentShapeOptions): Shape {
  return shape({
    key: incidentRun.shape,
    description:
      'Investigates an alert: what happened, why, and what shows it. Only looks. Takes the alert as it was sent.',
    paramSchema: params,
    outputSchema: output,
    recovery: 'reattach',
    needs: () => ['SignalsRead'],
    async handler({ alert }, context) {
      const { clients, pool, signal } = context;
      const setting = {
        store,
        signals,
        pool,
        signal,
        models: { planner: clients.planner },
        ...(mask !== undefined && { mask }),
        ...(sinks !== undefined && { sinks }),
      };
      const { incident } = await inOwnRun(incidentRun, context, setting, (own) => {
        const { tokens, wall_ms } = shareOf(pool);
        const limits = {
          tokens: Math.min(defaultLimits.tokens, tokens),
          wall_ms: Math.min(defaultLimits.wall_ms, wall_ms),
        };
        return { ...own, alert, root, limits };
      });
      return {
        run_id: incident.run_id,
        verdict: incident.verdict,
        root_cause: incident.root_cause,
        first_failing_service: incident.first_failing_service,
        suspects: incident.suspects
          .slice(0, 5)
          .map(({ kind, id: suspect, score }) => ({ kind, id: suspect, score })),
        causal_chain: incident.causal_chain.slice(0, 10).map(({ text, evidence }) => ({ text, evidence })),
        remediation_steps: incident.remediation_steps,
        validity_score: incident.validity_score,
      };
    },
  });
}
