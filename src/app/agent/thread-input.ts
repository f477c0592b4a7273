/**
 * Decides what a message does to a thread in its present state, so that no question is skipped and nothing is done
 * twice.
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
export async function stateOf(sessions: Sessions, thread: string): Promise<ThreadState> {
  return (await sessions.threads.has(thread)) ? readThread(thread, sessions.checkpoints) : emptyState;
}

/** The questions with JSON values, since they are sent to another process. */
export const questionsOf = (questions: ThreadState['questions']): AgentQuestion[] =>
  questions.map(({ id, value }) => ({ id, value: JSON.parse(JSON.stringify(value ?? null)) }));

export async function noteOf(sessions: Sessions, thread: string, running: boolean): Promise<ThreadNote> {
  const { messages, questions, unfinished } = await stateOf(sessions, thread);
  const lastWords = messages.findLast(
    (each) =>
      each.kind === 'user' || each.kind === 'steer' || (each.kind === 'assistant' && each.text !== ''),
  );
  const rest = questions.length > 0 ? 'interrupted' : unfinished ? 'unfinished' : 'idle';
  return {
    state: running ? 'running' : rest,
    questions: questionsOf(questions),
    last:
      lastWords === undefined || !('text' in lastWords)
        ? null
        : { by: lastWords.kind === 'assistant' ? 'agent' : 'person', text: lastWords.text },
  };
}

/** Throws `not_found` and `run_state`. If a question is open, `details` of the error contains it. */
export async function inputOf(
  sessions: Sessions,
  message: TurnStart,
  mask: Pick<Masker, 'value'>,
): Promise<TurnInput> {
  const { thread_id } = message;
  const { questions, unfinished, messages } = await stateOf(sessions, thread_id);
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
      details: { questions: questionsOf(questions) },
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
    const given = {
      ...(role !== undefined && { role: { content: role, appliesTo: null } }),
      ...(edits !== undefined && { edits }),
    };
    return { kind: 'message', id, text: mask.value(prompt), ...given, ...startedBy };
  }
  const { name, payload } = message.event;
  const text = mask.value(`${prompt}\n\n(${name}: ${canonicalJson(payload)})`);
  return { kind: 'message', id, text: text, ...startedBy };
}
