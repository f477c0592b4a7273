/** Taking up and replaying runs of any shape: each by what started it. */
import type { IncidentResult } from '../core/index.ts';
import { type Finished, type RunRequest, replay as replayResearch, resume as resumeResearch } from './ask.ts';
import { openRuns } from './compose.ts';
import { loadConfiguration, processEnvironment } from './config/index.ts';

export type AnyFinished = Finished & { readonly incident?: IncidentResult };

async function isIncident(run: string): Promise<boolean> {
  const store = await openRuns(loadConfiguration({ environment: processEnvironment() }));
  try {
    return store.runs.get(run).shape === 'incident';
  } finally {
    store.close();
  }
}

/** Throws `not_found` and `run_state`. */
export async function resume(request: RunRequest): Promise<AnyFinished> {
  if (!(await isIncident(request.run))) return resumeResearch(request);
  const { resumeInvestigation } = await import('./incident.ts');
  return resumeInvestigation(request.run, request);
}

/** Throws `not_found` and `run_state`. */
export async function replay(request: RunRequest): Promise<AnyFinished> {
  if (!(await isIncident(request.run))) return replayResearch(request);
  const { replayInvestigation } = await import('./incident.ts');
  return replayInvestigation(request.run);
}
