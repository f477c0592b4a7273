/**
 * One turn of a conversation: from a message, an answer to a question, or a crash, to the planner's answer, a
 * question of its own, or an end of another kind. One worker at a time advances a thread; what it has done is
 * kept step by step, and another goes on from there.
 */
import { Command } from '@langchain/langgraph';
import {
  type Amounts,
  type Clock,
  isSondeError,
  messageOf,
  openPool,
  type Pool,
  SondeError,
  sha256,
} from '../core/index.ts';
import type { Model, Prices, RetryPolicy } from '../model/index.ts';
import type { Role, RunRow, Sessions, Store, ThreadLease } from '../store/index.ts';
import type { ToolClient } from '../tools/index.ts';
import { type Asker, type AskPorts, asker } from './ask.ts';
import { ThreadCheckpointer } from './checkpointer.ts';
import type { Dispatcher } from './dispatcher.ts';
import { conversationGraph, type ToolEvent, type TurnEnd } from './graph.ts';
import type { Message } from './messages.ts';
import type { Plan } from './plan.ts';
import { type RoleMode, type RoleSources, resolvedRole } from './roles.ts';
import { type Question, type ThreadState, threadState } from './thread-state.ts';

export type TurnInput =
  /** The id tells the same message sent twice from two alike: it starts one turn. */
  | { readonly kind: 'message'; readonly id: string; readonly text: string; readonly role?: Role }
  /** The answer to what the thread asked. */
  | { readonly kind: 'answer'; readonly value: unknown }
  /** Goes on where a crash, a cancel or a failed model left it. */
  | { readonly kind: 'continue' };

export interface TurnResult {
  readonly thread: string;
  readonly run: string;
  readonly status: TurnEnd['kind'] | 'interrupted' | 'cancelled';
  /** The answer, or what went wrong. */
  readonly text: string;
  /** What it waits for, where it is interrupted. */
  readonly questions: readonly Question[];
}

export interface TurnPorts {
  /** Both in one database, so that a reply is kept and paid for in one step. */
  readonly sessions: Sessions;
  readonly store: Store;
  readonly planner: Model;
  readonly analyst: Model;
  /** In place of the planner's model: what is decided without one. */
  readonly plan?: Plan;
  readonly tools: Pick<ToolClient, 'list' | 'call'>;
  /** Made for the turn, with what it shares. */
  readonly dispatcher?: (shared: Shared) => Dispatcher;
  readonly roles?: RoleSources;
  readonly roleMode?: RoleMode;
  /** Of a turn. */
  readonly limits: Amounts;
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
  /** The run under which the turn is paid for, before anything is asked. */
  readonly onRun?: (run: string) => void;
  readonly onText?: (piece: string) => void;
  readonly onTool?: (event: ToolEvent) => void;
}

export interface Shared {
  readonly ask: Asker;
  readonly pool: Pool;
  readonly journal: AskPorts['journal'];
}

/** Milliseconds. */
const heartbeatMs = 10_000;
/** Steps of one turn; a budget ends it long before. */
const recursionLimit = 2000;

/**
 * Throws `not_found` for a thread to answer or go on with that isn't there; `run_state` while another worker has
 * it, where there is nothing to answer, and for a message while a question is open or a turn unfinished: neither
 * is lost by talking past it.
 */
export async function runTurn(thread: string, input: TurnInput, ports: TurnPorts): Promise<TurnResult> {
  const { sessions } = ports;
  if (input.kind === 'message' && !sessions.threads.has(thread)) sessions.threads.create({ id: thread });
  const lease = sessions.threads.acquire(thread);
  try {
    const checkpointer = new ThreadCheckpointer({
      checkpoints: sessions.checkpoints,
      leaseOf(asked) {
        if (asked === thread) return lease;
        throw new SondeError('internal', { message: `The turn of ${thread} writes to ${asked}` });
      },
    });
    return await advance(thread, input, lease, checkpointer, ports);
  } finally {
    lease.release();
  }
}

async function advance(
  thread: string,
  input: TurnInput,
  lease: ThreadLease,
  checkpointer: ThreadCheckpointer,
  ports: TurnPorts,
): Promise<TurnResult> {
  const { store, clock, sessions, limits } = ports;
  const config = { configurable: { thread_id: thread } };
  const before = await threadState(thread, checkpointer);
  const start = startOf(thread, input, before);
  const message = start.message ?? lastUser(before.messages);
  if (message === undefined) throw nothingTo('go on with', thread);
  const run = runOf(thread, message.id);
  const { runs } = store;
  if (start.kind === 'over') {
    if (!before.unfinished) finishLate(store, run);
    return resultOf(thread, run, before);
  }

  // It may be there: a crash can come between the row and the first checkpoint.
  if (!start.begun && rowOf(store, run) === null) {
    const params = { thread, message: message.id, limits };
    runs.create({ id: run, shape: 'turn', question: message.text, root: '', params });
  }
  // Those it began with, whatever is configured now: a budget that is under way is not changed by going on.
  const held = (rowOf(store, run)?.params['limits'] ?? limits) as Amounts;
  const runLease = runs.acquire(run);
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, ...(ports.signal ? [ports.signal] : [])]);
  const heart = setInterval(() => {
    try {
      lease.renew();
      runLease.renew();
    } catch (error) {
      lost.abort(error);
    }
  }, heartbeatMs);
  heart.unref();
  try {
    ports.onRun?.(run);
    store.ledger.recover(run, runLease.fence);
    const pool = openPool(store.ledger, { account: run, run, fence: runLease.fence, limits: held, clock });
    const journal = store.journal(runLease);
    const ask = asker({ ...ports, journal, atomic: store.atomic });
    const { channel } = sessions.threads.get(thread);
    const call = input.kind === 'message' ? (input.role ?? null) : null;
    const role = ports.roles
      ? resolvedRole({ work: 'planner', call, thread, channel }, ports.roles, ports.roleMode)
      : (call?.content ?? null);
    const graph = conversationGraph(
      {
        ask,
        tools: ports.tools,
        pool,
        role,
        ...(ports.plan && { plan: ports.plan }),
        ...(ports.dispatcher && { dispatcher: ports.dispatcher({ ask, pool, journal }) }),
        ...(ports.onText && { onText: ports.onText }),
        ...(ports.onTool && { onTool: ports.onTool }),
      },
      checkpointer,
    );
    const failure = await graph
      .invoke(start.input as never, { ...config, durability: 'sync', recursionLimit, signal })
      .then(() => null)
      .catch((error: unknown) => error);
    pool.close();
    if (lost.signal.aborted) throw lost.signal.reason;
    if (failure !== null && isSondeError(failure, 'lease_lost')) throw failure;
    sessions.threads.touch(lease);
    if (failure !== null && signal.aborted)
      return { thread, run, status: 'cancelled', text: 'Cancelled; it can be continued.', questions: [] };
    if (failure !== null) return { thread, run, status: 'failed', text: messageOf(failure), questions: [] };
    const after = await threadState(thread, checkpointer);
    if (!after.unfinished) runs.finish(run, runLease);
    return resultOf(thread, run, after);
  } finally {
    clearInterval(heart);
    runLease.release();
  }
}

function rowOf({ runs }: Store, run: string): RunRow | null {
  try {
    return runs.get(run);
  } catch (error) {
    if (isSondeError(error, 'not_found')) return null;
    throw error;
  }
}

/** A crash can come between the last checkpoint and the mark on the run. */
function finishLate(store: Store, run: string): void {
  if (rowOf(store, run)?.status !== 'running') return;
  const lease = store.runs.acquire(run);
  store.runs.finish(run, lease);
  lease.release();
}

interface Start {
  readonly kind: 'over' | 'run';
  /** A turn that was started before. */
  readonly begun: boolean;
  readonly message?: { readonly id: string; readonly text: string };
  readonly input: unknown;
}

function startOf(thread: string, input: TurnInput, before: ThreadState): Start {
  const { messages, questions, unfinished } = before;
  switch (input.kind) {
    case 'message': {
      const { id, text } = input;
      const known = messages.some((each) => each.kind === 'user' && each.id === id);
      if (known) {
        const current = lastUser(messages)?.id === id;
        return {
          kind: current && unfinished && questions.length === 0 ? 'run' : 'over',
          begun: true,
          message: { id, text },
          input: null,
        };
      }
      if (questions.length > 0)
        throw new SondeError('run_state', {
          message: `${thread} waits for an answer: ${JSON.stringify(questions[0]!.value).slice(0, 300)}`,
          remedy: 'Answer it first.',
          details: { questions },
        });
      if (unfinished)
        throw new SondeError('run_state', {
          message: `${thread} has a turn that is not finished`,
          remedy: 'Continue it first.',
        });
      return {
        kind: 'run',
        begun: false,
        message: { id, text },
        input: { messages: [{ id, kind: 'user', text }], end: null },
      };
    }
    case 'answer':
      if (questions.length === 0) throw nothingTo('answer', thread);
      return { kind: 'run', begun: true, input: new Command({ resume: input.value }) };
    case 'continue':
      return { kind: unfinished && questions.length === 0 ? 'run' : 'over', begun: true, input: null };
  }
}

function lastUser(messages: readonly Message[]) {
  return messages.findLast((each) => each.kind === 'user');
}

/** Of the turn that a message starts. */
function runOf(thread: string, message: string): string {
  return `run-${sha256(`${thread}\0${message}`).slice(0, 15)}`;
}

function resultOf(thread: string, run: string, { messages, end, questions }: ThreadState): TurnResult {
  const last = messages.findLast((each) => each.kind === 'assistant');
  if (questions.length > 0) return { thread, run, status: 'interrupted', text: last?.text ?? '', questions };
  switch (end?.kind) {
    case 'exhausted':
      return {
        thread,
        run,
        status: 'exhausted',
        text: `The budget of ${end.resource} is spent.`,
        questions: [],
      };
    case 'failed':
      return { thread, run, status: 'failed', text: end.message, questions: [] };
    default:
      return { thread, run, status: 'answered', text: last?.text ?? '', questions: [] };
  }
}

function nothingTo(what: string, thread: string): SondeError {
  return new SondeError('run_state', {
    message: `There is nothing to ${what} in ${thread}`,
    remedy: 'Send a message.',
  });
}
