/** Conversations for programs: what `sonde chat` does, for a program with an interface of its own. */
import { randomUUID } from 'node:crypto';
import { type ErrorCode, SondeError } from '../../core/index.ts';
import type { AgentEvent, AgentReply, ThreadNote, TurnStatus } from '../agent/channel/channel.ts';
import type { AgentRequest, TurnRequest } from '../agent/channel/channel-client.ts';
import type { LocalAgent } from '../agent/in-process.ts';
import { openCallerParts } from './caller-parts.ts';
import { checkOptions, checkText, type OptionNames } from './known-options.ts';
import { type OwnParts, ownPartNames, type RunOptions } from './options.ts';

export interface Chat extends OwnParts, Pick<RunOptions, 'settings' | 'onNote'> {
  /** A name, or the path of a file; absent: the configured one. It is created if it does not exist. */
  readonly workspace?: string;
  /** False: throws `not_found` if the workspace does not exist. */
  readonly make?: boolean;
  /** A folder of code that the agent may read as well. */
  readonly root?: string;
  /** The id of the conversation to continue, or to begin; absent: a new one. */
  readonly thread?: string;
}

/** Options for a message or an answer, and listeners for its turn. */
export interface MessageOptions {
  /** The text of the answer, piece by piece as the model writes it. */
  readonly onText?: (piece: string) => void;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Cancels the turn. `resume` continues it. */
  readonly signal?: AbortSignal;
}

export interface Message extends MessageOptions {
  /** The same id again is the same message, and begins no second turn. */
  readonly id?: string;
  /** The role of the agent in this turn. */
  readonly role?: string;
}

export interface Question {
  readonly id: string;
  readonly text: string;
}

export interface Turn {
  /** `interrupted`: it waits for an answer to its questions. */
  readonly status: TurnStatus;
  /** The answer, or what went wrong. */
  readonly text: string;
  readonly questions: readonly Question[];
  /** Null if no run was begun. */
  readonly run_id: string | null;
  /** The cost of the turn. */
  readonly spent: Readonly<Partial<Record<'tokens' | 'usd' | 'calls', number>>>;
}

export interface Standing {
  readonly state: ThreadNote['state'];
  /** The questions that it waits for. */
  readonly questions: readonly Question[];
  /** The last thing that was said, and who said it. */
  readonly last: ThreadNote['last'];
}

export interface Conversation extends AsyncDisposable {
  /** The id of the conversation. Another process can continue it. */
  readonly thread: string;
  /** Throws `run_state` while a turn is unfinished: answer, resume or drop it first. */
  send(message: string, options?: Message): Promise<Turn>;
  /** Answers the first of its questions, or the one that is named. Throws `run_state` if none is open. */
  answer(answer: unknown, options?: MessageOptions & { readonly question?: string }): Promise<Turn>;
  /** Resumes a turn that was cancelled, failed or killed, without paying for anything again. */
  resume(options?: MessageOptions): Promise<Turn>;
  /** Gives up such a turn, or one that waits for an answer. */
  drop(): Promise<void>;
  standing(): Promise<Standing>;
  /** Cancels what is running. The conversation stays. */
  close(): Promise<void>;
}

export const chatOptionNames: OptionNames<Chat> = {
  ...ownPartNames,
  ...{ settings: true, onNote: true, workspace: true, make: true, root: true, thread: true },
};

const messageOptionNames: OptionNames<MessageOptions> = { onText: true, onEvent: true, signal: true };

/** Opens a conversation with the agent of a workspace. Throws for a wrong setting or an unusable model. */
export async function chat(options: Chat = {}): Promise<Conversation> {
  checkOptions('chat', options, chatOptionNames);
  const { workspace: workspaceName, make = true, root, settings = {}, onNote, ...ownOptions } = options;
  const { thread = `chat-${randomUUID().slice(0, 13)}`, ...own } = ownOptions;
  const [{ threadId }, { openLocalAgent }, { openWorkspace, workspacePath }] = await Promise.all([
    import('../agent/channel/channel.ts'),
    import('../agent/in-process.ts'),
    import('../workspace/workspace.ts'),
  ]);
  if (!threadId.safeParse(thread).success)
    throw new SondeError('bad_argument', {
      message: `${JSON.stringify(thread)} is no name of a conversation`,
      remedy: 'Take 1 to 100 letters, digits, and the signs _ . : -',
    });
  const workspace = workspacePath(workspaceName);
  const { callerParts, close: closeCallerParts } = await openCallerParts(
    { ...own, ...(onNote !== undefined && { onNote }) },
    'each',
  );
  try {
    if (make) (await openWorkspace(workspace)).close();
    const agent = await openLocalAgent({
      workspace,
      settings,
      callerParts,
      ...(root !== undefined && { root }),
    });
    for (const note of agent.notes) onNote?.(note);
    return conversation(thread, agent, async () => {
      await agent.close();
      await closeCallerParts();
    });
  } catch (error) {
    await closeCallerParts();
    throw error;
  }
}

function conversation(thread: string, agent: LocalAgent, close: () => Promise<void>): Conversation {
  const { client } = agent;
  const requestOrThrow = async (request: AgentRequest): Promise<AgentReply> => {
    const reply = await client.request(request);
    if (reply.status === 'error') throw toError(reply);
    return reply;
  };

  /** Turns that are running: closing waits for them. */
  const runningTurns = new Set<Promise<unknown>>();
  function turn(request: TurnRequest, messageOptions: MessageOptions): Promise<Turn> {
    const running = runTurn(request, messageOptions);
    const done = running.catch(() => {}).finally(() => runningTurns.delete(done));
    runningTurns.add(done);
    return running;
  }

  async function runTurn(request: TurnRequest, { onText, onEvent, signal }: MessageOptions): Promise<Turn> {
    let spent: Turn['spent'] = {};
    const handleEvent = (event: AgentEvent): void => {
      onEvent?.(event);
      if (event.kind === 'text') onText?.(event.piece);
      if (event.kind === 'budget') spent = event.spent;
    };
    const cancel = (): void => void client.request({ type: 'cancel', thread_id: thread }).catch(() => {});
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      signal?.throwIfAborted();
      const turnEnd = await client.turn(request, handleEvent);
      if ('type' in turnEnd) throw toError(turnEnd);
      const { status, text, questions, run_id } = turnEnd;
      return { status, text, questions: questions.map(toQuestion), run_id, spent };
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  async function readState(): Promise<Standing> {
    const { threadNote } = await import('../agent/channel/channel.ts');
    const { details } = await requestOrThrow({ type: 'observe', thread_id: thread });
    const { questions, ...note } = threadNote.parse(details);
    return { ...note, questions: questions.map(toQuestion) };
  }

  const once = callOnce(async () => {
    if (runningTurns.size > 0) await client.request({ type: 'cancel', thread_id: thread });
    await Promise.all(runningTurns);
    await close();
  });
  return Object.freeze({
    thread,
    async send(prompt: string, message: Message = {}) {
      checkText('send', 'a message', prompt);
      checkOptions('send', message, { ...messageOptionNames, id: true, role: true });
      const { id = `m-${randomUUID()}`, role, ...turnOptions } = message;
      return turn(
        {
          type: 'start_run',
          thread_id: thread,
          message_id: id,
          prompt,
          ...(role !== undefined && { role }),
        },
        turnOptions,
      );
    },
    async answer(answer: unknown, options: MessageOptions & { readonly question?: string } = {}) {
      checkOptions('answer', options, { ...messageOptionNames, question: true });
      const { question, ...turnOptions } = options;
      const open = (await readState()).questions;
      const id = question ?? open[0]?.id;
      if (id === undefined || !open.some((question) => question.id === id))
        throw new SondeError('run_state', {
          message:
            id === undefined ? `${thread} has no open question` : `${thread} has no open question ${id}`,
          remedy: 'standing() says what it waits for.',
        });
      const value = JSON.parse(JSON.stringify(answer ?? null));
      return turn({ type: 'resume', thread_id: thread, answer: { question: id, value } }, turnOptions);
    },
    async resume(messageOptions: MessageOptions = {}) {
      checkOptions('resume', messageOptions, messageOptionNames);
      return turn({ type: 'resume', thread_id: thread }, messageOptions);
    },
    async drop() {
      await requestOrThrow({ type: 'cancel', thread_id: thread, drop: true });
    },
    standing: readState,
    close: once,
    [Symbol.asyncDispose]: once,
  } satisfies Conversation);
}

/** Makes a second call do nothing. */
function callOnce(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}

function toQuestion({ id, value }: { readonly id: string; readonly value: unknown }): Question {
  const text = (value as { readonly question?: unknown } | null)?.question;
  return { id, text: typeof text === 'string' ? text : JSON.stringify(value) };
}

function toError({ error_code: code, message, details: { remedy, ...details } }: AgentReply): SondeError {
  return new SondeError((code ?? 'internal') as ErrorCode, {
    message,
    ...(typeof remedy === 'string' && { remedy }),
    details,
  });
}
