/** The notes that Sonde adds to the planner's input: place and time, the rest of the budget, and what was cut. */
import type { Pool } from '../../core/index.ts';
import {
  applyCut,
  cutToMinimum,
  type Dialogue,
  estimateDialogue,
  type Head,
  inputRoom,
  type Model,
  type Prices,
  turnCost,
} from '../../model/index.ts';
import type { State } from '../graph-state.ts';
import type { AddedText } from '../history/messages.ts';
import { isAutomatic, toDialogue } from '../history/planner-dialogue.ts';
import { replyTokens } from './planner-options.ts';
import { findRepeats, fitResults, type Room } from './round-share.ts';
import { formatWhere, type TurnFacts } from './where-note.ts';

export interface NoteInputs {
  readonly head: Head;
  readonly role: string | null;
  readonly planner: Model;
  readonly pool: Pool;
  readonly prices?: Prices;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly where: TurnFacts;
}

/** Results may use at most this share of the free window. */
const windowShare = 0.9;
/** Results may cost at most this share of the turn's remaining budget. */
const budgetShare = 0.6;
/** The window may be filled up to this share. */
const maxFill = 0.9;

export function createAddedText(state: State, noteInputs: NoteInputs): AddedText {
  const budget = formatBudget(noteInputs.pool);
  const where = isTurnBegin(state.messages) ? formatWhere(noteInputs.where, noteInputs.now) : '';
  return { note: joinNotes([where, budget]), shown: listShown(state, noteInputs) };
}

/**
 * True until the planner first replies to the person's last message. Automatic replies (which shorten the history)
 * don't count.
 */
const isTurnBegin = (messages: State['messages']): boolean =>
  !messages
    .slice(messages.findLastIndex(({ kind }) => kind === 'user') + 1)
    .some((each) => each.kind === 'assistant' && !isAutomatic(each));

const joinNotes = (parts: readonly string[]): string => {
  const nonEmpty = parts.filter((part) => part !== '');
  return nonEmpty.length === 0 ? '' : `(${nonEmpty.join(' ')})`;
};

/** How many characters are shown of each new result that can't be shown in full. */
function listShown({ messages, cut }: State, noteInputs: NoteInputs): AddedText['shown'] {
  const lastIndex = messages.findLastIndex(({ kind }) => kind === 'assistant');
  const unseen = messages.slice(lastIndex + 1).flatMap((each) => (each.kind === 'tool' ? [each] : []));
  if (lastIndex < 0 || unseen.length === 0) return {};
  const { head, role } = noteInputs;
  const earlierDialogue = toDialogue(messages.slice(0, lastIndex), head, { role });
  const repeatedResults = findRepeats(unseen, applyCut(earlierDialogue, cut));
  const newResults = unseen.filter(({ call }) => !(call in repeatedResults));
  return {
    ...repeatedResults,
    ...fitResults(newResults, computeRoom(cutToMinimum(earlierDialogue, cut, 0), cut, noteInputs)),
  };
}

/** The room for results after a dialogue: limited by the window, and by what the pool can pay for. */
function computeRoom(
  earlierDialogue: Dialogue,
  { perGuess = 1, window = Infinity }: State['cut'],
  { planner, pool, prices }: NoteInputs,
): Room {
  const replyLimit = replyTokens(planner);
  const estimate = estimateDialogue(earlierDialogue);
  const windowRoom = Math.min(inputRoom(planner, replyLimit), window) * maxFill - estimate * perGuess;
  const cost = turnCost(planner, earlierDialogue, {
    maxOutputTokens: replyLimit,
    timeoutMs: 1,
    ...(prices && { prices }),
  });
  const { tokens = 0, usd = 0 } = cost;
  const remaining = pool.remaining();
  const usdPerToken = tokens > 0 ? usd / tokens : 0;
  const payable = Math.min(
    remaining.tokens - tokens,
    usdPerToken > 0 ? (remaining.usd - usd) / usdPerToken : Infinity,
  );
  // If the tokenizer is unknown, the reservation may be far above the estimate.
  const overestimate = Math.max(1, (tokens - replyLimit) / (estimate * perGuess));
  const roomTokens = Math.min(windowRoom * windowShare, (payable * budgetShare) / overestimate);
  return { room: Math.max(0, Math.floor(roomTokens)), perGuess };
}

const minuteMs = 60_000;

/** The rest of the budget, so that the planner can decide what is still worth its price. */
function formatBudget(pool: Pool): string {
  const { tokens, usd, wall_ms, calls } = pool.remaining();
  const amounts = [
    ...(Number.isFinite(tokens) ? [`${Math.floor(tokens).toLocaleString('en-US')} tokens`] : []),
    ...(Number.isFinite(usd) ? [`$${usd.toFixed(2)}`] : []),
    ...(Number.isFinite(wall_ms) ? [formatTime(wall_ms)] : []),
    ...(Number.isFinite(calls) ? [`${calls} model calls`] : []),
  ];
  return amounts.length === 0 ? '' : `Left for this turn: ${amounts.join(', ')}.`;
}

function formatTime(ms: number): string {
  return ms < 2 * minuteMs ? `${Math.floor(ms / 1000)} s` : `${Math.floor(ms / minuteMs)} min`;
}
