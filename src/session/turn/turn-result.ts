/** The result of a turn, for its requester and for the log of its run. */
import { fitResult } from '../../core/answers.ts';
import { type Claim, isRefused, type RunEvent, type RunResult, type StopReason } from '../../core/index.ts';
import { summarizeVerdicts } from '../../gate/answer/status.ts';
import type { TurnEnd } from '../graph-state.ts';
import type { Question, ThreadState } from './thread-state.ts';
import type { TurnLife } from './turn-life.ts';

export interface TurnResult {
  readonly thread: string;
  readonly run: string;
  readonly status: TurnEnd['kind'] | 'interrupted' | 'cancelled';
  /** The answer, or the error. */
  readonly text: string;
  /** The questions that the turn waits for, if it was interrupted. */
  readonly questions: readonly Question[];
  /** Claims of the answer with verdicts; absent if they were not checked. */
  readonly claims?: readonly Claim[];
}

export function toTurnResult(
  thread: string,
  run: string,
  { messages, end, questions }: ThreadState,
): TurnResult {
  const lastReply = messages.findLast((each) => each.kind === 'assistant');
  if (questions.length > 0)
    return { thread, run, status: 'interrupted', text: lastReply?.text ?? '', questions };
  switch (end?.kind) {
    case 'exhausted':
      return {
        thread,
        run,
        status: 'exhausted',
        text: [
          `The budget of ${end.resource} is spent.`,
          ...(end.remedy === undefined ? [] : [end.remedy]),
        ].join(' '),
        questions: [],
      };
    case 'failed':
      return { thread, run, status: 'failed', text: end.message, questions: [] };
    case 'dropped':
      return { thread, run, status: 'dropped', text: 'Dropped.', questions: [] };
    default:
      return { thread, run, status: 'answered', text: lastReply?.text ?? '', questions: [] };
  }
}

export const findClaims = (events: readonly RunEvent[]): readonly Claim[] | undefined =>
  events.findLast((event) => event.kind === 'claims_checked')?.claims;

function describeCheck(claims: readonly Claim[] | undefined): string {
  if (claims === undefined)
    return 'A turn of a conversation: what it says was not checked against what it read.';
  return claims.length === 0
    ? 'A turn of a conversation that claims nothing about what it read.'
    : 'A turn of a conversation: its claims were held against what it read.';
}

const stopReasons: Readonly<Partial<Record<TurnResult['status'], StopReason>>> = {
  answered: 'finalized',
  exhausted: 'budget',
  failed: 'model_failed',
  dropped: 'cancelled',
};

export function createTurnEndedEvent(
  { events, run, pool }: TurnLife,
  result: TurnResult,
  model: string,
): RunEvent {
  const runEvents = events();
  const actions = runEvents.flatMap((event) => (event.kind === 'action_started' ? [event.action] : []));
  const countActions = (beginning: string) => actions.filter((action) => action.startsWith(beginning)).length;
  const spent = pool.spent();
  const claims = findClaims(runEvents);
  const runResult: RunResult = {
    run_id: run,
    status: summarizeVerdicts(claims ?? []),
    answer: result.text,
    citations: [],
    unsupported: (claims ?? []).filter(isRefused).map(({ text }) => text),
    ...(claims !== undefined && { claims }),
    confidence: null,
    stop_reason: stopReasons[result.status] ?? 'finalized',
    model,
    spent,
    coverage: {
      files: 0,
      skipped: 0,
      searches: countActions('search_'),
      files_read: countActions('read_'),
      evidence: runEvents.filter(({ kind }) => kind === 'evidence_registered').length,
      completeness: 'unknown',
      notes: [describeCheck(claims)],
    },
  };
  return { kind: 'run_finished', result: fitResult(runResult), spent };
}
