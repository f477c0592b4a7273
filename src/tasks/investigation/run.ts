/** Runs an investigation from its prompt to its checked result: new, or taken up again. */
import {
  type Capability,
  overspendNotes,
  type Pool,
  runId,
  SondeError,
  systemClock,
} from '../../core/index.ts';
import type { Tier } from '../../model/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { RunRow } from '../../store/index.ts';
import { scopeOf } from '../research/scope.ts';
import { type LifeSetting, liveRun } from '../run-life.ts';
import { answerForm, type JsonSchema } from './answer-form.ts';
import { type Crew, type Models, openFailure, type Place } from './crew.ts';
import { byGraph } from './graph.ts';
import { ceilingsOf, type Limits, limitsOf, reserveOf } from './limits.ts';
import { byLoop, investigateAt } from './loop.ts';
import type { Material } from './material.ts';
import { report } from './report.ts';
import {
  type FinishedInvestigation,
  finishedInvestigation,
  investigationRow,
  investigationShape,
  type Params,
  paramsOf,
} from './run-row.ts';

export interface InvestigationRequest {
  /** Of the run; made where it isn't given. Throws `run_state` where it is taken. */
  readonly id?: string;
  readonly prompt: string;
  /** A value that JSON can hold: there in the sandbox as `context`, never in a prompt. */
  readonly context?: unknown;
  /** JSON Schema of the answer; without one the answer is a text, or whatever FINAL was given. */
  readonly schema?: JsonSchema;
  /** What the run is about, for lists: a folder, or the file of a workspace. */
  readonly root: string;
  /** Comma-separated globs; see core's scopes. */
  readonly scope?: string;
  readonly limits?: Partial<Limits>;
  /** Which model writes the code; `planner` where not said. */
  readonly outer?: Tier;
  /** Which model answers llm_query; `analyst` where not said. */
  readonly inner?: Tier;
  /** False: only the prompt and the result are kept. Default true. */
  readonly storeArtifacts?: boolean;
  /** What else the caller needs to start the run again. No secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface InvestigationSetting extends LifeSetting {
  readonly models: Models;
  readonly material: Material;
  /** With `investigationHelpers`. */
  readonly sandbox: Pick<Sandbox, 'open' | 'restore'>;
  readonly capabilities: ReadonlySet<Capability>;
  /** `loop` by default; both give the same result. */
  readonly form?: 'loop' | 'graph';
}

const longestPrompt = 8_000;
/** Bytes as JSON. */
const largestContext = 4_000_000;

/** Throws `bad_argument` and `bad_pattern` before anything is written; after that every end but a bug is a result. */
export async function runInvestigation(
  request: InvestigationRequest,
  setting: InvestigationSetting,
): Promise<FinishedInvestigation> {
  const params = checkedParams(request, setting);
  const row = setting.store.runs.create({
    id: request.id ?? runId((setting.clock ?? systemClock).now()),
    shape: investigationShape,
    question: request.prompt.trim(),
    root: request.root,
    params: { ...params },
  });
  return carried(row, setting);
}

function checkedParams(
  request: InvestigationRequest,
  { models, capabilities }: InvestigationSetting,
): Params {
  const prompt = request.prompt.trim();
  if (prompt === '' || prompt.length > longestPrompt)
    throw new SondeError('bad_argument', {
      message: prompt === '' ? 'The question is empty' : `The question has ${prompt.length} characters`,
      remedy: `Ask something in 1 to ${longestPrompt} characters; pass longer text along as context.`,
    });
  if (!capabilities.has('SandboxRun'))
    throw new SondeError('bad_argument', {
      message: 'An investigation runs code, and the caller lacks the capability SandboxRun',
      remedy: 'Ask for a research instead.',
    });
  const { context = null, schema } = request;
  if (context !== null && Buffer.byteLength(JSON.stringify(context)) > largestContext)
    throw new SondeError('bad_argument', {
      message: `The context is larger than ${largestContext} bytes`,
      remedy: 'Put it into the material, and let the investigation search it.',
    });
  if (schema !== undefined) answerForm(schema);
  const scope = scopeOf(request.scope);
  return {
    ...(scope.text !== undefined && { scope: scope.text }),
    ...(context !== null && { context }),
    ...(schema !== undefined && { schema }),
    limits: limitsOf(request.limits),
    outer: request.outer ?? 'planner',
    inner: request.inner ?? 'analyst',
    store_artifacts: request.storeArtifacts ?? true,
    model: models.planner.name,
    ...(request.extra && { extra: request.extra }),
  };
}

/**
 * Takes up a run that a crash or a cancel ended, with its namespace, and gives the result of one that is finished.
 * What was recorded is not asked again. Throws `not_found`, and `run_state` while another process works on it.
 */
export async function resumeInvestigation(
  run: string,
  setting: InvestigationSetting,
): Promise<FinishedInvestigation> {
  return carried(investigationRow(setting.store, run), setting);
}

/** The root of the tree, as the row of a run describes it. */
export function rootPlace(row: RunRow, pool: Pool): Place {
  const { scope, context, schema } = paramsOf(row);
  return {
    key: 'root',
    depth: 0,
    step: null,
    prompt: row.question,
    context: context ?? null,
    scope: scopeOf(scope),
    form: schema === undefined ? null : answerForm(schema),
    pool,
  };
}

async function carried(row: RunRow, setting: InvestigationSetting): Promise<FinishedInvestigation> {
  const { store } = setting;
  const params = paramsOf(row);
  return liveRun(row, setting, {
    terms: { limits: ceilingsOf(params.limits), reserve: reserveOf(params.limits) },
    told: toldParams(params),
    ended: (run) => finishedInvestigation(store, run),
    async work({ lost, pool, ...life }) {
      const failure = openFailure();
      lost.addEventListener('abort', () => failure.set(lost.reason));
      const crew: Crew = {
        ...life,
        models: setting.models,
        outer: params.outer,
        inner: params.inner,
        material: setting.material,
        capabilities: setting.capabilities,
        limits: params.limits,
        sandbox: setting.sandbox,
        // A lost lease is a failure, which leaves no trace, and no wish to stop, which is recorded.
        signal: setting.signal ?? new AbortController().signal,
        seed: row.id,
        failure,
      };
      const place = rootPlace(row, pool);
      const state = await investigateAt(place, crew, setting.form === 'graph' ? byGraph : byLoop);
      failure.check();
      pool.tick();
      const { scope } = params;
      const notes = overspendNotes(life.log.read());
      return report(state, crew, { run: row.id, model: params.model, spent: pool.spent(), notes, scope });
    },
  });
}

/** The context is in the row; a log that repeats it serves nobody. */
function toldParams({ context, ...params }: Params): Readonly<Record<string, unknown>> {
  return {
    ...params,
    ...(context !== undefined && { context: `${JSON.stringify(context).length} characters` }),
  };
}
