/**
 * The agent: takes messages from its transport, runs turns, and reports what happens in them. It holds no state
 * that a crash could lose: a thread's checkpoints say where it was.
 */
import { type Capability, isSondeError, type Masker, messageOf, SondeError } from '../../core/index.ts';
import type { Plan, Steering, TurnInput, TurnPorts, TurnResult } from '../../session/index.ts';
import { readBalance } from '../../store/index.ts';
import type { ToolClient } from '../../tools/index.ts';
import {
  type AgentAbout,
  type AgentEvent,
  type AgentMessage,
  type AgentOutput,
  type AgentReply,
  agentMessage,
  type Wire,
} from './channel/channel.ts';
import { claimsForEvent } from './event-claims.ts';
import { failure, ok, toRefusal } from './replies.ts';
import { createTextFilter } from './streamed-text.ts';
import type { TurnStart } from './thread-input.ts';
import type { Trail } from './tools/turn-tools.ts';

/** Loaded with the first turn. */
const loadTurns = () => import('./turns.ts');

type Turns = Awaited<ReturnType<typeof loadTurns>>;

/** Where the tools of a thread are reached; null: in this process. */
export type ToolsEndpoint = NonNullable<Extract<AgentMessage, { type: 'start_run' }>['tools']> | null;

type PortsSetByTurn = 'steering' | 'tools' | 'dispatcher' | 'plan' | 'signal' | 'onText' | 'onTool' | 'onRun';

export interface AgentPorts extends Omit<TurnPorts, PortsSetByTurn> {
  /** The tools that this thread may use. Throws if the host is gone. */
  connect(thread: string, at: ToolsEndpoint): Promise<ToolClient>;
  /** Starts the work that turns of the thread delegate. The work has these tools and these rights. */
  dispatcher?(
    tools: Pick<ToolClient, 'list' | 'call'>,
    capabilities: ReadonlySet<Capability>,
  ): DispatcherFactory | Promise<DispatcherFactory>;
  /** Decides in place of a model. Called for each turn. */
  plan?(): Promise<Plan>;
  /** For people: which model plans, and why. */
  readonly about?: AgentAbout;
  /** Hides keys and other secrets in errors. */
  readonly redact: (text: string) => string;
  /** Hides secrets in what a person says, before it is kept or sent. */
  readonly mask: Pick<Masker, 'value'>;
}

export interface Agent {
  /** Cancels running turns, which can be resumed later, and waits for their end. */
  close(): Promise<void>;
  /** Resolves after the message `shutdown` was carried out. */
  readonly ended: Promise<void>;
}

const unknownThread = Object.freeze({ state: 'unknown', questions: [], last: null });

/** Interval between reports of the cost of delegated work. Milliseconds. */
const costReportMs = 2_000;

export function runAgent(wire: Wire, ports: AgentPorts): Agent {
  const { sessions, redact } = ports;
  interface Running {
    /** The id of the message that began the turn. */
    readonly id: string;
    readonly stop: AbortController;
    readonly done: Promise<void>;
    /** Messages of the person since the last step. */
    readonly steering: Steering[];
  }
  const running = new Map<string, Running>();
  const ended = Promise.withResolvers<void>();
  const send = (output: AgentOutput): void => wire.send(output);
  const emitEvent = (thread_id: string, request: string, event: AgentEvent): void =>
    send({ type: 'event', thread_id, request, event });

  async function start(message: TurnStart): Promise<void> {
    const { id, thread_id } = message;
    const turns = await loadTurns();
    const busy = () =>
      new SondeError('run_state', {
        message: `A turn of ${thread_id} is under way`,
        remedy: 'Wait for its end, or cancel it.',
        details: { busy: true },
      });
    if (running.has(thread_id)) throw busy();
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = new AbortController();
    // From here on nobody else can start a turn in this thread, even while this one is being prepared.
    const thisTurn: Running = { id, stop, done: promise, steering: [] };
    running.set(thread_id, thisTurn);
    let end: AgentEvent | AgentReply;
    try {
      // Unfinished work that another process still holds only looks abandoned: it must not be dropped.
      const isHeldElsewhere = async () =>
        (await sessions.threads.has(thread_id)) && (await sessions.threads.isHeld(thread_id));
      if (await isHeldElsewhere()) throw busy();
      const prepare = async (): Promise<TurnInput> => {
        if (message.type !== 'resume') await dropAbandonedTurn(turns, message);
        return turns.inputOf(sessions, message, ports.mask);
      };
      const input = await prepare().catch(async (error: unknown) => {
        throw (await isHeldElsewhere()) ? busy() : error;
      });
      let accepted = false;
      // The message is accepted only now, when it can't be lost any more. Until then the sender is told that it was not
      // accepted.
      const accept = (): void => {
        if (!accepted) send(ok(id, 'started', { thread_id }));
        accepted = true;
      };
      end = await runTurn(turns, thread_id, input, message, thisTurn, accept).catch(
        async (error: unknown): Promise<AgentEvent | AgentReply> => {
          if (!accepted) throw isSondeError(error, 'run_state') && (await isHeldElsewhere()) ? busy() : error;
          if (isSondeError(error, 'store_away') && !stop.signal.aborted) return failure(id, error, redact);
          const status = stop.signal.aborted ? 'cancelled' : 'failed';
          const text = redact(messageOf(error));
          return { kind: 'turn_ended', run_id: null, status, text, questions: [] };
        },
      );
    } finally {
      running.delete(thread_id);
      resolve();
    }
    // Afterwards, because whoever receives the end may start the next turn.
    if ('type' in end) send(end);
    else emitEvent(thread_id, id, end);
  }

  /** Drops a turn that was cancelled, failed or killed, since another message replaces it; an open question stays. */
  async function dropAbandonedTurn(
    turns: Turns,
    message: Exclude<TurnStart, { type: 'resume' }>,
  ): Promise<void> {
    const { thread_id, message_id } = message;
    const { unfinished, questions, messages } = await turns.stateOf(sessions, thread_id);
    const isEdit = message.type === 'start_run' && message.edits !== undefined;
    if (!unfinished || questions.length > 0 || isEdit || messages.some(({ id }) => id === message_id)) return;
    const { plan: _, dispatcher: __, ...shared } = ports;
    await turns.dropTurn(thread_id, shared);
  }

  async function runTurn(
    turns: Turns,
    thread: string,
    input: TurnInput,
    message: TurnStart,
    { stop: { signal }, steering }: Running,
    accept: () => void,
  ): Promise<AgentEvent> {
    let run: string | null = null;
    const emit = (event: AgentEvent): void => emitEvent(thread, message.id, event);
    async function emitSpending(): Promise<void> {
      const balance = run === null ? null : await readBalance(ports.store, run);
      if (balance === null) return;
      const { spent, limits } = balance;
      const finiteLimits = Object.fromEntries(
        Object.entries(limits).filter(([, max]) => Number.isFinite(max)),
      );
      emit({ kind: 'budget', spent, limits: finiteLimits });
    }
    /** Sends events one after the other, and all before the end of the turn. */
    let emitting = Promise.resolve();
    const queueSpending = (): Promise<void> => {
      emitting = emitting.then(emitSpending, emitSpending);
      emitting.catch(() => {});
      return emitting;
    };
    let textReader = createTextFilter();
    const emitToolEvent = (event: AgentEvent): void => {
      if (event.kind === 'tool_started') textReader = createTextFilter();
      emit(event);
      if (event.kind === 'tool_finished') void queueSpending();
    };
    const client = await ports.connect(thread, message.tools ?? null);
    const pendingWork = new Set<Promise<unknown>>();
    // Delegated work reports only what it costs.
    const costTimer = setInterval(() => pendingWork.size > 0 && queueSpending(), costReportMs);
    try {
      const { messages } = await turns.stateOf(sessions, thread);
      const hasStarted = input.kind !== 'message' || messages.some(({ id }) => id === input.id);
      const reads = hasStarted ? turns.readSoFar(messages) : new Set<string>();
      if (hasStarted) for (const id of await turns.readBefore(messages, thread, client)) reads.add(id);
      const known = turns.collectKnown(messages);
      for (const id of reads) known.add(id);
      const trail: Trail = { reads: reads, known, origins: turns.originsSoFar(messages) };
      const tools = turns.turnTools(client, trail, emitToolEvent);
      const { limits } = message.type === 'resume' ? {} : message;
      const { dispatcher, plan, ...shared } = ports;
      const turnPlan = await plan?.();
      const createDispatcher = await dispatcher?.(
        turns.workTools(client, emitToolEvent, trail),
        await turns.capabilitiesOver(client),
      );
      const result = await turns.runTurn(thread, input, {
        ...shared,
        ...(turnPlan !== undefined && { plan: turnPlan }),
        tools,
        signal,
        ...(createDispatcher !== undefined && {
          dispatcher: trackWork(createDispatcher, turns.runIdsOf, pendingWork, trail),
        }),
        ...(limits !== undefined && { limits: { ...ports.limits, ...limits } }),
        onRun(runId) {
          run = runId;
          accept();
          emit({ kind: 'turn_started', run_id: runId });
        },
        onText(piece) {
          const shown = textReader(piece);
          if (shown !== '') emit({ kind: 'text', piece: shown });
        },
        steering() {
          const steerings = steering.splice(0);
          for (const { id, text } of steerings) emit({ kind: 'steered', message_id: id, text });
          return steerings;
        },
        onTool(event) {
          // Calls of the host's tools are reported by the host, with their results.
          if (!['task', 'compact_history', 'ask_user'].includes(event.name)) return;
          const { call, name, note = '' } = event;
          if (event.kind === 'started') emitToolEvent({ kind: 'tool_started', call, name, about: note });
          else emitToolEvent({ kind: 'tool_finished', call, name, ok: event.ok, note, write_id: null });
        },
      });
      accept();
      await queueSpending();
      return await toTurnEnded(turns, result, redact);
    } finally {
      // A cancelled turn ends before its work does. The work must be over before the thread can be used again.
      await Promise.allSettled(pendingWork);
      clearInterval(costTimer);
      await emitting.catch(() => {});
      await client.close();
    }
  }

  const findRunningTurn = (thread: string, startedBy: string | undefined): Running | undefined => {
    const turn = running.get(thread);
    return startedBy === undefined || turn?.id === startedBy ? turn : undefined;
  };

  async function handle(message: AgentMessage): Promise<AgentReply | null> {
    const { id } = message;
    switch (message.type) {
      case 'start_run':
      case 'workspace_event':
      case 'resume':
        await start(message);
        return null;
      case 'cancel': {
        const { thread_id, drop = false } = message;
        const turn = findRunningTurn(thread_id, message.of);
        turn?.stop.abort();
        await turn?.done;
        const cancelled = turn !== undefined;
        if (!drop) return ok(id, cancelled ? 'cancelled' : 'nothing was running', { cancelled });
        const turns = await loadTurns();
        const { plan: _, dispatcher: __, ...shared } = ports;
        emitEvent(thread_id, id, await toTurnEnded(turns, await turns.dropTurn(thread_id, shared), redact));
        return ok(id, 'dropped', { cancelled, dropped: true });
      }
      case 'steer': {
        const { thread_id, message_id, prompt } = message;
        const turn = findRunningTurn(thread_id, message.of);
        turn?.steering.push({ id: message_id, text: ports.mask.value(prompt) });
        const delivered = turn !== undefined;
        return ok(id, delivered ? 'told' : 'nothing was running', { told: delivered });
      }
      case 'observe':
        return ok(id, 'thread', {
          ...(await describeThread(message.thread_id)),
        });
      case 'lifecycle':
        if (message.command === 'ping')
          return ok(id, 'there', { running: [...running.keys()], about: ports.about ?? null });
        await close();
        send(ok(id, 'ended', {}));
        ended.resolve();
        return null;
    }
  }

  /** For a thread that does not exist, the graph of conversations is not loaded. */
  async function describeThread(thread: string) {
    if (!(await sessions.threads.has(thread))) return unknownThread;
    return (await loadTurns()).noteOf(sessions, thread, running.has(thread));
  }

  async function close(): Promise<void> {
    for (const { stop } of running.values()) stop.abort();
    await Promise.allSettled([...running.values()].map(({ done }) => done));
  }

  wire.onMessage((value) => {
    const parsed = agentMessage.safeParse(value);
    if (!parsed.success) {
      send(toRefusal(value, parsed.error.issues));
      return;
    }
    handle(parsed.data)
      .then((reply) => reply !== null && send(reply))
      .catch((thrown: unknown) => send(failure(parsed.data.id, thrown, redact)));
  });
  send({ type: 'lifecycle', state: 'ready', message: '' });
  return { close, ended: ended.promise };
}

type DispatcherFactory = NonNullable<TurnPorts['dispatcher']>;

/**
 * Tracks delegated work, so that its end can be waited for, and notes which runs the results came from: a write that
 * cites such a result also cites what the run read.
 */
const trackWork =
  (
    createDispatcher: DispatcherFactory,
    runIdsOf: Turns['runIdsOf'],
    pendingWork: Set<Promise<unknown>>,
    { reads, known, origins }: Trail,
  ): DispatcherFactory =>
  (shared) => {
    const dispatcher = createDispatcher(shared);
    return {
      ...dispatcher,
      task(shape, params, dispatch) {
        const work = dispatcher
          .task(shape, params, dispatch)
          .then((outcome) => {
            for (const run of outcome.kind === 'done' ? runIdsOf(outcome.output) : []) {
              reads.add(run);
              known.add(run);
            }
            origins.add('tool:task');
            return outcome;
          })
          .finally(() => pendingWork.delete(work));
        pendingWork.add(work);
        return work;
      },
    };
  };

async function toTurnEnded(
  { questionsOf }: Turns,
  { run, status, text, questions, claims = [] }: TurnResult,
  redact: (text: string) => string,
): Promise<AgentEvent> {
  return {
    kind: 'turn_ended',
    run_id: run,
    status,
    text: redact(text),
    questions: questionsOf(questions),
    ...(await claimsForEvent(claims, redact)),
  };
}
