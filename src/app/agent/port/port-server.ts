/**
 * The server's end of the port. It queues the requests of commands, and sends each command the events of its own
 * turns.
 */
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isSondeError, type Masker, SondeError } from '../../../core/index.ts';
import {
  type AgentMessage,
  type AgentOutput,
  agentMessage,
  threadNote,
  turnStatus,
} from '../channel/channel.ts';
import type { TurnEndedEvent } from '../channel/channel-client.ts';
import { failureReply, okReply, toRefusal } from '../replies.ts';
import type { RequestQueue } from '../requests/request-queue.ts';
import type { QueuedRequest, RequestOutcome, RequestRow } from '../requests/request-rows.ts';
import { onJsonLine, sendLine } from './lines-wire.ts';
import { type PortGreeting, portFolderPath, portPath } from './port.ts';

export interface PortOptions {
  /** The file of the workspace. */
  readonly workspace: string;
  readonly requests: RequestQueue;
  readonly greeting: Omit<PortGreeting, 'type'>;
  /** Hides secrets in what a person says, before it is stored. */
  readonly mask: Pick<Masker, 'value'>;
  readonly redact: (text: string) => string;
  readonly tell: (line: string) => void;
}

type Start = Extract<AgentMessage, { type: 'start_run' | 'workspace_event' | 'resume' }>;

/** How long to wait for an agent that is being started. Milliseconds. */
const agentPatienceMs = 15_000;
const pollMs = 50;

/** Call it only while holding the workspace's lock: it replaces a socket file, which a killed server has left. */
export async function openPort(options: PortOptions): Promise<{ close(): Promise<void> }> {
  const path = portPath(options.workspace);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveCommand(socket, options);
  });
  if (process.platform !== 'win32') {
    if (dirname(path) === portFolderPath()) requirePrivateFolder(portFolderPath());
    rmSync(path, { force: true });
  }
  const listening = new Promise<void>((done, fail) => {
    server.once('error', fail);
    // `listen` creates the socket file before it returns; other users must never be able to open it.
    const previousUmask = restrictUmask();
    server.listen(path, () => done());
    if (previousUmask !== null) process.umask(previousUmask);
  });
  await listening;
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  server.on('error', (error) => options.tell(`port: ${error.message}`));
  return {
    async close() {
      const serverClosed = new Promise<void>((done) => server.close(() => done()));
      for (const socket of sockets) socket.destroy();
      await serverClosed;
    },
  };
}

/** Makes new files readable by this user alone. Null in a worker thread, which has no umask of its own. */
function restrictUmask(): number | null {
  try {
    return process.umask(0o177);
  } catch {
    return null;
  }
}

/** Throws if the folder belongs to another user, or other users may enter it. */
function requirePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  if (uid === process.getuid?.() && (mode & 0o077) === 0) return;
  throw new SondeError('run_state', {
    message: `${folder} is not a folder that only you can use`,
    remedy: 'Remove it, or keep the workspace under a shorter path.',
  });
}

/** Serves one command: accepts its requests, and sends it the events of its turns. */
function serveCommand(socket: Socket, { requests: requestQueue, greeting, mask, redact }: PortOptions): void {
  /** Requests of this command for which no end was sent yet, by their id in the queue. */
  const ownRequests = new Map<string, { readonly id: string; readonly thread: string; replied: boolean }>();
  const disconnected = new AbortController();
  const send = (output: AgentOutput): void => void sendLine(socket, output);
  const removeListeners = [
    requestQueue.onEvent((thread_id, event, request) => {
      const ownRequest = ownRequests.get(request);
      if (ownRequest === undefined) return;
      sendStarted(ownRequest);
      send({ type: 'event', thread_id, request: ownRequest.id, event });
      if (event.kind === 'turn_ended') ownRequests.delete(request);
    }),
    requestQueue.onWaiting(({ request, ...waiting }) => {
      const ownRequest = ownRequests.get(request);
      if (ownRequest !== undefined) send({ type: 'waiting', ...waiting, request: ownRequest.id });
    }),
  ];
  socket.on('error', () => {});
  socket.on('close', () => {
    disconnected.abort();
    for (const one of removeListeners) one();
  });

  function sendStarted(ownRequest: { readonly id: string; readonly thread: string; replied: boolean }): void {
    if (!ownRequest.replied) send(okReply(ownRequest.id, 'started', { thread_id: ownRequest.thread }));
    ownRequest.replied = true;
  }

  async function start(message: Start): Promise<void> {
    const { id, thread_id: thread } = message;
    await requireNoRunningTurn(message);
    const row = toRequestRow(message, mask);
    const ownRequest = { id, thread, replied: false };
    ownRequests.set(row.id, ownRequest);
    try {
      requireSameRequest(row, await requestQueue.post(row));
    } catch (thrown) {
      ownRequests.delete(row.id);
      throw thrown;
    }
    requestQueue.waitUntilDone(row.id, disconnected.signal).then(
      (outcome) => sendEnd(row.id, outcome),
      () => {},
    );
  }

  /** Sends the end of a turn that emitted no event here, because it ended before this connection or never began. */
  async function sendEnd(row: string, outcome: RequestOutcome): Promise<void> {
    const ownRequest = ownRequests.get(row);
    if (ownRequest === undefined || !ownRequests.delete(row)) return;
    const { id, thread } = ownRequest;
    if (outcome.status === 'refused' && !ownRequest.replied) {
      const [, code = 'run_state', said = outcome.text] = /^(\w+): (.*)$/s.exec(outcome.text) ?? [];
      return send({ type: 'reply', id, status: 'error', error_code: code, message: said, details: {} });
    }
    sendStarted(ownRequest);
    const status = turnStatus.catch('failed').parse(outcome.status);
    const questions = status === 'interrupted' ? await readQuestions(thread) : [];
    const { text } = outcome;
    const event: TurnEndedEvent = { kind: 'turn_ended', run_id: null, status, text, questions };
    send({ type: 'event', thread_id: thread, request: id, event });
  }

  const readThreadState = async (thread: string) =>
    threadNote.parse((await retryUntilUp(() => requestQueue.observe(thread), disconnected.signal)).details);
  const readQuestions = (thread: string) =>
    readThreadState(thread).then(
      ({ questions }) => questions,
      () => [],
    );

  /** Refuses an edit while a turn runs: the edit would remove everything after the message. */
  async function requireNoRunningTurn(message: Start): Promise<void> {
    if (message.type !== 'start_run' || message.edits === undefined) return;
    if ((await requestQueue.find(message.message_id)) !== null) return;
    if ((await readThreadState(message.thread_id)).state === 'running')
      throw new SondeError('run_state', {
        message: `A turn of ${message.thread_id} is under way`,
        remedy: 'Wait for its end, or cancel it.',
      });
  }

  const findOwnRow = (messageId: string): string | undefined =>
    [...ownRequests].find(([, { id }]) => id === messageId)?.[0];

  async function handle(message: AgentMessage): Promise<void> {
    const { id } = message;
    switch (message.type) {
      case 'start_run':
      case 'workspace_event':
      case 'resume':
        return start(message);
      case 'steer': {
        const { thread_id: thread, message_id, prompt, of } = message;
        const row = of === undefined ? {} : { of: findOwnRow(of) ?? '' };
        await requestQueue.steer({ id: message_id, thread, text: mask.value(prompt), ...row });
        return send(okReply(id, 'kept', { thread_id: thread }));
      }
      case 'cancel': {
        const { thread_id: thread, drop = false, of } = message;
        if (drop) {
          ownRequests.set(id, { id, thread, replied: true });
          return send({ ...(await requestQueue.drop(thread, id).finally(() => ownRequests.delete(id))), id });
        }
        if (of === undefined) return send({ ...(await requestQueue.cancel(thread)), id });
        const row = findOwnRow(of);
        const wasWithdrawn = row !== undefined && (await requestQueue.withdraw(row));
        return send(
          okReply(id, wasWithdrawn ? 'cancelled' : 'nothing was running', { cancelled: wasWithdrawn }),
        );
      }
      case 'observe':
        return send({
          ...(await retryUntilUp(() => requestQueue.observe(message.thread_id), disconnected.signal)),
          id,
        });
      case 'lifecycle':
        if (message.command === 'ping')
          return send({ ...(await retryUntilUp(requestQueue.ping, disconnected.signal)), id });
        throw new SondeError('run_state', {
          message: 'The agent belongs to the server',
          remedy: 'End the server.',
        });
    }
  }

  onJsonLine(socket, (value) => {
    const parsedMessage = agentMessage.safeParse(value);
    if (!parsedMessage.success) return send(toRefusal(value, parsedMessage.error.issues));
    handle(parsedMessage.data).catch((thrown: unknown) =>
      send(failureReply(parsedMessage.data.id, thrown, redact)),
    );
  });
  sendLine(socket, { type: 'port', ...greeting });
}

/** Repeats a request while the agent is being started. */
async function retryUntilUp<Value>(attempt: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
  const deadline = performance.now() + agentPatienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!isSondeError(thrown, 'tool_failed') || performance.now() > deadline || signal.aborted)
        throw thrown;
      await sleep(pollMs);
    }
  }
}

function toRequestRow(
  message: Start,
  mask: Pick<Masker, 'value'>,
): Pick<RequestRow, 'id' | 'thread' | 'request'> {
  const { thread_id: thread } = message;
  if (message.type === 'resume') {
    const { id, answer } = message;
    if (answer === undefined) return { id: `continue-${id}`, thread, request: { kind: 'continue' } };
    const { question, value } = answer;
    // The id depends only on the question, as over HTTP, so that a question is answered once.
    return {
      id: `answer-${thread}-${question}`,
      thread,
      request: { kind: 'answer', question, value: mask.value(value) },
    };
  }
  const { message_id: id, prompt, limits = null, started_by } = message;
  const { schedule = null, ...fire } = started_by ?? {};
  const request: QueuedRequest = {
    kind: 'message',
    text: mask.value(prompt),
    schedule,
    ...(started_by !== undefined && {
      fire: fire as NonNullable<(QueuedRequest & { kind: 'message' })['fire']>,
    }),
    event: message.type === 'workspace_event' ? toRowEvent(message) : null,
    limits,
    ...(message.type === 'start_run' && message.role !== undefined && { role: message.role }),
    ...(message.type === 'start_run' && message.edits !== undefined && { edits: message.edits }),
  };
  return { id, thread, request };
}

const toRowEvent = ({ event: { name, payload } }: Extract<AgentMessage, { type: 'workspace_event' }>) => ({
  name,
  payload,
});

/** Refuses an id that belongs to another request. */
function requireSameRequest(
  postedRow: Pick<RequestRow, 'id' | 'thread' | 'request'>,
  { thread, request }: RequestRow,
): void {
  const isSameRequest = (queuedRequest: QueuedRequest, otherRequest: QueuedRequest): boolean =>
    queuedRequest.kind === 'message' && otherRequest.kind === 'message'
      ? queuedRequest.text === otherRequest.text
      : isDeepStrictEqual(queuedRequest, otherRequest);
  if (thread === postedRow.thread && isSameRequest(request, postedRow.request)) return;
  const answered = request.kind === 'answer';
  throw new SondeError('run_state', {
    message: answered
      ? 'The question was answered already, with another value'
      : `The id ${postedRow.id} belongs to another message`,
    remedy: answered ? 'The first answer is kept.' : 'Send this message with a new id.',
  });
}
