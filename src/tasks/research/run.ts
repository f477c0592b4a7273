/** Runs a research from its question to its checked result: new, or taken up again. */

import { type RunResult, runId, SondeError, systemClock } from '../../core/index.ts';
import type { RunRow } from '../../store/index.ts';
import { type LifeSetting, liveRun } from '../run-life.ts';
import type { Crew, Models } from './crew.ts';
import { researchByGraph } from './graph.ts';
import { ceilingsOf, type Limits, limitsOf, reserveOf } from './limits.ts';
import { researchLoop } from './loop.ts';
import type { Material } from './material.ts';
import { report } from './report.ts';
import { type Params, paramsOf, researchRow, researchShape, resultOf } from './run-row.ts';
import { scopeOf } from './scope.ts';
import { recordStart } from './start.ts';
import { begun } from './state.ts';

export interface ResearchRequest {
  /** Of the run; made where it isn't given. Throws `run_state` where it is taken. */
  readonly id?: string;
  readonly question: string;
  /** Absolute path of the material, as the store keeps it. */
  readonly root: string;
  /** Comma-separated globs; see core's scopes. */
  readonly scope?: string;
  readonly limits?: Partial<Limits>;
  /** False: only the question and the result are kept. Default true. */
  readonly storeArtifacts?: boolean;
  /** What else the caller needs to start the run again. No secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface ResearchSetting extends LifeSetting {
  readonly models: Models;
  readonly material: Material;
  /** `loop` by default; both give the same result. */
  readonly form?: 'loop' | 'graph';
}

/** Characters: an issue with its log. Models are shown its two ends; searches take what they can use. */
const longestQuestion = 1_000_000;

/** Throws `bad_argument` and `bad_pattern` before anything is written; after that every end is a result. */
export async function runResearch(request: ResearchRequest, setting: ResearchSetting): Promise<RunResult> {
  const question = request.question.trim();
  if (question === '' || question.length > longestQuestion)
    throw new SondeError('bad_argument', {
      message: question === '' ? 'The question is empty' : `The question has ${question.length} characters`,
      remedy: `Ask something in 1 to ${longestQuestion} characters.`,
    });
  const scope = scopeOf(request.scope);
  const params: Params = {
    ...(scope.text !== undefined && { scope: scope.text }),
    limits: limitsOf(request.limits),
    store_artifacts: request.storeArtifacts ?? true,
    model: setting.models.planner.name,
    ...(request.extra && { extra: request.extra }),
  };
  const row = setting.store.runs.create({
    id: request.id ?? runId((setting.clock ?? systemClock).now()),
    shape: researchShape,
    question,
    root: request.root,
    params: { ...params },
  });
  return carried(row, setting);
}

/**
 * Takes up a run that a crash or a cancel ended, and gives the result of one that is finished. What was recorded
 * is not asked again. Throws `not_found`, and `run_state` while another process is working on it.
 */
export async function resumeResearch(run: string, setting: ResearchSetting): Promise<RunResult> {
  return carried(researchRow(setting.store, run), setting);
}

async function carried(row: RunRow, setting: ResearchSetting): Promise<RunResult> {
  const params = paramsOf(row);
  const { result } = await liveRun(row, setting, {
    terms: { limits: ceilingsOf(params.limits), reserve: reserveOf(params.limits) },
    ended: (run) => ({ result: resultOf(setting.store, run) }),
    async work({ lost, pool, ...life }) {
      const crew: Crew = {
        ...life,
        pool,
        models: setting.models,
        material: setting.material,
        scope: scopeOf(params.scope),
        limits: params.limits,
      };
      recordStart(crew);
      const carry = setting.form === 'graph' ? researchByGraph : researchLoop;
      const state = await carry(await begun(row.question, crew), crew);
      lost.throwIfAborted();
      return {
        result: await report(row.id, state, crew, {
          model: params.model,
          spent: () => {
            pool.tick();
            return pool.spent();
          },
        }),
      };
    },
  });
  return result;
}
