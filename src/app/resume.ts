/** Taking up and replaying runs of any shape: each by what started it. */
import type { IncidentResult, InvestigationRecord } from '../core/index.ts';
import { type Finished, type RunRequest, replay as replayResearch, resume as resumeResearch } from './ask.ts';
import { openRuns } from './compose.ts';
import { loadConfiguration, processEnvironment } from './config/index.ts';

export type AnyFinished = Finished & {
  readonly incident?: IncidentResult;
  readonly investigation?: InvestigationRecord;
  /** Of a replay that ran code again: what came out otherwise. */
  readonly differences?: readonly string[];
};

async function shapeOf(run: string): Promise<string> {
  const store = await openRuns(loadConfiguration({ environment: processEnvironment() }));
  try {
    return store.runs.get(run).shape;
  } finally {
    store.close();
  }
}

/** Throws `not_found` and `run_state`. */
export async function resume(request: RunRequest): Promise<AnyFinished> {
  switch (await shapeOf(request.run)) {
    case 'incident':
      return (await import('./incident.ts')).resumeInvestigation(request.run, request);
    case 'investigation':
      return (await import('./investigate.ts')).resumeInvestigation(request.run, request);
    default:
      return resumeResearch(request);
  }
}

/** Throws `not_found` and `run_state`. */
export async function replay(request: RunRequest): Promise<AnyFinished> {
  switch (await shapeOf(request.run)) {
    case 'incident':
      return (await import('./incident.ts')).replayInvestigation(request.run);
    case 'investigation':
      return (await import('./investigate.ts')).replayInvestigation(request.run, request);
    default:
      return replayResearch(request);
  }
}
