/**
 * One turn of a conversation: it begins with a message, an answer to a question, or after a crash, and ends with the
 * planner's answer, a question, or another end. One worker at a time advances a thread. Its work is recorded step by
 * step, so that another worker can continue it.
 */
import {
  type Amounts,
  type Clock,
  isSondeError,
  type Journal,
  messageOf,
  type Pool,
  type RunEvent,
  type Step,
} from '../../core/index.ts';
import type { Model, Prices, RetryPolicy } from '../../model/index.ts';
import type { Sessions, Store, ThreadLease } from '../../store/index.ts';
import type { ToolClient } from '../../tools/index.ts';
import { type Asker, makeAsker } from '../ask.ts';
import type { ThreadCheckpointer } from '../checkpoints/checkpointer.ts';
import type { Dispatcher } from '../dispatcher.ts';
import { conversationGraph } from '../graph.ts';
import type { Steering, ToolEvent } from '../graph-ports.ts';
import { untraced } from '../no-tracing.ts';
import type { Plan } from '../planner/plan.ts';
import type { StartedBy, TurnFacts } from '../planner/where-note.ts';
import { type RoleMode, type RoleSources, resolveRole } from '../roles.ts';
import { replaceMessage } from './replace-message.ts';
import { readThreadState } from './thread-state.ts';
import type { TurnChecker } from './turn-check.ts';
import { beginRun, findTurnRow, runTurnLife, type TurnLife } from './turn-life.ts';
import { createTurnEndedEvent, findClaims, type TurnResult, toTurnResult } from './turn-result.ts';
import {
  createNothingToError,
  decideStart,
  findLastUser,
  runIdOf,
  type Start,
  type TurnInput,
} from './turn-start.ts';
import { withThread } from './with-thread.ts';

export interface TurnPorts {
  /** Both in one database, so that a reply is stored and paid for in one transaction. */
  readonly sessions: Sessions;
  readonly store: Store;
  readonly planner: Model;
  readonly analyst: Model;
  /** Decides in place of the planner's model. */
  readonly plan?: Plan;
  readonly tools: Pick<ToolClient, 'list' | 'call'>;
  /** Makes the turn's dispatcher, with the parts that the turn shares. */
  readonly dispatcher?: (shared: TurnContext) => Dispatcher;
  /** The workspace and the person's time zone, which the planner is told in each turn. */
  readonly place?: Pick<TurnFacts, 'workspace' | 'zone'>;
  readonly roles?: RoleSources;
  readonly roleMode?: RoleMode;
  /** Checks the answer of a turn against its evidence; absent: answers are not checked, and the log says so. */
  readonly check?: TurnChecker;
  /** For new turns: whether the check may ask a model, paid from a tenth of their budget. */
  readonly reader?: boolean;
  /** The share of the planner's context window above which the oldest turns are compacted; absent: never. */
  readonly autoCompact?: number;
  /** The limits of a turn. */
  readonly limits: Amounts;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  /** Called with the run that pays for the turn, before any model is called. */
  readonly onRun?: (run: string) => void;
  readonly onText?: (piece: string) => void;
  readonly onTool?: (event: ToolEvent) => void;
  /** Returns the person's new messages during the turn, and forgets them. */
  readonly steering?: () => readonly Steering[];
}

export interface TurnContext {
  readonly ask: Asker;
  readonly pool: Pool;
  readonly step: Step;
  /** The recorded steps of the run, read only. */
  readonly recorded: Pick<Journal, 'recall'>;
}

/** Maximum steps of one turn; a budget ends the turn long before. */
const recursionLimit = 2000;

/**
 * Throws `not_found` for a thread that does not exist; `run_state` while another worker has it, if there is no question
 * to answer, and for a new message while a question is open or a turn is unfinished.
 */
export async function runTurn(thread: string, input: TurnInput, ports: TurnPorts): Promise<TurnResult> {
  const { sessions } = ports;
  if (input.kind === 'message' && !(await sessions.threads.has(thread)))
    await sessions.threads.create({ id: thread });
  return withThread(thread, sessions, (lease, checkpointer) =>
    advance(thread, input, lease, checkpointer, ports),
  );
}

async function advance(
  thread: string,
  input: TurnInput,
  lease: ThreadLease,
  checkpointer: ThreadCheckpointer,
  ports: TurnPorts,
): Promise<TurnResult> {
  const { store } = ports;
  if (input.kind === 'message' && input.edits !== undefined)
    await replaceMessage(thread, { ...input, edits: input.edits }, lease, checkpointer, ports);
  const threadState = await readThreadState(thread, checkpointer);
  const isFinished = async (id: string): Promise<boolean> =>
    (await findTurnRow(store, runIdOf(thread, id)))?.status === 'finished';
  const start = await decideStart(thread, input, threadState, isFinished);
  const message = start.message ?? findLastUser(threadState.messages);
  if (message === undefined) throw createNothingToError('go on with', thread);
  const run = runIdOf(thread, message.id);
  const row = await findTurnRow(store, run);
  if (start.kind === 'over') {
    const result = toTurnResult(thread, run, threadState);
    // A crash can come between the last checkpoint and the end of the run.
    if (row?.status === 'running' && !threadState.unfinished)
      await runTurnLife(run, lease, ports, async (life) => endTurn(life, result, ports));
    return result;
  }
  const startedBy = input.kind === 'message' ? input.startedBy : undefined;
  await beginRun(run, { thread, message, startedBy }, ports);
  const storedStart = (await store.runs.get(run)).params['started_by'] as StartedBy | undefined;
  const isFirst = threadState.messages.every(({ kind }) => kind === 'user');
  const turnFacts: TurnFacts = {
    ...ports.place,
    thread,
    before: isFirst ? null : (await ports.sessions.threads.get(thread)).updated,
    startedBy: storedStart ?? null,
  };
  return runTurnLife(run, lease, ports, (life) =>
    workTurn({ thread, input, start, lease, where: turnFacts }, life, checkpointer, ports),
  );
}

interface TurnStart {
  readonly thread: string;
  readonly input: TurnInput;
  readonly start: Start;
  readonly lease: ThreadLease;
  readonly where: TurnFacts;
}

async function workTurn(
  { thread, input, start, lease, where }: TurnStart,
  life: TurnLife,
  checkpointer: ThreadCheckpointer,
  ports: TurnPorts,
): Promise<TurnResult> {
  const { sessions } = ports;
  const { run, work: pool, reader, step, recorded, signal, lost } = life;
  ports.onRun?.(run);
  const ask = makeAsker({ ...ports, step, number: () => findLatestStep(life.events()) });
  const { dispatcher, check, ...graphPorts } = ports;
  const { channel } = await sessions.threads.get(thread);
  const callRole = input.kind === 'message' ? (input.role ?? null) : null;
  const role = ports.roles
    ? await resolveRole({ work: 'planner', call: callRole, thread, channel }, ports.roles, ports.roleMode)
    : (callRole?.content ?? null);
  const graph = conversationGraph(
    {
      ...graphPorts,
      ask,
      step,
      pool,
      role,
      where,
      evidence: () => collectEvidence(life.events()),
      ...(ports.autoCompact !== undefined && {
        autoCompaction: toAutoCompaction(ports.autoCompact, ports.planner),
      }),
      ...(check && {
        check: (text, messages) => check({ text, messages, events: life.events() }, { ask, pool: reader }),
      }),
      ...(dispatcher && { dispatcher: dispatcher({ ask, pool, step, recorded }) }),
    },
    checkpointer,
  );
  const configurable = { thread_id: thread };
  const config = { configurable, durability: 'sync', recursionLimit, signal, ...untraced } as const;
  const failure = await graph
    .invoke(start.input as never, config)
    .then(() => null)
    .catch((error: unknown) => error);
  life.pool.close();
  lost.throwIfAborted();
  // The turn is not over: the requester asks again.
  if (isSondeError(failure, 'lease_lost') || isSondeError(failure, 'store_away')) throw failure;
  await sessions.threads.touch(lease);
  if (failure !== null) {
    const [status, text] = signal.aborted
      ? (['cancelled', 'Cancelled; it can be continued.'] as const)
      : (['failed', messageOf(failure)] as const);
    await life.leave(status, text);
    return { thread, run, status, text, questions: [] };
  }
  const endState = await readThreadState(thread, checkpointer);
  const result = toTurnResult(thread, run, endState);
  if (endState.unfinished)
    await life.leave(
      'interrupted',
      `It waits for an answer: ${JSON.stringify(endState.questions[0]?.value)}`,
    );
  else await endTurn(life, result, ports);
  const claims = findClaims(life.events());
  return claims === undefined || result.status !== 'answered' ? result : { ...result, claims };
}

function endTurn(life: TurnLife, result: TurnResult, { planner, plan }: TurnPorts): Promise<void> {
  return life.finish(createTurnEndedEvent(life, result, plan === undefined ? planner.name : 'none'));
}

/** The number of the planner's latest step. */
function findLatestStep(events: readonly RunEvent[]): number {
  return Math.max(0, ...events.map((event) => (event.kind === 'step_started' ? event.step : 0)));
}

function collectEvidence(events: readonly RunEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) => (event.kind === 'evidence_registered' ? [event.evidence.id] : [])),
  );
}

function toAutoCompaction(share: number, { contextWindow }: Model) {
  return { threshold: Math.floor(share * contextWindow), window: contextWindow };
}
