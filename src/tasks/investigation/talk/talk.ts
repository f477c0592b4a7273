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
import { away, maybeBack } from './away.ts';
import { usefulReply } from './last-turn.ts';
import { addAnswer, cellsIn, startDialogue } from './speech.ts';
import { turnOptions } from './turn-options.ts';
import { bareWords, firstWords, nextWords, type PlannerMessage, type Sizes } from './words.ts';

/** Turns in a row without code that end an investigation. */
const maxSilent = 3;
/** The sandbox cuts a cell's output; this also bounds its traceback and its notes. Characters. */
const maxOutput = 18_000;
const minOutput = 500;
/** The share of a window's input that one output may take; a token has about three characters or more. */
const outputShare = 0.12;
const charactersEach = 3;

export const failedEnd = (trouble: string, stop: InvestigationEnd['stop']): InvestigationEnd => ({
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
  /** The turn can't be paid for. */
  | { readonly kind: 'short'; readonly state: NodeState; readonly exhausted: BudgetEnd };

export async function takeTurn(
  state: NodeState,
  place: TreeNode,
  context: RunContext,
  sizes: Sizes,
): Promise<TurnOutcome> {
  const model = context.models[context.outer];
  const { dialogue, cut } = saying(state, place, context, sizes);
  const key = `${place.key}/t${state.turn}/planner`;
  const final = isFinal(state, place);
  const options = turnOptions(context, place, {
    ...{ model, final, name: 'planner' },
    number: place.step ?? state.turn,
    maxOutputTokens: replyRoom(state, context),
  });
  const turnResult = await requestTurnInWindow(context.step, key, model, dialogue, cut, {
    ...options,
    left: place.pool.remaining({ final }),
  });
  context.failure.check();
  const tally = { ...noTally, prompts: bytesOf(dialogue) };
  const shown = { ...state, gains: plusGains(state.gains, { ...noGains, tally }) };
  switch (turnResult.kind) {
    case 'cancelled':
      return { kind: 'state', state: withEnd(shown, cancelledEnd) };
    case 'exhausted':
      return { kind: 'short', state: shown, exhausted: turnResult };
    case 'failed':
      if (context.signal.aborted) return { kind: 'state', state: withEnd(shown, cancelledEnd) };
      if (turnResult.failure.code === 'context_overflow' && sizes.room > minOutput)
        return { kind: 'state', state: { ...shown, narrower: state.narrower + 2 } };
      if (maybeBack(turnResult.failure)) away(context, turnResult.failure);
      // In the last turn the budget ended it; that the model also failed is reported.
      return {
        kind: 'state',
        state: withEnd(
          shown,
          state.last
            ? budgetEnd(turnResult.failure.message)
            : failedEnd(appendRemedy(turnResult.failure), 'model_failed'),
        ),
      };
    case 'replied':
      return {
        kind: 'state',
        state: withReply(shown, dialogue, turnResult.reply, turnResult.cut, context),
      };
  }
}

/** Only the root uses the reserve: nested investigations end before it. */
export const isFinal = ({ last }: NodeState, { step }: TreeNode): boolean => last && step === null;

interface Saying {
  readonly dialogue: Dialogue;
  readonly cut: DialogueCut;
}

function saying(state: NodeState, place: TreeNode, context: RunContext, sizes: Sizes): Saying {
  const { talk } = state;
  if (talk === null)
    return {
      dialogue: startDialogue(context.models[context.outer], firstWords(state, place, context, sizes)),
      cut: uncut,
    };
  if (sizes.bare !== true)
    return { dialogue: addAnswer(talk.dialogue, nextWords(state, sizes)), cut: talk.cut };
  return { dialogue: bare(talk, bareWords(state, sizes)), cut: onlyFirst(talk) };
}

/** The first message as sent, without any later rounds. */
function bare({ dialogue }: Talk, { text }: PlannerMessage): Dialogue {
  const [first] = dialogue.entries;
  return addEntries({ ...dialogue, entries: first === undefined ? [] : [first] }, { kind: 'user', text });
}

const onlyFirst = ({ cut: { first, window, perGuess } }: Talk): DialogueCut => ({
  ...uncut,
  ...(first !== undefined && { first }),
  ...(window !== undefined && { window }),
  ...(perGuess !== undefined && { perGuess }),
});

/** The reply limit: quadrupled each time a reply was cut off before any code was whole. */
function replyRoom({ wider }: NodeState, { limits, models, outer }: RunContext): number {
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
    // Names whose definitions were cut before this turn have been shown.
    talk: { dialogue: addEntries(dialogue, reply), cut, named: state.talk?.cut.dropped ?? 0 },
    told: notes.join(' ') || null,
  };
  if (cells.length > 0) return { ...next, silent: 0, pending: { kind: 'run', codes: cells } };
  const silent = state.silent + 1;
  const wider =
    isCut && replyRoom(state, context) < context.models[context.outer].maxOutput
      ? state.wider + 1
      : state.wider;
  const still = { ...next, silent, wider };
  if (state.last) return withEnd(still, budgetEnd('The last turn held no code.'));
  if (silent >= maxSilent)
    return withEnd(still, failedEnd(`The model wrote no code ${silent} times in a row.`, 'stagnant'));
  return { ...still, pending: { kind: 'plan' } };
}

function cutNote(cells: number): string {
  const ran = cells === 0 ? 'nothing of it was run' : 'only its whole blocks were run';
  return `Your reply was cut off at its limit, and ${ran}: write less.`;
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
  const max = roomInWindow(state, context);
  const { talk } = state;
  const [opening] = talk?.dialogue.entries ?? [];
  const reply = talk?.dialogue.entries.at(-1);
  if (talk === null || opening?.kind !== 'user' || reply === undefined) return { room: max };
  const final = isFinal(state, place);
  const pays = (room: number): boolean => {
    const begin = beginDialogue(talk.dialogue, opening.text);
    const min = addAnswer(addEntries(begin, reply), nextWords(state, { budget, room }));
    return isPaid(min, talk, place.pool.remaining({ final }), context);
  };
  let room = max;
  while (room > minOutput && !pays(room)) room = Math.max(minOutput, Math.floor(room / 2));
  return { room, ...(final && !pays(room) && { bare: true as const }) };
}

function roomInWindow(state: NodeState, context: RunContext): number {
  const window =
    inputRoom(context.models[context.outer], replyRoom(state, context)) * outputShare * charactersEach;
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
    maxOutputTokens: Math.min(limits.reply_tokens, usefulReply),
    timeoutMs: 0,
    ...(models.prices && { prices: models.prices }),
    ...(first !== undefined && { sentBefore: { entries: 1, input: first } }),
  });
  return tokens <= left.tokens && usd <= left.usd;
}
