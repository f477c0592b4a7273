/** Asks a question of a set by this program. */
import { SondeError } from '../../core/index.ts';
import type { SettingKey } from '../config/index.ts';
import { findKind } from '../kinds/find-kind.ts';
import { resume } from '../runs/resume.ts';
import type { EvalAdapter, FinishedRun, KindRequest, RunKind, SetQuestion } from '../runs/run-kind.ts';
import { openRun } from '../runs/runs.ts';
import { evaluations } from './evaluations.ts';
import type { PrintedResult } from './observed.ts';
import type { QuestionRow } from './question-set.ts';

export interface RowRequest {
  readonly row: QuestionRow;
  readonly folder: string;
  readonly baseline: boolean;
  readonly settings: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly signal: AbortSignal;
  /** The run of the question that an earlier process started; it is resumed. Null: none. */
  readonly begun: string | null;
  onRun(run: string): void;
}

/** Asks a question. Throws the error of a refused run. */
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
  const evaluated = evaluationOf(row);
  const question = questionOf(row, folder);
  const plain = baseline ? evaluated.plain?.(question) : undefined;
  const kind = findKind(plain?.shape ?? row.shape) as RunKind;
  return kind.start({
    ...(plain?.request ?? evaluated.request(question)),
    settings,
    signal,
    onRun,
  } as KindRequest);
}

export const questionOf = ({ question, scope }: QuestionRow, folder: string): SetQuestion => ({
  folder,
  ...(question !== undefined && { question }),
  ...(scope !== undefined && { scope }),
});

/** Never null: the shapes in a set are checked before it is asked. */
export const evaluationOf = ({ shape }: QuestionRow): EvalAdapter<object> => evaluations().get(shape)!;
