/**
 * Decides how an input starts or continues a turn in the current state of a thread, so that no question is skipped and no
 * turn starts twice.
 */
import { Command } from '@langchain/langgraph';
import { SondeError, sha256 } from '../../core/index.ts';
import type { Role } from '../../store/index.ts';
import type { Message } from '../history/messages.ts';
import type { StartedBy } from '../planner/where-note.ts';
import type { ThreadState } from './thread-state.ts';

export type TurnInput =
  /** The same id again is the same message, and starts no second turn. A new id with the same text is a new message. */
  | {
      readonly kind: 'message';
      readonly id: string;
      readonly text: string;
      readonly role?: Role;
      /** The id of an earlier message that this one replaces, together with everything after it. */
      readonly edits?: string;
      /** Absent: a person or a program sent it. */
      readonly startedBy?: StartedBy;
    }
  /** The answer to the question of the thread. */
  | { readonly kind: 'answer'; readonly value: unknown }
  /** Continues the turn after a crash, a cancel or a failed model. */
  | { readonly kind: 'continue' };

export interface Start {
  readonly kind: 'over' | 'run';
  /** Whether the turn was started before. */
  readonly begun: boolean;
  readonly message?: { readonly id: string; readonly text: string };
  readonly input: unknown;
}

/**
 * Throws `run_state` for an answer without a question, and for a new message while a question is open or a turn is
 * unfinished. `isFinished`: whether the turn of a message has ended, even if compaction has removed the message.
 */
export async function decideStart(
  thread: string,
  input: TurnInput,
  threadState: ThreadState,
  isFinished: (message: string) => Promise<boolean>,
): Promise<Start> {
  const { messages, questions, unfinished } = threadState;
  switch (input.kind) {
    case 'message': {
      const { id, text } = input;
      const turnMessage =
        findTurnMessage(messages, id) ?? ((await isFinished(id)) ? { id, text } : undefined);
      if (turnMessage !== undefined) {
        const isCurrent = findLastUser(messages)?.id === turnMessage.id;
        return {
          kind: isCurrent && unfinished && questions.length === 0 ? 'run' : 'over',
          begun: true,
          message: { id: turnMessage.id, text: turnMessage.text },
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
          remedy: 'Continue it, or drop it.',
        });
      return {
        kind: 'run',
        begun: false,
        message: { id, text },
        input: { messages: [{ id, kind: 'user', text }], end: null },
      };
    }
    case 'answer':
      if (questions.length === 0) throw createNothingToError('answer', thread);
      return { kind: 'run', begun: true, input: new Command({ resume: input.value }) };
    case 'continue':
      return { kind: unfinished && questions.length === 0 ? 'run' : 'over', begun: true, input: null };
  }
}

/** The message that began the turn of the given message; undefined if the given message is not in the history. */
function findTurnMessage(messages: readonly Message[], id: string) {
  const index = messages.findIndex(
    (each) => (each.kind === 'user' || each.kind === 'steer') && each.id === id,
  );
  return index < 0 ? undefined : findLastUser(messages.slice(0, index + 1));
}

export function findLastUser(messages: readonly Message[]) {
  return messages.findLast((each) => each.kind === 'user');
}

/** The run of the turn that a message starts. */
export function runIdOf(thread: string, message: string): string {
  return `run-${sha256(`${thread}\0${message}`).slice(0, 15)}`;
}

export function createNothingToError(action: string, thread: string): SondeError {
  return new SondeError('run_state', {
    message: `There is nothing to ${action} in ${thread}`,
    remedy: 'Send a message.',
  });
}
