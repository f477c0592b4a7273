/** Runs one question of a question set, in this process. */
import { SondeError } from '../../core/index.ts';
import type { SettingKey } from '../config/index.ts';
import { findKind } from '../kinds/find-kind.ts';
import { resume } from '../runs/resume.ts';
import type { EvalAdapter, FinishedRun, KindRequest, RunKind, SetQuestion } from '../runs/run-kind.ts';
import { openRun } from '../runs/runs.ts';
import { listEvalAdapters } from './evaluations.ts';
import type { PrintedResult } from './observed.ts';
import type { QuestionRow } from './question-set.ts';

export interface RowRequest {
  readonly row: QuestionRow;
  readonly folder: string;
  readonly baseline: boolean;
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly signal: AbortSignal;
  /** The run that an earlier process started for the question; it is resumed. Null: there is none. */
  readonly begun: string | null;
  onRun(run: string): void;
}

/** Asks a question and returns the output of its run. Throws if the run is refused. */
export type AskRow = (request: RowRequest) => Promise<PrintedResult>;

export const askHere: AskRow = async (request) => {
  const started = performance.now();
  const { json, result } = await finishRow(request);
  const ms = Math.round(performance.now() - started);
  const view = await openRun(result.run_id);
  return { result: json, evidence: view.evidence(), trace: view.trace(), ms };
};

async function finishRow({ begun, ...request }: RowRequest): Promise<FinishedRun> {
  if (begun !== null)
    try {
      return await resume({ run: begun, signal: request.signal });
    } catch (thrown) {
      // A run that was killed before its first record cannot be resumed.
      if (!(thrown instanceof SondeError) || !['not_found', 'run_state'].includes(thrown.code)) throw thrown;
    }
  const { row, folder, baseline, settings, signal, onRun } = request;
  const adapter = findEvalAdapter(row);
  const question = toSetQuestion(row, folder);
  const baselineRun = baseline ? adapter.plain?.(question) : undefined;
  const kind = findKind(baselineRun?.shape ?? row.shape) as RunKind;
  return kind.start({
    ...(baselineRun?.request ?? adapter.request(question)),
    settings,
    signal,
    onRun,
  } as KindRequest);
}

export const toSetQuestion = ({ question, scope }: QuestionRow, folder: string): SetQuestion => ({
  folder,
  ...(question !== undefined && { question }),
  ...(scope !== undefined && { scope }),
});

/** Finds the adapter of a question. There always is one, since the shapes in a set are checked when it is read. */
export const findEvalAdapter = ({ shape }: QuestionRow): EvalAdapter<object> =>
  listEvalAdapters().get(shape)!;
