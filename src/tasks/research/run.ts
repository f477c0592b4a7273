/** The kind of run that answers a question by searching and reading, from the question to the checked result. */
import { createScope } from '../../catalogue/index.ts';
import { SondeError } from '../../core/index.ts';
import { isExtractive } from '../../model/extractive.ts';
import { splitPoolForClaims } from '../check/claim-handling.ts';
import { defineRun, type RunParams, type RunRequest } from '../define-run.ts';
import type { Drive } from '../drive.ts';
import { replayModel } from '../replay-life.ts';
import type { LifeSetting } from '../run-life.ts';
import type { RunEnd } from '../run-row.ts';
import { ceilingsOf, type Limits, limitsOf, reserveOf } from './limits.ts';
import type { Material } from './material/material.ts';
import { replayMaterial } from './material/replay-material.ts';
import { recordStart } from './material/start.ts';
import { isOlderRun, readOlderResult, refuseOlderRun } from './report/of-before.ts';
import { report } from './report/report.ts';
import type { Models, RunContext } from './run-context.ts';
import type { ResearchSetup } from './shape.ts';
import { createStages, stageOf, stages } from './stages.ts';
import { beginState, type ResearchState } from './state.ts';

export interface ResearchRequest extends RunRequest {
  readonly question: string;
  /** Comma-separated globs; see core's scopes. */
  readonly scope?: string;
  readonly limits?: Partial<Limits>;
  /** Whether a model decides claims that code leaves open. Default: no. */
  readonly reader?: boolean;
  /** Whether the analyst ranks the first definitions that a search finds. Default: no. */
  readonly rerank?: boolean;
}

export interface ResearchPorts {
  readonly models: Models;
  readonly material: Material;
  /** `loop` by default; both give the same result. */
  readonly form?: 'loop' | 'graph';
  /** Runs the stages one by one, instead of the loop or the graph. */
  readonly drive?: Drive;
}

export type ResearchSetting = LifeSetting & ResearchPorts;

/** The parameters in a run's row, from which it is resumed or replayed. */
export interface ResearchParams extends RunParams {
  readonly scope?: string;
  readonly limits: Limits;
  /** Absent in runs from before models decided claims. */
  readonly reader?: boolean;
  /** Absent in runs from before an answer could cite places. */
  readonly places?: boolean;
  /** Present if a model was asked to rank definitions. */
  readonly rerank?: true;
}

/**
 * Maximum characters of a question, enough for an issue with its log. Models see only the beginning and the end of a
 * long question.
 */
const maxQuestionLength = 1_000_000;

export interface ResearchTypes {
  readonly request: ResearchRequest;
  readonly params: ResearchParams;
  readonly ports: ResearchPorts;
  readonly end: RunEnd;
  readonly given: undefined;
  readonly replayed: RunEnd;
  readonly offer: ResearchSetup;
}

export const researchRun = defineRun<ResearchTypes>({
  shape: 'research',
  params({ question: givenQuestion, scope: globs, limits, reader = false, rerank = false }) {
    const question = givenQuestion.trim();
    if (question === '' || question.length > maxQuestionLength)
      throw new SondeError('bad_argument', {
        message: question === '' ? 'The question is empty' : `The question has ${question.length} characters`,
        remedy: `Ask something in 1 to ${maxQuestionLength} characters.`,
      });
    const scope = createScope(globs).text;
    const ownParams = {
      limits: limitsOf(limits),
      reader,
      places: true,
      ...(rerank && { rerank: true as const }),
    };
    return { question, params: { ...(scope !== undefined && { scope }), ...ownParams } };
  },
  limits: ({ limits }) => ({ limits: ceilingsOf(limits), reserve: reserveOf(limits) }),
  async work({ row, params }, { models, material, form, drive }, { lost, ...life }) {
    if (isOlderRun(life.recorded, params.model)) throw refuseOlderRun(row.id);
    const { limits, reader, places, rerank } = params;
    const claimOptions = { reader, models, limits, reserve: reserveOf(limits) };
    const context: RunContext = {
      ...life,
      ...splitPoolForClaims(life.pool, claimOptions),
      acceptsPlaces: places === true,
      models,
      material,
      scope: createScope(params.scope),
      limits,
      start: await recordStart(life.step, material, {
        ...(rerank && { rerank: !isExtractive(models.analyst) }),
      }),
    };
    // LangGraph is loaded only if the graph is asked for.
    const runStages = form === 'graph' ? (await import('./graph.ts')).researchByGraph : researchLoop;
    const firstState = await beginState(row.question, context);
    const state = await (drive?.(firstState, createStages(context)) ?? runStages(firstState, context));
    lost.throwIfAborted();
    return { result: await report(row.id, state, context, { model: params.model, spent: life.spent }) };
  },
  result: ({ result }) => ({ result }),
  requiredKey: 'start',
  async replay({ row, params, journal, recordedEnd }, work) {
    if (isOlderRun(journal, params.model)) return { result: readOlderResult(recordedEnd.result, journal) };
    const runRecords = { row, journal };
    return work({
      models: { planner: replayModel('planner', runRecords), analyst: replayModel('analyst', runRecords) },
      material: replayMaterial(row.id, journal),
    });
  },
  task: async () => (await import('./shape.ts')).researchTask,
});

/** Runs a research to its end in a plain loop, without LangGraph. */
async function researchLoop(state: ResearchState, context: RunContext): Promise<ResearchState> {
  let current = state;
  for (let stage = stageOf(current); stage !== null; stage = stageOf(current))
    current = await stages[stage](current, context);
  return current;
}
