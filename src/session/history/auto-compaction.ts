/**
 * Automatic compaction: when a conversation approaches the planner's context window, its oldest turns are compacted
 * before the planner is called again. This is done by a call of `compact_history` like the planner's own, so that it
 * appears in the history, the stream and the log of the run, and is repeated after a crash like any call.
 */
import {
  countDialogue,
  countTokens,
  type Dialogue,
  type DialogueCut,
  estimateDialogue,
} from '../../model/index.ts';
import { replyTokens } from '../planner/planner-options.ts';
import type { Message, ToolCallMessage } from './messages.ts';
import { isAutomatic } from './planner-dialogue.ts';
import { formatTranscript } from './transcript.ts';

export interface AutoCompaction {
  /** Size of the prompt, with room for its reply, at which the oldest turns are compacted. Tokens. */
  readonly threshold: number;
  /** The planner's window, in tokens. */
  readonly window: number;
}

/** Turns that stay: the current one and the one before, if that frees enough room. */
const keptTurns = 2;

/** The arguments of the call; null if there is room, if there are no older turns, or if this turn already tried it. */
export function findDueCompaction(
  messages: readonly Message[],
  /** The whole dialogue. */
  dialogue: Dialogue,
  { perGuess = 1 }: DialogueCut,
  { threshold, window }: AutoCompaction,
): ToolCallMessage['args'] | null {
  const turnStarts = messages.flatMap((each, index) => (each.kind === 'user' ? [index] : []));
  const currentTurn = messages.slice(turnStarts.at(-1) ?? 0);
  // The current turn always stays: without at least two messages before it there is nothing to compact.
  if ((turnStarts.at(-1) ?? 0) < 2 || currentTurn.some(isAutomatic)) return null;
  // The estimate is quick and errs on the high side, so tokens are counted only near the limit.
  const replyReserve = replyTokens({ contextWindow: window });
  if (estimateDialogue(dialogue) * Math.max(1, perGuess) + replyReserve < threshold) return null;
  const tokens = countDialogue(dialogue) + replyReserve;
  if (tokens < threshold) return null;
  const firstKept = turnStarts.at(-keptTurns) ?? 0;
  const isEnough =
    firstKept >= 2 && countTokens(formatTranscript(messages.slice(firstKept))) <= threshold / 2;
  return {
    keep_turns: isEnough ? keptTurns : 1,
    automatic: `${formatCount(tokens)} of ${formatCount(window)} tokens`,
  };
}

const formatCount = (tokens: number): string => tokens.toLocaleString('en-US');
