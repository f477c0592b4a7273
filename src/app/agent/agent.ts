/**
 * The agent: takes messages from its channel, runs turns, and sends events about them. A crash loses no state, since
 * the checkpoints of each thread record how far it got.
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
import { failureReply, okReply, toRefusal } from './replies.ts';
import { createTextFilter } from './streamed-text.ts';
import type { TurnStart } from './thread-input.ts';
import type { Trail } from './tools/turn-tools.ts';

/** Loads the code of turns when the first turn starts. */
const loadTurns = () => import('./turns.ts');

type Turns = Awaited<ReturnType<typeof loadTurns>>;

/** The address and the token of a thread's tools; null: the tools are in this process. */
export type ToolsEndpoint = NonNullable<Extract<AgentMessage, { type: 'start_run' }>['tools']> | null;

type PortsSetByTurn = 'steering' | 'tools' | 'dispatcher' | 'plan' | 'signal' | 'onText' | 'onTool' | 'onRun';

export interface AgentPorts extends Omit<TurnPorts, PortsSetByTurn> {
  /** Connects to the tools that this thread may use. Throws if the host is gone. */
  connect(thread: string, at: ToolsEndpoint): Promise<ToolClient>;
  /** Returns what starts the work that a turn delegates. The work gets these tools and capabilities. */
  dispatcher?(
    tools: Pick<ToolClient, 'list' | 'call'>,
    capabilities: ReadonlySet<Capability>,
  ): DispatcherFactory | Promise<DispatcherFactory>;
  /** Returns a plan that decides in place of the model. Called once for each turn. */
  plan?(): Promise<Plan>;
  /** The planning model and why it was chosen, for display. */
  readonly about?: AgentAbout;
  /** Hides keys and other secrets in errors. */
  readonly redact: (text: string) => string;
  /** Hides secrets in what a person says, before it is kept or sent. */
  readonly mask: Pick<Masker, 'value'>;
}

export interface Agent {
  /** Cancels running turns and waits for their end. They can be resumed later. */
  close(): Promise<void>;
  /** Resolves after the message `shutdown` was carried out. */
  readonly ended: Promise<void>;
}

const unknownThread = Object.freeze({ state: 'unknown', questions: [], last: null });

/** Interval between reports of the cost of delegated work. Milliseconds. */
const costReportMs = 2_000;

export function runAgent(wire: Wire, ports: AgentPorts): Agent {
  const { sessions, redact } = ports;
  interface RunningTurn {
    /** The id of the message that began the turn. */
    readonly id: string;
    readonly stop: AbortController;
    readonly done: Promise<void>;
    /** Messages that the person sent to the running turn and that it has not read yet. */
    readonly steering: Steering[];
  }
  const runningTurns = new Map<string, RunningTurn>();
  const ended = Promise.withResolvers<void>();
  const send = (output: AgentOutput): void => wire.send(output);
  const emitEvent = (thread_id: string, request: string, event: AgentEvent): void =>
    send({ type: 'event', thread_id, request, event });

  async function start(message: TurnStart): Promise<void> {
    const { id, thread_id } = message;
    const turns = await loadTurns();
    const busyError = () =>
      new SondeError('run_state', {
        message: `A turn of ${thread_id} is under way`,
        remedy: 'Wait for its end, or cancel it.',
        details: { busy: true },
      });
    if (runningTurns.has(thread_id)) throw busyError();
    const { promise, resolve } = Promise.withResolvers<void>();
    const abortController = new AbortController();
    // Registered before it is prepared, so that no other turn can start in this thread meanwhile.
    const thisTurn: RunningTurn = { id, stop: abortController, done: promise, steering: [] };
    runningTurns.set(thread_id, thisTurn);
    let turnEnd: AgentEvent | AgentReply;
    try {
      // An unfinished turn that another process still runs must not be dropped as abandoned.
      const isHeldElsewhere = async () =>
        (await sessions.threads.has(thread_id)) && (await sessions.threads.isHeld(thread_id));
      if (await isHeldElsewhere()) throw busyError();
      const prepare = async (): Promise<TurnInput> => {
        if (message.type !== 'resume') await dropAbandonedTurn(turns, message);
        return turns.inputOf(sessions, message, ports.mask);
      };
      const input = await prepare().catch(async (error: unknown) => {
        throw (await isHeldElsewhere()) ? busyError() : error;
      });
      let accepted = false;
      // Called once the message is stored. If the turn fails before that, the sender gets a refusal instead.
      const accept = (): void => {
        if (!accepted) send(okReply(id, 'started', { thread_id }));
        accepted = true;
      };
      turnEnd = await runTurn(turns, thread_id, input, message, thisTurn, accept).catch(
        async (error: unknown): Promise<AgentEvent | AgentReply> => {
          if (!accepted)
            throw isSondeError(error, 'run_state') && (await isHeldElsewhere()) ? busyError() : error;
          if (isSondeError(error, 'store_away') && !abortController.signal.aborted)
            return failureReply(id, error, redact);
          const status = abortController.signal.aborted ? 'cancelled' : 'failed';
          const text = redact(messageOf(error));
          return { kind: 'turn_ended', run_id: null, status, text, questions: [] };
        },
      );
    } finally {
      runningTurns.delete(thread_id);
      resolve();
    }
    // Sent after the turn is removed, because whoever receives the end may start the next turn at once.
    if ('type' in turnEnd) send(turnEnd);
    else emitEvent(thread_id, id, turnEnd);
  }

  /** Drops a cancelled, failed or killed turn that the new message replaces; a turn with an open question is kept. */
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
    { stop: { signal }, steering }: RunningTurn,
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
    /** Resolves when the last queued event was sent: events are sent one by one, all before the turn ends. */
    let lastEmission = Promise.resolve();
    const queueSpending = (): Promise<void> => {
      lastEmission = lastEmission.then(emitSpending, emitSpending);
      lastEmission.catch(() => {});
      return lastEmission;
    };
    let textReader = createTextFilter();
    const emitToolEvent = (event: AgentEvent): void => {
      if (event.kind === 'tool_started') textReader = createTextFilter();
      emit(event);
      if (event.kind === 'tool_finished') void queueSpending();
    };
    const client = await ports.connect(thread, message.tools ?? null);
    const pendingWork = new Set<Promise<unknown>>();
    // Of delegated work, only the cost is reported while it runs.
    const costTimer = setInterval(() => pendingWork.size > 0 && queueSpending(), costReportMs);
    try {
      const { messages } = await turns.stateOf(sessions, thread);
      const hasStarted = input.kind !== 'message' || messages.some(({ id }) => id === input.id);
      const readContent = hasStarted ? turns.readSoFar(messages) : new Set<string>();
      if (hasStarted) for (const id of await turns.readBefore(messages, thread, client)) readContent.add(id);
      const knownContent = turns.collectKnown(messages);
      for (const id of readContent) knownContent.add(id);
      const trail: Trail = { reads: readContent, known: knownContent, origins: turns.originsSoFar(messages) };
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
          const shownText = textReader(piece);
          if (shownText !== '') emit({ kind: 'text', piece: shownText });
        },
        steering() {
          const newSteering = steering.splice(0);
          for (const { id, text } of newSteering) emit({ kind: 'steered', message_id: id, text });
          return newSteering;
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
      // The delegated work of a cancelled turn may still run; the thread can't be used again before it has ended.
      await Promise.allSettled(pendingWork);
      clearInterval(costTimer);
      await lastEmission.catch(() => {});
      await client.close();
    }
  }

  const findRunningTurn = (thread: string, startedBy: string | undefined): RunningTurn | undefined => {
    const turn = runningTurns.get(thread);
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
        const isRunning = turn !== undefined;
        if (!drop)
          return okReply(id, isRunning ? 'cancelled' : 'nothing was running', { cancelled: isRunning });
        const turns = await loadTurns();
        const { plan: _, dispatcher: __, ...shared } = ports;
        emitEvent(thread_id, id, await toTurnEnded(turns, await turns.dropTurn(thread_id, shared), redact));
        return okReply(id, 'dropped', { cancelled: isRunning, dropped: true });
      }
      case 'steer': {
        const { thread_id, message_id, prompt } = message;
        const turn = findRunningTurn(thread_id, message.of);
        turn?.steering.push({ id: message_id, text: ports.mask.value(prompt) });
        const isRunning = turn !== undefined;
        return okReply(id, isRunning ? 'told' : 'nothing was running', { told: isRunning });
      }
      case 'observe':
        return okReply(id, 'thread', {
          ...(await describeThread(message.thread_id)),
        });
      case 'lifecycle':
        if (message.command === 'ping')
          return okReply(id, 'there', { running: [...runningTurns.keys()], about: ports.about ?? null });
        await close();
        send(okReply(id, 'ended', {}));
        ended.resolve();
        return null;
    }
  }

  /** Describes the state of a thread. For a missing thread it does not load the code of turns. */
  async function describeThread(thread: string) {
    if (!(await sessions.threads.has(thread))) return unknownThread;
    return (await loadTurns()).noteOf(sessions, thread, runningTurns.has(thread));
  }

  async function close(): Promise<void> {
    for (const { stop } of runningTurns.values()) stop.abort();
    await Promise.allSettled([...runningTurns.values()].map(({ done }) => done));
  }

  wire.onMessage((value) => {
    const parsedMessage = agentMessage.safeParse(value);
    if (!parsedMessage.success) {
      send(toRefusal(value, parsedMessage.error.issues));
      return;
    }
    handle(parsedMessage.data)
      .then((reply) => reply !== null && send(reply))
      .catch((thrown: unknown) => send(failureReply(parsedMessage.data.id, thrown, redact)));
  });
  send({ type: 'lifecycle', state: 'ready', message: '' });
  return { close, ended: ended.promise };
}

type DispatcherFactory = NonNullable<TurnPorts['dispatcher']>;

/**
 * Wraps a dispatcher: adds each task to `pendingWork`, so that its end can be awaited, and records the runs that
 * results came from, since a write that cites such a result also cites what the run read.
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
