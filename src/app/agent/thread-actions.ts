/**
 * The actions of a person in a conversation whose agent runs in another process. Each request is stored before the
 * person gets a reply.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { SondeError } from '../../core/index.ts';
import type { Sessions } from '../../store/index.ts';
import { type AgentReply, type ThreadNote, threadNote } from './channel/channel.ts';
import type { AgentRequests } from './requests/request-queue.ts';
import type { RequestOutcome, RequestRow } from './requests/request-rows.ts';

export interface SentMessage {
  readonly message_id: string;
  readonly state: 'taken' | 'done';
  /** How its turn ended; null: it has not ended. */
  readonly outcome: RequestOutcome | null;
}

export interface MessageText {
  readonly text: string;
  /** Chosen by the client. A message sent again with the same id is not processed twice. */
  readonly message_id?: string | undefined;
}

/** All throw `not_found` for a missing thread, and `run_state` for an action that its state does not allow. */
export interface ThreadActions {
  /** Creates the thread if it does not exist. */
  send(
    thread: string,
    message: MessageText & { readonly role?: string },
    sender: string,
  ): Promise<SentMessage>;
  answer(thread: string, question: string, value: unknown): Promise<SentMessage>;
  /** Sends a message to the running turn. */
  steer(thread: string, message: MessageText, sender: string): Promise<SentMessage>;
  edit(thread: string, message: string, words: MessageText, sender: string): Promise<SentMessage>;
  continueTurn(thread: string): Promise<SentMessage>;
  /** Cancels the running turn. False: nothing was running. */
  cancel(thread: string): Promise<boolean>;
  drop(thread: string): Promise<void>;
}

/** The request id of a client's message. It includes the sender, since different clients may choose the same id. */
export const clientId = (sender: string, id: string): string => `client:${sender}:${id}`;
/** The id depends only on the question, so that the first answer counts and later ones are refused. */
export const answerId = (thread: string, question: string): string => `answer-${thread}-${question}`;

export function threadActions(requests: AgentRequests, sessions: Pick<Sessions, 'threads'>): ThreadActions {
  async function requireThread(thread: string): Promise<void> {
    if ((await sessions.threads.has(thread)) || (await requests.knows(thread))) return;
    throw new SondeError('not_found', {
      message: `There is no thread ${thread}`,
      remedy: 'POST /api/v1/threads begins one.',
    });
  }
  const readState = async (thread: string): Promise<ThreadNote> =>
    threadNote.parse((await requests.observe(thread)).details);

  async function post(
    thread: string,
    message: MessageText,
    sender: string,
    extraFields: object,
  ): Promise<SentMessage> {
    const { text, message_id = `m-${randomUUID()}` } = message;
    const request = {
      kind: 'message',
      text,
      schedule: null,
      event: null,
      limits: null,
      ...extraFields,
    } as const;
    const row = await requests.post({ id: clientId(sender, message_id), thread, request });
    return toSentMessage(row, { thread, text, message_id });
  }

  return {
    async send(thread, { role, ...words }, sender) {
      const isRepeated = words.message_id && (await requests.find(clientId(sender, words.message_id)));
      // If the message was sent before, returns the state or the end of its turn, even if a question is open now.
      if (!isRepeated) requireNoQuestion(thread, await readState(thread));
      return post(thread, words, sender, role === undefined ? {} : { role });
    },
    async answer(thread, question, value) {
      await requireThread(thread);
      const { questions } = await readState(thread);
      if (!questions.some(({ id }) => id === question))
        throw new SondeError('run_state', {
          message: `${thread} has no open question ${JSON.stringify(question)}`,
          remedy: 'Answer one of `questions`.',
          details: { questions },
        });
      const id = answerId(thread, question);
      const row = await requests.post({ id, thread, request: { kind: 'answer', question, value } });
      if (row.request.kind === 'answer' && !isDeepStrictEqual(row.request.value, value))
        throw new SondeError('run_state', {
          message: `${JSON.stringify(question)} was answered already, with another value`,
          remedy: 'The first answer is kept.',
          details: { message_id: id, value: row.request.value },
        });
      return { message_id: id, state: row.state === 'done' ? 'done' : 'taken', outcome: row.outcome };
    },
    async steer(thread, { text, message_id = `m-${randomUUID()}` }, sender) {
      await requireThread(thread);
      const id = clientId(sender, message_id);
      const { state } = await readState(thread);
      if (state !== 'running' && (await requests.find(id)) === null)
        throw new SondeError('run_state', {
          message: `No turn runs in ${thread}: there is nothing to steer`,
          remedy: 'Send it as a message.',
          details: { state },
        });
      return toSentMessage(await requests.steer({ id, thread, text }), { thread, text, message_id });
    },
    async edit(thread, message, words, sender) {
      await requireThread(thread);
      const isRepeated = words.message_id && (await requests.find(clientId(sender, words.message_id)));
      if (!isRepeated && (await readState(thread)).state === 'running')
        throw new SondeError('run_state', {
          message: `A turn of ${thread} is under way`,
          remedy: 'Cancel it first.',
        });
      return post(thread, words, sender, { edits: message });
    },
    async continueTurn(thread) {
      await requireThread(thread);
      const id = `continue-${randomUUID()}`;
      const { state, outcome } = await requests.post({ id, thread, request: { kind: 'continue' } });
      return { message_id: id, state: state === 'done' ? 'done' : 'taken', outcome };
    },
    async cancel(thread) {
      await requireThread(thread);
      return requireOk(await requests.cancel(thread)).details['cancelled'] === true;
    },
    async drop(thread) {
      await requireThread(thread);
      requireOk(await requests.drop(thread));
    },
  };
}

function toSentMessage(
  { thread: storedThread, request, state, outcome }: RequestRow,
  { thread, text, message_id }: { thread: string; text: string; message_id: string },
): SentMessage {
  const refusal = (message: string, remedy: string) => new SondeError('run_state', { message, remedy });
  if (storedThread !== thread)
    throw refusal(`The message ${message_id} was sent to another thread`, 'Send this message with a new id.');
  if (request.kind !== 'message' || request.text !== text)
    throw refusal(
      `The message ${message_id} was sent before, with another text`,
      'Send this message with a new id.',
    );
  return { message_id, state: state === 'done' ? 'done' : 'taken', outcome };
}

/** Throws if a question is open. An unfinished turn without a question does not matter: a new message drops it. */
function requireNoQuestion(thread: string, { state, questions }: ThreadNote): void {
  if (state === 'interrupted')
    throw new SondeError('run_state', {
      message: `${thread} waits for an answer; nothing was started, and the question stays open`,
      remedy: 'POST answers, or drop.',
      details: { questions },
    });
}

/** Returns the reply, or throws its error (`not_found`, `run_state`) if it is a refusal. */
function requireOk(reply: AgentReply): AgentReply {
  if (reply.status === 'ok') return reply;
  const { remedy } = reply.details;
  throw new SondeError(reply.error_code === 'not_found' ? 'not_found' : 'run_state', {
    message: reply.message,
    remedy: typeof remedy === 'string' ? remedy : 'GET the thread to see its state.',
  });
}
