/**
 * Shows what an investigation would see in each system if an alert fired now: asks each system its questions that need
 * no arguments.
 */
import type {
  IncidentWindow,
  Observation,
  Signal,
  SignalFailure,
  SignalQuestion,
  SystemMask,
} from '../../core/index.ts';

export interface DryRunResult {
  readonly system: string;
  readonly question: string;
  readonly topic: string;
  /** The number of rows, lines or series; null: the question failed. */
  readonly count: number | null;
  readonly complete: boolean;
  /** Why the question failed; null: it was answered. */
  readonly failure: string | null;
}

export interface DryRunOptions {
  readonly window: IncidentWindow;
  readonly mask: SystemMask;
  /** Maximum time for one system. Milliseconds. */
  readonly timeoutMs: number;
}

const limits = { rows: 500, bytes: 40_000, timeoutMs: 5_000 };

/** Asks the systems in parallel, and the questions of one system one after another until its time is up. */
export async function dryRun(
  signals: readonly Signal[],
  options: DryRunOptions,
): Promise<readonly DryRunResult[]> {
  return (await Promise.all(signals.map((signal) => askSystem(signal, options)))).flat();
}

async function askSystem(
  { system, questions }: Signal,
  { window, mask, timeoutMs }: DryRunOptions,
): Promise<DryRunResult[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const results: DryRunResult[] = [];
  for (const signalQuestion of questions) {
    if (signal.aborted) break;
    if (!needsNoArguments(signalQuestion)) continue;
    const reply = await signalQuestion.ask({}, { window, limits, signal, mask });
    results.push({
      system,
      question: signalQuestion.name,
      topic: signalQuestion.topic,
      ...toOutcome(reply),
    });
  }
  return results;
}

const needsNoArguments = ({ parameters }: SignalQuestion): boolean => parameters.safeParse({}).success;

function toOutcome(reply: Observation | SignalFailure): Pick<DryRunResult, 'count' | 'complete' | 'failure'> {
  return reply.kind === 'failure'
    ? { count: null, complete: false, failure: reply.message }
    : { count: countRows(reply), complete: reply.completeness === 'complete', failure: null };
}

function countRows({ rows, truncated }: Observation): number {
  const { kind, ...lists } = rows;
  const [rowList] = Object.values(lists).filter((item) => Array.isArray(item));
  return Math.max(truncated?.total ?? 0, rowList?.length ?? 0);
}
