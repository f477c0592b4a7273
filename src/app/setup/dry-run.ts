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
  /** Rows, lines or series; null: the question failed. */
  readonly count: number | null;
  readonly complete: boolean;
  /** Why nothing was seen; null: something can be seen. */
  readonly failure: string | null;
}

export interface DryRunOptions {
  readonly window: IncidentWindow;
  readonly mask: SystemMask;
  /** Maximum time for one system. Milliseconds. */
  readonly patienceMs: number;
}

const limits = { rows: 500, bytes: 40_000, timeoutMs: 5_000 };

/** Systems are asked in parallel, the questions of one system one after another until its time is up. */
export async function dryRun(
  signals: readonly Signal[],
  options: DryRunOptions,
): Promise<readonly DryRunResult[]> {
  return (await Promise.all(signals.map((signal) => askOne(signal, options)))).flat();
}

async function askOne(
  { system, questions }: Signal,
  { window, mask, patienceMs }: DryRunOptions,
): Promise<DryRunResult[]> {
  const signal = AbortSignal.timeout(patienceMs);
  const dryRunResults: DryRunResult[] = [];
  for (const signalQuestion of questions) {
    if (signal.aborted) break;
    if (!needsNothing(signalQuestion)) continue;
    const reply = await signalQuestion.ask({}, { window, limits, signal, mask });
    dryRunResults.push({
      system,
      question: signalQuestion.name,
      topic: signalQuestion.topic,
      ...outcome(reply),
    });
  }
  return dryRunResults;
}

const needsNothing = ({ parameters }: SignalQuestion): boolean => parameters.safeParse({}).success;

function outcome(reply: Observation | SignalFailure): Pick<DryRunResult, 'count' | 'complete' | 'failure'> {
  return reply.kind === 'failure'
    ? { count: null, complete: false, failure: reply.message }
    : { count: countOf(reply), complete: reply.completeness === 'complete', failure: null };
}

function countOf({ rows, truncated }: Observation): number {
  const { kind, ...held } = rows;
  const [list] = Object.values(held).filter((one) => Array.isArray(one));
  return Math.max(truncated?.total ?? 0, list?.length ?? 0);
}
