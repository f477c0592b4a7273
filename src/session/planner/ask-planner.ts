/** One step of the planner: its input is recorded first, so that after a crash it is asked the same. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { type BudgetEnd, quoteMaterial, SondeError } from '../../core/index.ts';
import {
  callsOf,
  countDialogue,
  type Dialogue,
  type DialogueReply,
  estimateDialogue,
  type Head,
  minLength,
  textOf,
  turnInWindow,
} from '../../model/index.ts';
import type { GraphPorts } from '../graph-ports.ts';
import { decisionsIn, type State, siteOf } from '../graph-state.ts';
import type { AddedText, Message } from '../history/messages.ts';
import { dialogueOf } from '../history/talk.ts';
import { cancelledError, openStep } from './open-step.ts';
import { entriesToAdd } from './planner-note.ts';
import { plannerOptions } from './planner-options.ts';

/**
 * How many empty replies (neither words nor calls) fail the turn. The count restarts when a turn is resumed after a
 * crash.
 */
const maxEmpty = 2;
const emptyNote = 'Your last reply was empty. Call a tool, or answer in words.';

const noAnswerError = {
  code: 'model_output',
  message: 'The model gave no answer, also when asked again',
  remedy: 'Continue the turn with another model, or drop it.',
} as const;

export type PlannerReply = PlannerAnswer | BudgetEnd;

interface PlannerAnswer {
  readonly kind: 'said';
  readonly reply: DialogueReply;
  readonly added: AddedText;
  readonly cut: State['cut'];
}

const isEmpty = (reply: DialogueReply): boolean => textOf(reply) === '' && callsOf(reply).length === 0;

/** Whether the model has already been asked to revise an answer in the current turn. */
const wasAskedToRevise = (messages: readonly Message[]): boolean =>
  messages
    .slice(messages.findLastIndex(({ kind }) => kind === 'user') + 1)
    .some((each) => each.kind === 'assistant' && each.added?.back === true);

/** The objections to an answer, with the answer itself, which is not in the history yet. Null if there are none. */
async function objectionsTo(
  text: string,
  { messages }: State,
  { check }: GraphPorts,
): Promise<string | null> {
  const back = (await check!(text, messages)).back;
  if (back === null) return null;
  return `${back}\n${quoteMaterial(text, { source: 'your answer', trust: 'derived' })}`;
}

/** Throws if the model failed or the turn was cancelled: the step is repeated when the turn is resumed. */
export async function askPlanner(
  state: State,
  head: Head,
  config: RunnableConfig,
  ports: GraphPorts,
): Promise<PlannerReply> {
  const { thread, namespace, task } = siteOf(config);
  const { step, pool, planner, role, clock, prices } = ports;
  const where = ports.where ?? { thread, before: null, startedBy: null };
  const noteInputs = { head, role, planner, pool, now: clock.now(), where, ...(prices && { prices }) };
  let added = await openStep(state, config, ports, () => entriesToAdd(state, noteInputs));
  let cut = state.cut;
  /** The answer that the model was asked to revise: it is used if no other follows. */
  let draft: PlannerAnswer | null = null;
  let mayAskToRevise = ports.check !== undefined && !wasAskedToRevise(state.messages);
  for (let asked = 0, empty = 0; ; asked += 1) {
    const dialogue = dialogueOf(state.messages, head, { role, added });
    assertFits(dialogue, cut, planner.contextWindow);
    const key = `${namespace}/${task}${asked === 0 ? '' : `/again-${asked}`}`;
    const outcome = await turnInWindow(step, key, planner, dialogue, cut, {
      ...plannerOptions(ports, {
        number: decisionsIn(state.messages) + 1,
        thread,
        ...(config.signal && { signal: config.signal }),
      }),
      left: pool.remaining(),
    });
    pool.recordTime();
    if (outcome.kind === 'cancelled') throw cancelledError();
    if (draft !== null && (outcome.kind !== 'replied' || isEmpty(outcome.reply))) return draft;
    if (outcome.kind === 'exhausted') return outcome;
    if (outcome.kind === 'failed') throw turnFailure(outcome.failure);
    cut = outcome.cut;
    const { reply } = outcome;
    if (!isEmpty(reply)) {
      const plannerAnswer: PlannerAnswer = { kind: 'said', reply, added, cut };
      const back =
        mayAskToRevise && callsOf(reply).length === 0
          ? await objectionsTo(textOf(reply), state, ports)
          : null;
      if (back === null) return plannerAnswer;
      [draft, mayAskToRevise] = [plannerAnswer, false];
      added = { ...added, note: `${added.note}\n${back}`.trim(), back: true };
      ports.onText?.('\n\n');
      continue;
    }
    if (asked === 0) added = { ...added, note: `${added.note}\n${emptyNote}`.trim() };
    if (!outcome.recalled) empty += 1;
    if (empty === maxEmpty) throw turnFailure(noAnswerError);
  }
}

/** Fails before sending if the parts that can't be cut exceed the window. */
function assertFits(dialogue: Dialogue, dialogueCut: State['cut'], window: number): void {
  const min = minLength(dialogue, dialogueCut);
  const guess = estimateDialogue(min);
  if (guess <= window) return;
  const tokens = countDialogue(min);
  if (tokens <= window) return;
  const without =
    guess === estimateDialogue(dialogue) ? '' : ', even without the results that can be left out';
  throw new SondeError('model_output', {
    message: `The conversation has ${tokens} tokens${without}, where the planner takes ${window} at once`,
    remedy: 'Resume the turn with a model that has a larger context window, or drop it.',
    details: { code: 'context_overflow' },
  });
}

function turnFailure({
  code,
  message,
  remedy,
}: {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}) {
  // The remedies rely on this: a failed step adds nothing to the history, so resuming the turn repeats it.
  return new SondeError(code === 'cancelled' ? 'cancelled' : 'model_output', {
    message,
    remedy,
    details: { code },
  });
}
