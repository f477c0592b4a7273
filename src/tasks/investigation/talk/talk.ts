/** A turn of the planner: its input, and the interpretation of its reply. */
import { type AllAmounts, appendRemedy, type BudgetEnd } from '../../../core/index.ts';
import {
  addEntries,
  beginDialogue,
  type Dialogue,
  type DialogueCut,
  type DialogueReply,
  inputRoom,
  type Reply,
  requestTurnInWindow,
  turnCost,
  uncut,
} from '../../../model/index.ts';
import type { RunContext, TreeNode } from '../run-context.ts';
import {
  cancelledEnd,
  type InvestigationEnd,
  type NodeState,
  noGains,
  noTally,
  plusGains,
  type Talk,
  withEnd,
} from '../state.ts';
import { abortUnavailable, mayBeTemporary } from './away.ts';
import { usualReplyTokens } from './last-turn.ts';
import { addAnswer, cellsIn, startDialogue } from './speech.ts';
import { turnOptions } from './turn-options.ts';
import {
  messageWithoutRounds,
  nextMessage,
  openingMessage,
  type PlannerMessage,
  type Sizes,
} from './words.ts';

/** An investigation ends after this many turns in a row without code. */
const maxTurnsWithoutCode = 3;
/** The sandbox cuts a cell's output; this also bounds its traceback and its notes. Characters. */
const maxOutput = 18_000;
const minOutput = 500;
/** The share of a window's input that one output may take; a token has about three characters or more. */
const outputShare = 0.12;
const charactersPerToken = 3;

export const toFailedEnd = (trouble: string, stop: InvestigationEnd['stop']): InvestigationEnd => ({
  status: 'failed',
  stop,
  trouble,
});
export const budgetEnd = (trouble: string | null): InvestigationEnd => ({
  status: 'budget_exhausted',
  stop: 'budget',
  trouble,
});

export type TurnOutcome =
  | { readonly kind: 'state'; readonly state: NodeState }
  /** The remaining budget does not pay for the turn. */
  | { readonly kind: 'short'; readonly state: NodeState; readonly exhausted: BudgetEnd };

export async function takeTurn(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  sizes: Sizes,
): Promise<TurnOutcome> {
  const model = context.models[context.outer];
  const { dialogue, cut } = dialogueToSend(state, place, context, sizes);
  const key = `${place.key}/t${state.turn}/planner`;
  const final = usesReserve(state, place);
  const options = turnOptions(context, place, {
    ...{ model, final, name: 'planner' },
    number: place.step ?? state.turn,
    maxOutputTokens: maxReplyTokens(state, context),
  });
  const turnResult = await requestTurnInWindow(context.step, key, model, dialogue, cut, {
    ...options,
    left: place.pool.remaining({ final }),
  });
  context.failure.check();
  const tally = { ...noTally, prompts: bytesOf(dialogue) };
  const countedState = { ...state, gains: plusGains(state.gains, { ...noGains, tally }) };
  switch (turnResult.kind) {
    case 'cancelled':
      return { kind: 'state', state: withEnd(countedState, cancelledEnd) };
    case 'exhausted':
      return { kind: 'short', state: countedState, exhausted: turnResult };
    case 'failed':
      if (context.signal.aborted) return { kind: 'state', state: withEnd(countedState, cancelledEnd) };
      if (turnResult.failure.code === 'context_overflow' && sizes.room > minOutput)
        return { kind: 'state', state: { ...countedState, narrower: state.narrower + 2 } };
      if (mayBeTemporary(turnResult.failure)) abortUnavailable(context, turnResult.failure);
      // In the last turn, the budget is the reason for the end; the failure of the model is only reported.
      return {
        kind: 'state',
        state: withEnd(
          countedState,
          state.last
            ? budgetEnd(turnResult.failure.message)
            : toFailedEnd(appendRemedy(turnResult.failure), 'model_failed'),
        ),
      };
    case 'replied':
      return {
        kind: 'state',
        state: withReply(countedState, dialogue, turnResult.reply, turnResult.cut, context),
      };
  }
}

/** Only the root uses the reserve: nested investigations end before it. */
export const usesReserve = ({ last }: NodeState, { step }: TreeNode): boolean => last && step === null;

interface DialogueToSend {
  readonly dialogue: Dialogue;
  readonly cut: DialogueCut;
}

function dialogueToSend(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  sizes: Sizes,
): DialogueToSend {
  const { talk } = state;
  if (talk === null)
    return {
      dialogue: startDialogue(context.models[context.outer], openingMessage(state, place, context, sizes)),
      cut: uncut,
    };
  if (sizes.bare !== true)
    return { dialogue: addAnswer(talk.dialogue, nextMessage(state, sizes)), cut: talk.cut };
  return { dialogue: withoutRounds(talk, messageWithoutRounds(state, sizes)), cut: cutOfFirst(talk) };
}

/** The first message as sent, without any later rounds. */
function withoutRounds({ dialogue }: Talk, { text }: PlannerMessage): Dialogue {
  const [first] = dialogue.entries;
  return addEntries({ ...dialogue, entries: first === undefined ? [] : [first] }, { kind: 'user', text });
}

/** The cut of a dialogue of which only the first message is left. */
const cutOfFirst = ({ cut: { first, window, perGuess } }: Talk): DialogueCut => ({
  ...uncut,
  ...(first !== undefined && { first }),
  ...(window !== undefined && { window }),
  ...(perGuess !== undefined && { perGuess }),
});

/** The reply limit: quadrupled each time a reply was cut off before any block of code was complete. */
function maxReplyTokens({ wider }: NodeState, { limits, models, outer }: RunContext): number {
  return Math.min(limits.reply_tokens * 4 ** wider, Math.max(limits.reply_tokens, models[outer].maxOutput));
}

function bytesOf({ system, entries }: Dialogue): number {
  return Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(entries));
}

function withReply(
  state: NodeState,
  dialogue: Dialogue,
  { by, parts, stop }: DialogueReply,
  cut: DialogueCut,
  context: RunContext,
): NodeState {
  const reply: Reply = { kind: 'reply', by, parts };
  const isCut = stop === 'length';
  const { cells, correction } = cellsIn(reply, isCut);
  const notes = [...(isCut ? [cutNote(cells.length)] : []), ...(correction === null ? [] : [correction])];
  const next: NodeState = {
    ...state,
    said: state.cells.length,
    // The planner has now been shown the names whose definitions were cut before this turn.
    talk: { dialogue: addEntries(dialogue, reply), cut, named: state.talk?.cut.dropped ?? 0 },
    told: notes.join(' ') || null,
  };
  if (cells.length > 0) return { ...next, silent: 0, pending: { kind: 'run', codes: cells } };
  const silent = state.silent + 1;
  const wider =
    isCut && maxReplyTokens(state, context) < context.models[context.outer].maxOutput
      ? state.wider + 1
      : state.wider;
  const silentState = { ...next, silent, wider };
  if (state.last) return withEnd(silentState, budgetEnd('The last turn held no code.'));
  if (silent >= maxTurnsWithoutCode)
    return withEnd(silentState, toFailedEnd(`The model wrote no code ${silent} times in a row.`, 'stagnant'));
  return { ...silentState, pending: { kind: 'plan' } };
}

function cutNote(cells: number): string {
  const whatRan = cells === 0 ? 'nothing of it was run' : 'only its whole blocks were run';
  return `Your reply was cut off at its limit, and ${whatRan}: write less.`;
}

/**
 * How much of an output is shown: limited by the model's window, and by what the budget can pay if all else is cut. If
 * it can pay for no output at all, the last turn has no rounds.
 */
export function pageSizes(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  budget: string,
): Pick<Sizes, 'room' | 'bare'> {
  const max = outputRoomInWindow(state, context);
  const { talk } = state;
  const [opening] = talk?.dialogue.entries ?? [];
  const reply = talk?.dialogue.entries.at(-1);
  if (talk === null || opening?.kind !== 'user' || reply === undefined) return { room: max };
  const final = usesReserve(state, place);
  const isAffordable = (room: number): boolean => {
    const openingOnly = beginDialogue(talk.dialogue, opening.text);
    const smallestDialogue = addAnswer(addEntries(openingOnly, reply), nextMessage(state, { budget, room }));
    return isPaid(smallestDialogue, talk, place.pool.remaining({ final }), context);
  };
  let room = max;
  while (room > minOutput && !isAffordable(room)) room = Math.max(minOutput, Math.floor(room / 2));
  return { room, ...(final && !isAffordable(room) && { bare: true as const }) };
}

function outputRoomInWindow(state: NodeState, context: RunContext): number {
  const window =
    inputRoom(context.models[context.outer], maxReplyTokens(state, context)) *
    outputShare *
    charactersPerToken;
  return Math.floor(Math.min(maxOutput, Math.max(minOutput, window)) / 2 ** state.narrower);
}

/** Whether the budget pays for the dialogue with room for an answer. The size of the first message is known. */
function isPaid(
  dialogue: Dialogue,
  { cut: { first } }: Talk,
  left: Pick<AllAmounts, 'tokens' | 'usd'>,
  { models, outer, limits }: RunContext,
): boolean {
  const { tokens = 0, usd = 0 } = turnCost(models[outer], dialogue, {
    maxOutputTokens: Math.min(limits.reply_tokens, usualReplyTokens),
    timeoutMs: 0,
    ...(models.prices && { prices: models.prices }),
    ...(first !== undefined && { sentBefore: { entries: 1, input: first } }),
  });
  return tokens <= left.tokens && usd <= left.usd;
}
