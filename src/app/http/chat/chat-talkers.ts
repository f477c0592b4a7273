/** Answers a chat client: by the agent of the workspace in a conversation, or by a run over the code. */
import { randomUUID } from 'node:crypto';
import { type LoggedEvent, SondeError } from '../../../core/index.ts';
import { evidenceOf, runState } from '../../../core/runs.ts';
import type { World } from '../../../world/index.ts';
import type { AgentEvent } from '../../agent/channel/channel.ts';
import { answerId, clientId } from '../../agent/thread-actions.ts';
import type { ApiPorts } from '../ports.ts';
import type { ChatAsk } from './chat-body.ts';
import { ChatError } from './chat-error.ts';
import { annotationsOf, type ChatAnswer, type LinkedCitation, linesNamed } from './chat-reply.ts';
import { type LogEnds, logEndsOf, readTurnLog, usageOf } from './chat-usage.ts';

export interface ChatAsking {
  readonly ask: ChatAsk;
  /** Null: a new conversation. */
  readonly thread: string | null;
  /** The name of the token. */
  readonly sender: string;
  readonly signal: AbortSignal;
  /** The address of this server, as the client knows it. */
  readonly origin: string;
  /** Progress for the client that waits. */
  readonly onNote: (note: string) => void;
}

export interface TalkResult {
  /** The conversation to continue in; null: none. */
  readonly thread: string | null;
  readonly answer: Promise<ChatAnswer>;
}

export type ChatPorts = Pick<ApiPorts, 'workspace' | 'threads' | 'runs' | 'starter' | 'clock'>;

/** The models by name, and who answers for each. */
export function talkersOf(
  ports: ChatPorts,
): ReadonlyMap<string, (asking: ChatAsking) => Promise<TalkResult>> {
  const { name, code } = ports.workspace;
  return new Map([
    [`workspace:${name}`, (asking: ChatAsking) => talkInWorkspace(asking, ports)],
    ...(code === null
      ? []
      : ([[`code:${code.name}`, (asking: ChatAsking) => askCode(asking, ports)]] as const)),
  ]);
}

async function talkInWorkspace(asking: ChatAsking, ports: ChatPorts): Promise<TalkResult> {
  const { threads: workspaceThreads, clock } = ports;
  const { ask, sender, signal } = asking;
  const thread =
    asking.thread ?? `chat-${new Date(clock.now()).toISOString().slice(0, 10)}-${randomUUID().slice(0, 8)}`;
  if (asking.thread === null)
    await workspaceThreads.threads.create({ id: thread, title: ask.said.trim().slice(0, 80) });
  else if (!(await workspaceThreads.threads.has(thread)))
    throw new ChatError(404, `There is no thread ${thread}`, { param: 'X-Sonde-Thread', code: 'not_found' });
  const ended = Promise.withResolvers<Extract<AgentEvent, { kind: 'turn_ended' }>>();
  ended.promise.catch(() => {});
  // Others may use the same thread: only events of this turn count.
  let mine = '';
  let begun = false;
  /** How far the logs reached before this request. A turn that continues has usage that was reported already. */
  let before: LogEnds = new Map();
  const stop = (): void => {
    // A turn that has not begun is ended when it begins.
    if (begun) off();
    if (begun) void giveUp(thread, ports);
    ended.reject(new SondeError('cancelled', { message: 'The client went away' }));
  };
  const off = workspaceThreads.log.listen(thread, ({ event }, request) => {
    if (request !== mine) return;
    const told = event as AgentEvent;
    if (told.kind === 'turn_started') begun = true;
    if (told.kind === 'turn_started' && signal.aborted) stop();
    if (told.kind === 'tool_started') asking.onNote(`${told.name} ${told.about}`);
    if (told.kind === 'turn_ended') ended.resolve(told);
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { state, questions } = await workspaceThreads.noteOf(thread);
    const [question] = state === 'interrupted' ? questions : [];
    if (question !== undefined) {
      mine = answerId(thread, question.id);
      before = await logEndsOf(thread, ports.runs);
      await workspaceThreads.acts.answer(thread, question.id, ask.said);
    } else {
      const text = asking.thread === null ? ask.whole : ask.said;
      const message_id = `chat-${randomUUID()}`;
      mine = clientId(sender, message_id);
      const words = { text, message_id, ...(ask.role !== null && { role: ask.role }) };
      const sentMessage = await workspaceThreads.acts.send(thread, words, sender);
      if (sentMessage.state === 'done') throw new SondeError('run_state', { message: `${mine} is done` });
    }
  } catch (thrown) {
    off();
    signal.removeEventListener('abort', stop);
    // If a worker has begun the turn nevertheless, the thread stays.
    if (asking.thread === null) await workspaceThreads.discard(thread).catch(() => {});
    throw thrown;
  }
  const answer = ended.promise
    .then((end) => answerOf(end, { asking, thread, before }, ports))
    .finally(() => {
      signal.removeEventListener('abort', stop);
      if (!signal.aborted) off();
    });
  return { thread, answer };
}

/** Ends and drops an unfinished turn, so that the conversation takes the next message. */
async function giveUp(thread: string, { threads: { acts } }: ChatPorts): Promise<void> {
  try {
    await acts.cancel(thread);
    await acts.drop(thread);
  } catch {
    // No turn was running: it had already ended, or it has not begun and will be cancelled as soon as it does.
  }
}

async function answerOf(
  { run_id, status, text, questions }: Extract<AgentEvent, { kind: 'turn_ended' }>,
  turn: { readonly asking: ChatAsking; readonly thread: string; readonly before: LogEnds },
  { runs, workspace: { world } }: ChatPorts,
): Promise<ChatAnswer> {
  if (status === 'failed') throw new ChatError(502, text, { code: 'model_failed' });
  if (status === 'cancelled' || status === 'dropped')
    throw new ChatError(409, 'The turn was ended by somebody else', { code: 'cancelled' });
  const found = run_id === null ? null : await runs.find('author', run_id);
  const log = found === null ? [] : await found.store.events(found.row.id);
  const asked = questions.map(({ value }) => (value as { readonly question?: unknown }).question);
  const said = [text, ...asked.filter((one) => typeof one === 'string')]
    .filter((one) => one !== '')
    .join('\n\n');
  return {
    text: said,
    finish: status === 'exhausted' ? 'length' : 'stop',
    annotations: citationsIn(said, log, { origin: turn.asking.origin, run: run_id, world }),
    usage: usageOf(
      run_id === null ? [] : await readTurnLog(run_id, turn.thread, { runs, before: turn.before }),
    ),
  };
}

function citationsIn(
  text: string,
  log: readonly LoggedEvent[],
  { origin, run, world }: { readonly origin: string; readonly run: string | null; readonly world: World },
): ChatAnswer['annotations'] {
  const { claims, result } = runState(log);
  const evidence = new Map(evidenceOf(log).map((shownEvidence) => [shownEvidence.id, shownEvidence]));
  const at = (...parts: readonly string[]): string =>
    `${origin}/#/${parts.map(encodeURIComponent).join('/')}`;
  function find(id: string, said: string): LinkedCitation | null {
    const read = evidence.get(id);
    if (read !== undefined) {
      const named = linesNamed(said, read);
      const [start, end] = named ?? [read.start_line, read.end_line];
      const url = at('runs', run ?? '', 'evidence', id);
      return {
        title: `${read.file_path}:${start}${end === start ? '' : `-${end}`}`,
        url: named === null ? url : `${url}?lines=${start}-${end}`,
      };
    }
    const block = id.startsWith('bl-') ? world.block(id) : null;
    const page = block === null && !id.startsWith('pg-') ? null : world.page(block?.page ?? id);
    return page && { title: page.path, url: at('pages', page.id, ...(block === null ? [] : [id])) };
  }
  return annotationsOf(text, claims ?? result?.claims ?? [], find);
}

/** Answers by a separate run, which cannot be continued as a conversation. */
async function askCode(asking: ChatAsking, { starter, runs, workspace }: ChatPorts): Promise<TalkResult> {
  const { ask, signal, origin, onNote } = asking;
  if (asking.thread !== null)
    throw new ChatError(400, 'A question over code is no conversation: leave X-Sonde-Thread out', {
      param: 'X-Sonde-Thread',
    });
  const question = ask.role === null ? ask.whole : `${ask.whole}\n\n(How to answer: ${ask.role})`;
  const run = await starter.start({
    shape: 'research',
    request: { question, root: workspace.code!.folder } as never,
  });
  const found = await runs.find('author', run);
  const ended = Promise.withResolvers<ChatAnswer>();
  const log: LoggedEvent[] = [];
  const off = runs.tail(found).follow(0, {
    isReady: () => true,
    give(events) {
      log.push(...events);
      for (const { event } of events) {
        if (event.kind === 'action_started') onNote(`${event.action} ${JSON.stringify(event.input)}`);
        if (event.kind !== 'run_finished') continue;
        const { answer, stop_reason } = event.result;
        const finish = stop_reason === 'budget' ? 'length' : 'stop';
        ended.resolve({
          text: answer,
          finish,
          annotations: citationsIn(answer, log, { origin, run, world: workspace.world }),
          usage: usageOf(log),
        });
      }
    },
    fail: ended.reject,
  });
  const stop = (): void => {
    starter.cancel(run);
    ended.reject(new SondeError('cancelled', { message: 'The client went away' }));
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const answer = ended.promise.finally(() => {
    off();
    signal.removeEventListener('abort', stop);
  });
  return { thread: null, answer };
}
