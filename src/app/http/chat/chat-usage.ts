/** Counts the tokens of one request: of all calls of its turn or run, and of the work that the turn delegated. */
import type { LoggedEvent } from '../../../core/index.ts';
import { estimateTokens } from '../../../model/index.ts';
import type { Store } from '../../../store/index.ts';
import { isDelegated, threadOf } from '../../agent/thread-runs.ts';
import type { VisibleRuns } from '../visible-runs.ts';

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
}

/**
 * Tokens as the providers counted them. For a call without a count: the amount charged, with the length of the reply as
 * an estimate of the output.
 */
export function sumUsage(log: readonly LoggedEvent[]): ChatUsage {
  let [input, output, cached] = [0, 0, 0];
  for (const { event } of log) {
    if (event.kind !== 'model_replied') continue;
    const total = event.spent.tokens ?? 0;
    const outputTokens = event.output ?? Math.min(total, estimateTokens(event.text));
    output += outputTokens;
    input += event.input ?? total - outputTokens;
    cached += event.cached ?? 0;
  }
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

/** For each run of a thread, the number of its last event. */
export type LogEnds = ReadonlyMap<string, number>;

/** Maximum number of runs to search, newest first. */
const maxRuns = 1_000;

type NewestRuns = Pick<VisibleRuns, 'newest'>;

async function listThreadRuns(thread: string, runs: NewestRuns) {
  return (await runs.newest(maxRuns)).filter(({ row }) => threadOf(row) === thread);
}

const lastSeqOf = async (store: Store, run: string): Promise<number> =>
  (await store.events(run)).at(-1)?.seq ?? 0;

/** Reads the current ends of the logs of a thread's runs. Call it while no turn runs in the thread. */
export async function readLogEnds(thread: string, runs: NewestRuns): Promise<LogEnds> {
  const threadRuns = await listThreadRuns(thread, runs);
  return new Map(
    await Promise.all(
      threadRuns.map(async ({ row, store }) => [row.id, await lastSeqOf(store, row.id)] as const),
    ),
  );
}

/**
 * The log entries of a turn and of the runs that it delegated. Turns of a thread don't overlap, so a run that began
 * during this turn belongs to it.
 */
export async function readTurnLog(
  turn: string,
  thread: string,
  { runs, before }: { readonly runs: NewestRuns; readonly before: LogEnds },
): Promise<readonly LoggedEvent[]> {
  const threadRuns = await listThreadRuns(thread, runs);
  const visibleRun = threadRuns.find(({ row }) => row.id === turn);
  if (visibleRun === undefined) return [];
  const log = await visibleRun.store.events(turn, before.get(turn) ?? 0);
  const endedAt = log.at(-1)?.at ?? 0;
  const delegatedRuns = threadRuns.filter(
    ({ row }) =>
      isDelegated(row) &&
      (before.has(row.id) || (row.created >= visibleRun.row.created && row.created <= endedAt)),
  );
  const logs = delegatedRuns.map(({ row, store }) => store.events(row.id, before.get(row.id) ?? 0));
  return [...log, ...(await Promise.all(logs)).flat()];
}
