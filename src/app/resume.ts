/** Taking up and replaying runs of any kind: each by what started it. */
import type { IncidentResult, InvestigationRecord, RunResult } from '../core/index.ts';
import { keptRun } from './kept-run.ts';
import { type RunRequest, replayRun, resumeRun } from './run-kind.ts';

export interface AnyFinished {
  readonly result: RunResult;
  readonly root: string;
  readonly incident?: IncidentResult;
  readonly investigation?: InvestigationRecord;
  /** Of a replay that ran code again: what came out otherwise. */
  readonly differences?: readonly string[];
}

type Act = (request: RunRequest) => Promise<AnyFinished>;

/** A kind of run is a line here; each is loaded where one of its runs is met. */
const acts: Readonly<Record<string, () => Promise<{ readonly resume: Act; readonly replay: Act }>>> = {
  async research() {
    const { researchKind } = await import('./ask.ts');
    return {
      resume: (given) => resumeRun(researchKind, given),
      replay: (given) => replayRun(researchKind, given),
    };
  },
  async investigation() {
    const { investigationKind } = await import('./investigate.ts');
    return {
      resume: (given) => resumeRun(investigationKind, given),
      replay: (given) => replayRun(investigationKind, given),
    };
  },
  async incident() {
    const { incidentKind } = await import('./incident.ts');
    return {
      resume: (given) => resumeRun(incidentKind, given),
      replay: (given) => replayRun(incidentKind, given),
    };
  },
};

async function actsOn({ run }: RunRequest) {
  const { row } = await keptRun(run);
  // A run of a conversation is no run of these kinds, and the research says so.
  return (acts[row.shape] ?? acts['research']!)();
}

/** Throws `not_found` and `run_state`. */
export const resume: Act = async (request) => (await actsOn(request)).resume(request);

/** Throws `not_found` and `run_state`. */
export const replay: Act = async (request) => (await actsOn(request)).replay(request);
