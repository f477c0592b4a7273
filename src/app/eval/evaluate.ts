/**
 * Asks the questions of a set one after another under one budget, and judges each answer at once. Each result is recorded
 * before the next question is asked, so a kill interrupts at most one question, which can be resumed.
 */
import { join } from 'node:path';
import { isSondeError, SondeError } from '../../core/index.ts';
import {
  type Configuration,
  loadConfiguration,
  processEnvironment,
  type SettingKey,
  settingKeys,
  specOf,
} from '../config/index.ts';
import { storableModelName } from '../runs/kept-run.ts';
import { openRunModels } from '../runs/run-models.ts';
import { type AskRow, askHere, findEvalAdapter } from './ask-row.ts';
import { readObserved } from './observed.ts';
import { badSetError, type QuestionRow, type QuestionSet } from './question-set.ts';
import {
  type CutShort,
  type Header,
  openRecordFile,
  type RecordFile,
  type RowRecord,
  rowKey,
} from './record.ts';
import { prepareFolders, type RowFolders } from './row-place.ts';
import { type ObservedResult, scoreAnswer } from './score.ts';
import { type Summary, summarize } from './summary.ts';
import { identifySonde } from './this-sonde.ts';

export interface EvaluationRequest {
  readonly set: QuestionSet;
  /** Empty: the configured model. */
  readonly models: readonly string[];
  /** True: runs have only grep and file reading, with the same model and budget. */
  readonly baseline: boolean;
  /** The folder of another checkout of Sonde, which answers the questions instead. */
  readonly sonde?: string;
  readonly out: string;
  readonly resume: boolean;
  /** The maximum over all questions and models. */
  readonly maxUsd?: number;
  readonly maxTokens?: number;
  readonly signal: AbortSignal;
  onRow(row: RowRecord, done: number, all: number): void;
  onNote(note: string): void;
}

export type EvaluationEnd = 'done' | 'budget' | 'cancelled';

export interface Evaluation {
  readonly out: string;
  readonly ended: EvaluationEnd;
  /** Questions that were not asked. */
  readonly left: number;
  readonly header: Header;
  readonly rows: readonly RowRecord[];
  readonly summaries: readonly Summary[];
}

/** Throws for a wrong set, folder, model or file before anything is spent. */
export async function evaluate(request: EvaluationRequest): Promise<Evaluation> {
  const { set, signal, onNote } = request;
  const configuration = loadConfiguration({ environment: processEnvironment() });
  for (const note of configuration.notes) onNote(note);
  const models = (request.models.length > 0 ? request.models : [configuration.values.model]).map(
    storableModelName,
  );
  if (new Set(models).size < models.length)
    throw new SondeError('bad_argument', {
      message: 'A model is named twice',
      remedy: 'Name each model once.',
    });
  refuseUnsupportedBaseline(request);
  refuseSmallBudget(request, configuration);
  const places = await prepareFolders(set.rows, join(configuration.directories.cache, 'eval'), signal);
  if ('faults' in places)
    throw badSetError(
      set.name,
      places.faults.map(({ line, message }) => `line ${line}: ${message}`),
    );
  for (const note of places.notes) onNote(note);
  const { ask, sonde } = await chooseSonde(request, configuration, models);
  const header: Header = {
    kind: 'evaluation',
    version: 1,
    sonde,
    set: { name: set.name, hash: set.hash, rows: set.rows.length },
    models,
    baseline: request.baseline,
    settings: readResultSettings(configuration),
    started: new Date().toISOString(),
  };
  const file = openRecordFile(request.out, header, request.resume);
  try {
    return await askAll({ ...request, configuration, places, ask, header: file.recorded.header, file });
  } finally {
    file.close();
  }
}

function refuseUnsupportedBaseline({ baseline, set }: EvaluationRequest): void {
  const row = set.rows.find((questionRow) => findEvalAdapter(questionRow).plain === undefined);
  if (!baseline || row === undefined) return;
  throw new SondeError('bad_argument', {
    message: `--baseline uses grep and file reading, which line ${row.line} of the set (${row.shape}) does not support`,
    remedy: 'Leave such lines out of the set, or --baseline.',
  });
}

/** Chooses the Sonde that is asked. Throws if a model cannot be used. */
async function chooseSonde(
  { sonde, baseline, onNote }: EvaluationRequest,
  configuration: Configuration,
  models: readonly string[],
): Promise<{ readonly ask: AskRow; readonly sonde: Header['sonde'] }> {
  if (sonde !== undefined) {
    if (baseline)
      throw new SondeError('bad_argument', {
        message: '--baseline and --sonde were both given',
        remedy: 'The baseline is that of this Sonde: give one of them.',
      });
    const { openOtherSonde } = await import('./ask-other.ts');
    const { ask, version } = await openOtherSonde(sonde, configuration.directories);
    return { ask, sonde: { ...(await identifySonde(sonde)), version, asked: 'by_command' } };
  }
  for (const model of models)
    await openRunModels({ ...configuration, values: { ...configuration.values, model } }, { onNote }, {});
  return { ask: askHere, sonde: await identifySonde() };
}

/** The settings that affect results, for the header. Keys and other settings of the machine are left out. */
function readResultSettings({ values }: Configuration): Readonly<Record<string, unknown>> {
  const names: readonly SettingKey[] = settingKeys.filter(
    (name) => specOf(name).secret !== true && affectsResultsPattern.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

const affectsResultsPattern =
  /^(?:analyst|steps|turns|depth|max_|action_timeout|effort|reader|rerank|embedding|language_servers|prices)/;

interface EvaluationContext extends EvaluationRequest {
  readonly configuration: Configuration;
  readonly places: RowFolders;
  readonly ask: AskRow;
  readonly header: Header;
  readonly file: RecordFile;
}

async function askAll(context: EvaluationContext): Promise<Evaluation> {
  const { set, header, file, signal, onRow, out } = context;
  const recordByKey = new Map(file.recorded.rows.map((row) => [rowKey(row), row]));
  const allQuestions = header.models.flatMap((model) => set.rows.map((row) => ({ model, row })));
  const rows: RowRecord[] = [];
  const cutShort = [...file.recorded.cutShort];
  let ended: EvaluationEnd = 'done';
  for (const { model, row } of allQuestions) {
    const previous = recordByKey.get(rowKey({ id: row.id, model }));
    if (previous === undefined && ended === 'done') {
      const remainingBudget = subtractSpent(context, [...recordByKey.values(), ...cutShort]);
      if (signal.aborted) ended = 'cancelled';
      else if (!isBudgetEnough(remainingBudget, context.configuration)) ended = 'budget';
      else {
        const outcome = await askQuestion(context, row, model, remainingBudget);
        if (outcome === null) ended = 'cancelled';
        else if (outcome.kind === 'cut_short') {
          file.append(outcome);
          cutShort.push(outcome);
          ended = 'budget';
        } else {
          file.append(outcome);
          recordByKey.set(rowKey(outcome), outcome);
          onRow(outcome, recordByKey.size, allQuestions.length);
        }
      }
    }
    const record = recordByKey.get(rowKey({ id: row.id, model }));
    if (record !== undefined) rows.push(record);
  }
  const summaries = summarize(rows);
  const left = allQuestions.length - rows.length;
  if (ended === 'done') file.append({ kind: 'summary', summaries } as { readonly kind: 'summary' });
  return { out, ended, left, header, rows, summaries };
}

interface RemainingBudget {
  readonly usd: number;
  readonly tokens: number;
}

/** Returns what these rows leave of the budget of the whole evaluation. */
function subtractSpent(
  { maxUsd = Infinity, maxTokens = Infinity }: Pick<EvaluationRequest, 'maxUsd' | 'maxTokens'>,
  rows: readonly Pick<RowRecord, 'usd' | 'tokens'>[],
): RemainingBudget {
  const sumField = (name: 'usd' | 'tokens') => rows.reduce((sum, row) => sum + row[name], 0);
  return { usd: maxUsd - sumField('usd'), tokens: Math.floor(maxTokens - sumField('tokens')) };
}

/** A question is asked only with at least this share of its usual budget. With less, its answer is not comparable. */
const minBudgetShare = 0.25;
const isBudgetEnough = (
  remainingBudget: RemainingBudget,
  { values: { max_usd, max_tokens } }: Pick<Configuration, 'values'>,
): boolean =>
  remainingBudget.usd >= max_usd * minBudgetShare && remainingBudget.tokens >= max_tokens * minBudgetShare;

function refuseSmallBudget(request: EvaluationRequest, configuration: Configuration): void {
  if (isBudgetEnough(subtractSpent(request, []), configuration)) return;
  const { max_usd, max_tokens } = configuration.values;
  throw new SondeError('bad_argument', {
    message: `The budget is below a quarter of what one question may spend: ${max_usd} dollars and ${max_tokens} tokens`,
    remedy:
      'Give a larger one, or lower max_usd and max_tokens, which limit each question (SONDE_MAX_TOKENS).',
  });
}

/** Asks and judges one question. Returns null if it was cancelled; `--resume` then resumes it. */
async function askQuestion(
  { ask, places, baseline, configuration: { values }, signal, file }: EvaluationContext,
  row: QuestionRow,
  model: string,
  remainingBudget: RemainingBudget,
): Promise<RowRecord | CutShort | null> {
  const { id, shape } = row;
  const limits = {
    ...(remainingBudget.usd < Infinity && { max_usd: Math.min(values.max_usd, remainingBudget.usd) }),
    ...(remainingBudget.tokens < Infinity && {
      max_tokens: Math.min(values.max_tokens, remainingBudget.tokens),
    }),
  };
  let run = file.recorded.begun.find((begun) => begun.id === id && begun.model === model)?.run ?? null;
  let observed: ObservedResult;
  try {
    const printed = await ask({
      row,
      folder: places.folderOf(row),
      baseline,
      settings: { model, ...limits },
      signal,
      begun: run,
      onRun(begun) {
        run = begun;
        file.append({ kind: 'begun', id, model, run: begun });
      },
    });
    observed = readObserved(printed);
  } catch (thrown) {
    if (signal.aborted) return null;
    // Wrong settings affect every question, so the evaluation ends.
    if (isSondeError(thrown) && (thrown.code === 'bad_config' || thrown.code === 'model_config'))
      throw thrown;
    observed = await toFailedResult(thrown, run);
  }
  if (signal.aborted && observed.stop_reason === 'cancelled') return null;
  const isLimitLowered =
    (limits.max_usd !== undefined && limits.max_usd < values.max_usd) ||
    (limits.max_tokens !== undefined && limits.max_tokens < values.max_tokens);
  if (isLimitLowered && observed.stop_reason === 'budget')
    return { kind: 'cut_short', id, model, run, usd: observed.usd, tokens: observed.tokens };
  const { checkClaims } = await import('../../gate/index.ts');
  const countContradicted = (answer: string, gold: string): number =>
    checkClaims({
      answer: withoutCitations(answer),
      sources: [{ id: 'gold', path: 'gold', start: 1, end: 1, content: gold }],
    }).filter(({ verdict }) => verdict === 'contradicted').length;
  const score = scoreAnswer(row.gold, observed, countContradicted);
  const { answer: _answer, cited, evidence: _evidence, ...rest } = observed;
  return {
    kind: 'row',
    id,
    model,
    shape,
    ...rest,
    ...score,
    // If the model fails, the answer is quoted lines. The error shows that it is not an answer of the model.
    ...(observed.error === undefined &&
      observed.stop_reason === 'model_failed' && { error: `its model failed: sonde show ${run} says why` }),
    cited: cited.map(({ path, start, end }) => `${path}:${start}-${end}`),
  };
}

/** Removes citations, since the claims are checked against the gold answer. */
const withoutCitations = (answer: string): string => answer.replace(/\s*\[ev-[0-9a-f]+\]/g, '');

/** Returns the result of a question that failed, which counts as wrong. Includes its cost if its run is known. */
async function toFailedResult(thrown: unknown, run: string | null): Promise<ObservedResult> {
  const failedResult: ObservedResult = {
    run,
    status: null,
    stop_reason: null,
    answer: null,
    cited: [],
    evidence: [],
    verdicts: [],
    claims: {},
    steps: 0,
    tokens: 0,
    cached_tokens: 0,
    usd: 0,
    ms: 0,
    error: thrown instanceof Error ? thrown.message : String(thrown),
  };
  if (run === null) return failedResult;
  const { openRun } = await import('../runs/runs.ts');
  const view = await openRun(run).catch(() => null);
  const { spent } = (view?.trace() ?? {}) as {
    readonly spent?: { readonly tokens: number; readonly usd: number };
  };
  return { ...failedResult, tokens: spent?.tokens ?? 0, usd: spent?.usd ?? 0 };
}
