/** Asks the planner for its next step. The input is recorded first, so that it is asked the same after a crash. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { type BudgetEnd, quoteMaterial, SondeError } from '../../core/index.ts';
import {
  callsOf,
  countDialogue,
  cutToMinimum,
  type Dialogue,
  type DialogueReply,
  estimateDialogue,
  type Head,
  requestTurnInWindow,
  textOf,
} from '../../model/index.ts';
import type { GraphPorts } from '../graph-ports.ts';
import { countDecisions, readSite, type State } from '../graph-state.ts';
import type { AddedText, Message } from '../history/messages.ts';
import { toDialogue } from '../history/planner-dialogue.ts';
import { createCancelledError, openStep } from './open-step.ts';
import { createAddedText } from './planner-note.ts';
import { plannerOptions } from './planner-options.ts';

/**
 * The number of empty replies (neither words nor calls) after which the turn fails. The count restarts when a turn is
 * resumed after a crash.
 */
const maxEmptyReplies = 2;
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

/** The objections to an answer, with the answer itself, which is not in the history yet; null if there are none. */
async function findObjections(
  text: string,
  { messages }: State,
  { check }: GraphPorts,
): Promise<string | null> {
  const objections = (await check!(text, messages)).objections;
  if (objections === null) return null;
  return `${objections}\n${quoteMaterial(text, { source: 'your answer', trust: 'derived' })}`;
}

/** Throws if the model failed or the turn was cancelled: the step is repeated when the turn is resumed. */
export async function askPlanner(
  state: State,
  head: Head,
  config: RunnableConfig,
  ports: GraphPorts,
): Promise<PlannerReply> {
  const { thread, namespace, task } = readSite(config);
  const { step, pool, planner, role, clock, prices } = ports;
  const turnFacts = ports.where ?? { thread, before: null, startedBy: null };
  const noteInputs = {
    head,
    role,
    planner,
    pool,
    now: clock.now(),
    where: turnFacts,
    ...(prices && { prices }),
  };
  let added = await openStep(state, config, ports, () => createAddedText(state, noteInputs));
  let cut = state.cut;
  /** The answer that the model was asked to revise: it is used if no other follows. */
  let draft: PlannerAnswer | null = null;
  let mayAskToRevise = ports.check !== undefined && !wasAskedToRevise(state.messages);
  for (let attempt = 0, emptyReplies = 0; ; attempt += 1) {
    const dialogue = toDialogue(state.messages, head, { role, added });
    requireFit(dialogue, cut, planner.contextWindow);
    const key = `${namespace}/${task}${attempt === 0 ? '' : `/again-${attempt}`}`;
    const outcome = await requestTurnInWindow(step, key, planner, dialogue, cut, {
      ...plannerOptions(ports, {
        number: countDecisions(state.messages) + 1,
        thread,
        ...(config.signal && { signal: config.signal }),
      }),
      left: pool.remaining(),
    });
    pool.recordTime();
    if (outcome.kind === 'cancelled') throw createCancelledError();
    if (draft !== null && (outcome.kind !== 'replied' || isEmpty(outcome.reply))) return draft;
    if (outcome.kind === 'exhausted') return outcome;
    if (outcome.kind === 'failed') throw createTurnError(outcome.failure);
    cut = outcome.cut;
    const { reply } = outcome;
    if (!isEmpty(reply)) {
      const plannerAnswer: PlannerAnswer = { kind: 'said', reply, added, cut };
      const objections =
        mayAskToRevise && callsOf(reply).length === 0
          ? await findObjections(textOf(reply), state, ports)
          : null;
      if (objections === null) return plannerAnswer;
      [draft, mayAskToRevise] = [plannerAnswer, false];
      added = { ...added, note: `${added.note}\n${objections}`.trim(), back: true };
      ports.onText?.('\n\n');
      continue;
    }
    if (attempt === 0) added = { ...added, note: `${added.note}\n${emptyNote}`.trim() };
    if (!outcome.recalled) emptyReplies += 1;
    if (emptyReplies === maxEmptyReplies) throw createTurnError(noAnswerError);
  }
}

/** Fails before sending if the parts that can't be cut exceed the window. */
function requireFit(dialogue: Dialogue, dialogueCut: State['cut'], window: number): void {
  const minDialogue = cutToMinimum(dialogue, dialogueCut);
  const estimate = estimateDialogue(minDialogue);
  if (estimate <= window) return;
  const tokens = countDialogue(minDialogue);
  if (tokens <= window) return;
  const cutNote =
    estimate === estimateDialogue(dialogue) ? '' : ', even without the results that can be left out';
  throw new SondeError('model_output', {
    message: `The conversation has ${tokens} tokens${cutNote}, where the planner takes ${window} at once`,
    remedy: 'Resume the turn with a model that has a larger context window, or drop it.',
    details: { code: 'context_overflow' },
  });
}

function createTurnError({
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
