/**
 * Converts a message to the input of a turn, depending on the state of its thread, so that no question is skipped and
 * nothing is done twice.
 */
import { canonicalJson, type Masker, SondeError } from '../../core/index.ts';
import { readThread, type StartedBy, type ThreadState, type TurnInput } from '../../session/index.ts';
import type { Sessions } from '../../store/index.ts';
import type { AgentMessage, AgentQuestion, ThreadNote } from './channel/channel.ts';

export type TurnStart = Extract<AgentMessage, { type: 'start_run' | 'workspace_event' | 'resume' }>;

const emptyState: ThreadState = {
  messages: [],
  end: null,
  unfinished: false,
  questions: [],
  at: 0,
  inFlight: {},
};

/** The state of a thread; an empty state if the thread does not exist. */
export async function readThreadState(sessions: Sessions, thread: string): Promise<ThreadState> {
  return (await sessions.threads.has(thread)) ? readThread(thread, sessions.checkpoints) : emptyState;
}

/** Converts the questions to JSON values, since they are sent to another process. */
export const toJsonQuestions = (questions: ThreadState['questions']): AgentQuestion[] =>
  questions.map(({ id, value }) => ({ id, value: JSON.parse(JSON.stringify(value ?? null)) }));

export async function describeThread(
  sessions: Sessions,
  thread: string,
  isRunning: boolean,
): Promise<ThreadNote> {
  const { messages, questions, unfinished } = await readThreadState(sessions, thread);
  const lastMessage = messages.findLast(
    (each) =>
      each.kind === 'user' || each.kind === 'steer' || (each.kind === 'assistant' && each.text !== ''),
  );
  const restingState = questions.length > 0 ? 'interrupted' : unfinished ? 'unfinished' : 'idle';
  return {
    state: isRunning ? 'running' : restingState,
    questions: toJsonQuestions(questions),
    last:
      lastMessage === undefined || !('text' in lastMessage)
        ? null
        : { by: lastMessage.kind === 'assistant' ? 'agent' : 'person', text: lastMessage.text },
  };
}

/** Throws `not_found` and `run_state`. If a question is open, `details` of the error contains it. */
export async function toTurnInput(
  sessions: Sessions,
  message: TurnStart,
  mask: Pick<Masker, 'value'>,
): Promise<TurnInput> {
  const { thread_id } = message;
  const { questions, unfinished, messages } = await readThreadState(sessions, thread_id);
  if (message.type === 'resume') {
    if (!(await sessions.threads.has(thread_id)))
      throw new SondeError('not_found', {
        message: `There is no thread ${thread_id}`,
        remedy: 'Start it with a message.',
      });
    const { answer } = message;
    // If the question was answered already, by this or another process, the turn only continues.
    return answer !== undefined && questions.some(({ id }) => id === answer.question)
      ? { kind: 'answer', value: mask.value(answer.value) }
      : { kind: 'continue' };
  }
  const edits = message.type === 'start_run' ? message.edits : undefined;
  const sentBefore =
    edits !== undefined ||
    messages.some(({ kind, id }) => (kind === 'user' || kind === 'steer') && id === message.message_id);
  if (!sentBefore && questions.length > 0)
    throw new SondeError('run_state', {
      message: `${thread_id} waits for an answer`,
      remedy: 'Answer it, or drop the turn. Nothing was started, and the question stays open.',
      details: { questions: toJsonQuestions(questions) },
    });
  if (!sentBefore && unfinished)
    throw new SondeError('run_state', {
      message: `${thread_id} has a turn that is not finished`,
      remedy: 'Resume it, or drop it.',
      details: { unfinished: true },
    });
  const { message_id: id, prompt, started_by } = message;
  const startedBy = started_by === undefined ? {} : { startedBy: started_by as StartedBy };
  if (message.type === 'start_run') {
    const { role } = message;
    const options = {
      ...(role !== undefined && { role: { content: role, appliesTo: null } }),
      ...(edits !== undefined && { edits }),
    };
    return { kind: 'message', id, text: mask.value(prompt), ...options, ...startedBy };
  }
  const { name, payload } = message.event;
  const text = mask.value(`${prompt}\n\n(${name}: ${canonicalJson(payload)})`);
  return { kind: 'message', id, text: text, ...startedBy };
}
