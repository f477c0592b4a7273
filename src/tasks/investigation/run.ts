/**
 * The kind of run in which a model writes code to search and read the material, from the prompt to the checked result.
 */

import { createScope } from '../../catalogue/index.ts';
import { type Capability, type Pool, SondeError } from '../../core/index.ts';
import { currentRecord, listOverspendNotes } from '../../core/runs.ts';
import { isExtractive, type Tier } from '../../model/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { RunRow } from '../../store/index.ts';
import { splitPoolForClaims } from '../check/claim-handling.ts';
import { defineRun, type RunParams, type RunRequest } from '../define-run.ts';
import type { Drive } from '../drive.ts';
import { replayModel } from '../replay-life.ts';
import type { LifeSetting } from '../run-life.ts';
import { createUnfinishedError } from '../run-row.ts';
import { ceilingsOf, type LastTurn, type Limits, limitsOf, reserveOf } from './limits.ts';
import { byDrive, byLoop, investigateAt } from './loop.ts';
import type { Material } from './material.ts';
import { type ReplayResult, silentMaterial, startComparison } from './replay.ts';
import { isVersion01, refuseOlderRun, runRecordedCells, type Version01Run } from './report/of-before.ts';
import { type FinishedInvestigation, report } from './report/report.ts';
import { type Models, openFailure, type RunContext, type TreeNode } from './run-context.ts';
import type { InvestigationOffer } from './shape.ts';
import { answerForm, type JsonSchema } from './talk/answer-form.ts';
import { estimateLastTurn } from './talk/last-turn.ts';

export interface InvestigationRequest extends RunRequest {
  readonly prompt: string;
  /** A value that JSON can hold. The code in the sandbox sees it as `context`; no prompt contains it. */
  readonly context?: unknown;
  /**
   * JSON Schema of the answer. Without it the answer is a text, or whatever value the model's code passes to FINAL().
   */
  readonly schema?: JsonSchema;
  /** Comma-separated globs; see core's scopes. */
  readonly scope?: string;
  readonly limits?: Partial<Limits>;
  /** Whether a model decides claims that code leaves undecided. Default: no. */
  readonly reader?: boolean;
  /** The tier that writes the code; default `planner`. */
  readonly outer?: Tier;
  /** The tier that answers llm_query; default `analyst`. */
  readonly inner?: Tier;
}

export interface InvestigationPorts extends Pick<RunContext, 'onCell' | 'onSession'> {
  readonly models: Models;
  readonly material: Material;
  /** Must contain `investigationHelpers`. */
  readonly sandbox: Pick<Sandbox, 'open' | 'restore'>;
  readonly capabilities: ReadonlySet<Capability>;
  /** What runs the stages: a plain loop (the default) or LangGraph. */
  readonly form?: 'loop' | 'graph';
  /** Replaces `form`: drives the stages of this investigation, but not of nested ones. */
  readonly drive?: Drive;
  /** The recorded run, in a replay of version 0.1. */
  readonly version01?: Version01Run;
}

export type InvestigationSetting = LifeSetting & InvestigationPorts;

/** The parameters in a run's row, from which it is resumed or replayed. */
export interface InvestigationParams extends RunParams {
  readonly scope?: string;
  /** The passed context: a value that JSON can hold. */
  readonly context?: unknown;
  readonly schema?: JsonSchema;
  readonly limits: Limits;
  /** Tokens and US dollars reserved for the last turn. Absent in older runs. */
  readonly last_turn?: LastTurn;
  readonly outer: Tier;
  readonly inner: Tier;
  /** Whether a model decides claims that code leaves undecided. Absent in runs of versions that had no such claims. */
  readonly reader?: boolean;
}

export interface InvestigationTypes {
  readonly request: InvestigationRequest;
  readonly params: InvestigationParams;
  readonly ports: InvestigationPorts;
  readonly end: FinishedInvestigation;
  readonly given: Pick<Sandbox, 'open' | 'restore'>;
  readonly replayed: ReplayResult;
  readonly offer: InvestigationOffer;
}

const maxPromptLength = 8_000;
/** Maximum bytes of the context as JSON. */
const maxContextBytes = 4_000_000;

export const investigationRun = defineRun<InvestigationTypes>({
  shape: 'investigation',
  params(request, { capabilities = new Set(), models }) {
    const prompt = request.prompt.trim();
    if (prompt === '' || prompt.length > maxPromptLength)
      throw new SondeError('bad_argument', {
        message: prompt === '' ? 'The question is empty' : `The question has ${prompt.length} characters`,
        remedy: `Ask something in 1 to ${maxPromptLength} characters; pass longer text along as context.`,
      });
    if (!capabilities.has('SandboxRun'))
      throw new SondeError('bad_argument', {
        message: 'An investigation runs code, and the caller lacks the capability SandboxRun',
        remedy: 'Ask for a run of the kind research instead.',
      });
    const { context = null, schema } = request;
    if (context !== null && Buffer.byteLength(JSON.stringify(context)) > maxContextBytes)
      throw new SondeError('bad_argument', {
        message: `The context is larger than ${maxContextBytes} bytes`,
        remedy: 'Put it into the material, and let the investigation search it.',
      });
    if (schema !== undefined) answerForm(schema);
    const scope = createScope(request.scope).text;
    const limits = limitsOf(request.limits);
    const { outer = 'planner', inner = 'analyst', reader = false } = request;
    const model = models[outer];
    const texts = [prompt, ...(schema === undefined ? [] : [JSON.stringify(schema)])];
    const lastTurnRequest = { model, prices: models.prices, texts, tokens: limits.tokens };
    return {
      question: prompt,
      params: {
        ...(scope !== undefined && { scope }),
        ...(context !== null && { context }),
        ...(schema !== undefined && { schema }),
        ...{ limits, outer, inner, reader },
        ...(!isExtractive(model) && { last_turn: estimateLastTurn(lastTurnRequest) }),
      },
    };
  },
  limits: ({ limits, last_turn: last }) => ({
    limits: ceilingsOf(limits),
    reserve: reserveOf(limits, last),
  }),
  // The context is in the row already; the log need not repeat it.
  paramsForLog: ({ context, ...params }) => ({
    ...params,
    ...(context !== undefined && { context: `${JSON.stringify(context).length} characters` }),
  }),
  async work({ row, params }, { form, drive, version01, ...ports }, { lost, pool, stop, ...life }) {
    if (version01 === undefined && isVersion01(params)) throw refuseOlderRun(row.id);
    const failure = openFailure();
    lost.addEventListener('abort', () => failure.set(lost.reason));
    // Losing the lease is a failure of this process and is not recorded; a request to stop is.
    const { limits, reader, last_turn } = params;
    const claimOptions = { reader, models: ports.models, limits, reserve: reserveOf(limits, last_turn) };
    const { pool: workPool, claimHandling } = splitPoolForClaims(pool, claimOptions);
    const context: RunContext = {
      ...life,
      ...ports,
      claimHandling,
      question: row.question,
      outer: params.outer,
      inner: params.inner,
      limits,
      signal: stop,
      seed: row.id,
      failure,
      isVersion01: version01 !== undefined,
    };
    const stageLoop = version01
      ? runRecordedCells(version01)
      : form === 'graph'
        ? (await import('./graph.ts')).byGraph
        : byLoop;
    const runStages = drive === undefined ? stageLoop : byDrive(drive);
    const place = rootPlace(row, params, workPool);
    const state = await investigateAt(place, context, runStages);
    if (version01) return version01.kept;
    const canResume = state.pending.kind === 'end' && state.pending.end.resumable === true;
    if (!canResume) failure.check();
    const notes = listOverspendNotes(life.loggedParams());
    const { model, scope } = params;
    return report(state, place, context, { run: row.id, model, spent: life.spent(), notes, scope });
  },
  result({ result, investigation }, run) {
    if (investigation === undefined) throw createUnfinishedError(run);
    return { result, investigation: currentRecord(result, investigation) };
  },
  requiredKey: 'final',
  async replay({ row, params, store, recordedEnd, journal, given }, work) {
    const runRecords = { row, journal };
    const { onCell, onSession, compareEnd } = startComparison(await store.events(row.id));
    const end = await work({
      models: { planner: replayModel('planner', runRecords), analyst: replayModel('analyst', runRecords) },
      material: silentMaterial(row.id),
      capabilities: new Set(),
      sandbox: given,
      onCell,
      onSession,
      ...(isVersion01(params) && { version01: { recall: journal.recall, kept: recordedEnd } }),
    });
    return compareEnd(end, recordedEnd);
  },
  task: async () => (await import('./shape.ts')).investigationTask,
});

/** The root of the tree of nested investigations, made from the row of the run. */
function rootPlace(row: RunRow, { scope, context, schema }: InvestigationParams, pool: Pool): TreeNode {
  return {
    key: 'root',
    depth: 0,
    step: null,
    prompt: row.question,
    context: context ?? null,
    scope: createScope(scope),
    form: schema === undefined ? null : answerForm(schema),
    turns: Infinity,
    pool,
  };
}
