/** Taking up and replaying runs of any kind: each by what started it. */
import type { IncidentResult, InvestigationRecord, RunResult } from '../core/index.ts';
import { keptRun } from './kept-run.ts';
import { type AppKind, type RunRequest, replayRun, resumeRun } from './run-kind.ts';

interface Ended {
  readonly result: RunResult;
  readonly incident?: IncidentResult;
  readonly investigation?: InvestigationRecord;
  /** Of a replay that ran code again: what came out otherwise. */
  readonly differences?: readonly string[];
}

export type AnyFinished = Ended & { readonly root: string };

type Act = (request: RunRequest) => Promise<AnyFinished>;

interface Acts {
  readonly resume: Act;
  readonly replay: Act;
}

/** A kind of run is a line here; each is loaded where one of its runs is met. */
const kinds: Readonly<Record<string, () => Promise<Acts>>> = {
  research: async () => actsOf((await import('./ask.ts')).researchKind),
  investigation: async () => actsOf((await import('./investigate.ts')).investigationKind),
  incident: async () => actsOf((await import('./incident.ts')).incidentKind),
};

function actsOf<Setting extends object, End extends Ended, Given, Replayed extends End, Extra>(
  kind: AppKind<Setting, End, Given, Replayed, Extra>,
): Acts {
  return { resume: (request) => resumeRun(kind, request), replay: (request) => replayRun(kind, request) };
}

async function actsOn({ run }: RunRequest) {
  const { row } = await keptRun(run);
  // A run of a conversation is no run of these kinds, and the research says so.
  return (kinds[row.shape] ?? kinds['research']!)();
}

/** Throws `not_found` and `run_state`. */
export const resume: Act = async (request) => (await actsOn(request)).resume(request);

/** Throws `not_found` and `run_state`. */
export const replay: Act = async (request) => (await actsOn(request)).replay(request);
