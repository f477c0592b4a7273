/**
 * The incident run as work that a planner can delegate: an alert, over the systems that the conversation may read.
 */

import { z } from 'zod';
import { incidentVerdicts } from '../../core/incidents.ts';
import { runTask } from '../run-task.ts';
import { wallClockLimit } from '../share.ts';
import { alertLimits } from './alert/limits.ts';
import { defaultLimits } from './limits.ts';
import type { IncidentPorts, IncidentTypes } from './run.ts';

export interface IncidentOffer extends Pick<IncidentPorts, 'signals' | 'mask' | 'sinks' | 'changedNames'> {
  /** Shown in lists: where the systems are. */
  readonly root: string;
}

const params = z.object({
  alert: z.string().min(1).max(alertLimits.bodyBytes).describe('The alert as it was sent, JSON or text'),
});

const claim = z.object({ text: z.string(), evidence: z.array(z.string()).readonly() });

/** The short result that a conversation gets; everything else stays in the run. */
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

export const incidentTask = runTask<IncidentTypes, z.infer<typeof params>, z.infer<typeof output>>({
  description:
    'Investigates an alert: what happened, why, and what shows it. Only looks. Takes the alert as it was sent.',
  takes: () => params,
  gives: output,
  needs: () => ['SignalsRead'],
  async work({ alert }, { offer: { root, ...systems }, context: { clients }, run }) {
    const ports: IncidentPorts = {
      ...systems,
      models: { planner: clients.planner, analyst: clients.analyst },
    };
    const { incident } = await run(ports, (share) => ({
      alert,
      root,
      limits: {
        tokens: Math.min(defaultLimits.tokens, share.tokens),
        wall_ms: wallClockLimit(share, defaultLimits.wall_ms),
      },
    }));
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
