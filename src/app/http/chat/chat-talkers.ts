/** Answers a chat client, either with a turn of the workspace's agent or with a run over the code. */
import { randomUUID } from 'node:crypto';
import { type LoggedEvent, SondeError } from '../../../core/index.ts';
import { listEvidence, runState } from '../../../core/runs.ts';
import type { World } from '../../../world/index.ts';
import type { AgentEvent } from '../../agent/channel/channel.ts';
import { answerId, clientId } from '../../agent/thread-actions.ts';
import type { ApiPorts } from '../ports.ts';
import type { ChatAsk } from './chat-body.ts';
import { ChatError } from './chat-error.ts';
import { type ChatAnswer, findNamedLines, type LinkedCitation, toAnnotations } from './chat-reply.ts';
import { type LogEnds, readLogEnds, readTurnLog, sumUsage } from './chat-usage.ts';

export interface ChatTurnRequest {
  readonly ask: ChatAsk;
  /** Null: a new conversation. */
  readonly thread: string | null;
  /** The name of the token. */
  readonly sender: string;
  readonly signal: AbortSignal;
  /** The origin of the URL by which the client reached this server. */
  readonly origin: string;
  /** Called with each line of progress, for the waiting client. */
  readonly onNote: (note: string) => void;
}

export interface TalkResult {
  /** The conversation to continue in; null: none. */
  readonly thread: string | null;
  readonly answer: Promise<ChatAnswer>;
}

export type ChatPorts = Pick<ApiPorts, 'workspace' | 'threads' | 'runs' | 'starter' | 'clock'>;

/** For each model name that clients can choose, the function that answers its requests. */
export function createResponders(
  ports: ChatPorts,
): ReadonlyMap<string, (request: ChatTurnRequest) => Promise<TalkResult>> {
  const { name, code } = ports.workspace;
  return new Map([
    [`workspace:${name}`, (request: ChatTurnRequest) => talkInWorkspace(request, ports)],
    ...(code === null
      ? []
      : ([[`code:${code.name}`, (request: ChatTurnRequest) => askCode(request, ports)]] as const)),
  ]);
}

async function talkInWorkspace(request: ChatTurnRequest, ports: ChatPorts): Promise<TalkResult> {
  const { threads: workspaceThreads, clock } = ports;
  const { ask, sender, signal } = request;
  const thread =
    request.thread ?? `chat-${new Date(clock.now()).toISOString().slice(0, 10)}-${randomUUID().slice(0, 8)}`;
  if (request.thread === null)
    await workspaceThreads.threads.create({ id: thread, title: ask.lastMessage.trim().slice(0, 80) });
  else if (!(await workspaceThreads.threads.has(thread)))
    throw new ChatError(404, `There is no thread ${thread}`, { param: 'X-Sonde-Thread', code: 'not_found' });
  const turnEnd = Promise.withResolvers<Extract<AgentEvent, { kind: 'turn_ended' }>>();
  turnEnd.promise.catch(() => {});
  // Other clients may use the same thread, so events of their turns are ignored.
  let ownRequest = '';
  let hasStarted = false;
  /** The log positions before this request: a continued turn has usage that an earlier reply reported. */
  let logEnds: LogEnds = new Map();
  const stopTurn = (): void => {
    // A turn that has not started can't be ended yet: the listener ends it when it starts.
    if (hasStarted) stopFollowing();
    if (hasStarted) void abandonTurn(thread, ports);
    turnEnd.reject(new SondeError('cancelled', { message: 'The client went away' }));
  };
  const stopFollowing = workspaceThreads.log.listen(thread, ({ event }, messageId) => {
    if (messageId !== ownRequest) return;
    const agentEvent = event as AgentEvent;
    if (agentEvent.kind === 'turn_started') hasStarted = true;
    if (agentEvent.kind === 'turn_started' && signal.aborted) stopTurn();
    if (agentEvent.kind === 'tool_started') request.onNote(`${agentEvent.name} ${agentEvent.about}`);
    if (agentEvent.kind === 'turn_ended') turnEnd.resolve(agentEvent);
  });
  signal.addEventListener('abort', stopTurn, { once: true });
  try {
    const { state, questions } = await workspaceThreads.describe(thread);
    const [question] = state === 'interrupted' ? questions : [];
    if (question !== undefined) {
      ownRequest = answerId(thread, question.id);
      logEnds = await readLogEnds(thread, ports.runs);
      await workspaceThreads.actions.answer(thread, question.id, ask.lastMessage);
    } else {
      const text = request.thread === null ? ask.conversationText : ask.lastMessage;
      const message_id = `chat-${randomUUID()}`;
      ownRequest = clientId(sender, message_id);
      const message = { text, message_id, ...(ask.role !== null && { role: ask.role }) };
      const sentMessage = await workspaceThreads.actions.send(thread, message, sender);
      if (sentMessage.state === 'done')
        throw new SondeError('run_state', { message: `${ownRequest} is done` });
    }
  } catch (thrown) {
    stopFollowing();
    signal.removeEventListener('abort', stopTurn);
    // Keeps the thread if a worker has started the turn in spite of the error.
    if (request.thread === null) await workspaceThreads.discard(thread).catch(() => {});
    throw thrown;
  }
  const answer = turnEnd.promise
    .then((end) => toChatAnswer(end, { request, thread, before: logEnds }, ports))
    .finally(() => {
      signal.removeEventListener('abort', stopTurn);
      if (!signal.aborted) stopFollowing();
    });
  return { thread, answer };
}

/** Ends and drops an unfinished turn, so that the conversation accepts the next message. */
async function abandonTurn(thread: string, { threads: { actions } }: ChatPorts): Promise<void> {
  try {
    await actions.cancel(thread);
    await actions.drop(thread);
  } catch {
    // No turn was running: it had already ended, or it has not begun and will be cancelled as soon as it does.
  }
}

async function toChatAnswer(
  { run_id, status, text, questions }: Extract<AgentEvent, { kind: 'turn_ended' }>,
  turn: { readonly request: ChatTurnRequest; readonly thread: string; readonly before: LogEnds },
  { runs, workspace: { world } }: ChatPorts,
): Promise<ChatAnswer> {
  if (status === 'failed') throw new ChatError(502, text, { code: 'model_failed' });
  if (status === 'cancelled' || status === 'dropped')
    throw new ChatError(409, 'The turn was ended by somebody else', { code: 'cancelled' });
  const visibleRun = run_id === null ? null : await runs.find('author', run_id);
  const log = visibleRun === null ? [] : await visibleRun.store.events(visibleRun.row.id);
  const questionTexts = questions.map(({ value }) => (value as { readonly question?: unknown }).question);
  const answerText = [text, ...questionTexts.filter((part) => typeof part === 'string')]
    .filter((part) => part !== '')
    .join('\n\n');
  return {
    text: answerText,
    finish: status === 'exhausted' ? 'length' : 'stop',
    annotations: findCitations(answerText, log, { origin: turn.request.origin, run: run_id, world }),
    usage: sumUsage(
      run_id === null ? [] : await readTurnLog(run_id, turn.thread, { runs, before: turn.before }),
    ),
  };
}

function findCitations(
  text: string,
  log: readonly LoggedEvent[],
  { origin, run, world }: { readonly origin: string; readonly run: string | null; readonly world: World },
): ChatAnswer['annotations'] {
  const { claims, result } = runState(log);
  const evidence = new Map(listEvidence(log).map((shownEvidence) => [shownEvidence.id, shownEvidence]));
  const pageUrl = (...parts: readonly string[]): string =>
    `${origin}/#/${parts.map(encodeURIComponent).join('/')}`;
  function linkCitation(id: string, precedingText: string): LinkedCitation | null {
    const piece = evidence.get(id);
    if (piece !== undefined) {
      const namedLines = findNamedLines(precedingText, piece);
      const [start, end] = namedLines ?? [piece.start_line, piece.end_line];
      const url = pageUrl('runs', run ?? '', 'evidence', id);
      return {
        title: `${piece.file_path}:${start}${end === start ? '' : `-${end}`}`,
        url: namedLines === null ? url : `${url}?lines=${start}-${end}`,
      };
    }
    const block = id.startsWith('bl-') ? world.block(id) : null;
    const page = block === null && !id.startsWith('pg-') ? null : world.page(block?.page ?? id);
    return page && { title: page.path, url: pageUrl('pages', page.id, ...(block === null ? [] : [id])) };
  }
  return toAnnotations(text, claims ?? result?.claims ?? [], linkCitation);
}

/** Answers with a separate run, which can't be continued as a conversation. */
async function askCode(
  request: ChatTurnRequest,
  { starter, runs, workspace }: ChatPorts,
): Promise<TalkResult> {
  const { ask, signal, origin, onNote } = request;
  if (request.thread !== null)
    throw new ChatError(400, 'A question over code is no conversation: leave X-Sonde-Thread out', {
      param: 'X-Sonde-Thread',
    });
  const question =
    ask.role === null ? ask.conversationText : `${ask.conversationText}\n\n(How to answer: ${ask.role})`;
  const run = await starter.start({
    shape: 'research',
    request: { question, root: workspace.code!.folder } as never,
  });
  const visibleRun = await runs.find('author', run);
  const runAnswer = Promise.withResolvers<ChatAnswer>();
  const log: LoggedEvent[] = [];
  const stopFollowing = runs.tail(visibleRun).follow(0, {
    isReady: () => true,
    give(events) {
      log.push(...events);
      for (const { event } of events) {
        if (event.kind === 'action_started') onNote(`${event.action} ${JSON.stringify(event.input)}`);
        if (event.kind !== 'run_finished') continue;
        const { answer, stop_reason } = event.result;
        const finish = stop_reason === 'budget' ? 'length' : 'stop';
        runAnswer.resolve({
          text: answer,
          finish,
          annotations: findCitations(answer, log, { origin, run, world: workspace.world }),
          usage: sumUsage(log),
        });
      }
    },
    fail: runAnswer.reject,
  });
  const cancelRun = (): void => {
    starter.cancel(run);
    runAnswer.reject(new SondeError('cancelled', { message: 'The client went away' }));
  };
  signal.addEventListener('abort', cancelRun, { once: true });
  if (signal.aborted) cancelRun();
  const answer = runAnswer.promise.finally(() => {
    stopFollowing();
    signal.removeEventListener('abort', cancelRun);
  });
  return { thread: null, answer };
}
