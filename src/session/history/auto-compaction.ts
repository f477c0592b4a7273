/**
 * Automatic compaction: when a conversation approaches the planner's context window, its oldest turns are compacted
 * before the planner is called again. It is a call of `compact_history` like the planner's own, so it appears in the
 * history, in the stream and in the log of the run, and after a crash it is treated like any call.
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
import { isAutomatic } from './talk.ts';
import { transcriptOf } from './transcript.ts';

export interface AutoCompaction {
  /** Size of the prompt, with room for its reply, at which the oldest turns are compacted. Tokens. */
  readonly at: number;
  /** The planner's window, in tokens. */
  readonly window: number;
}

/** Turns that stay: the current one and the one before, if that frees enough room. */
const keptTurns = 2;

/** The arguments of the call; null if there is room, nothing old, or this turn already tried it. */
export function dueCompaction(
  messages: readonly Message[],
  /** The whole dialogue. */
  dialogue: Dialogue,
  { perGuess = 1 }: DialogueCut,
  { at, window }: AutoCompaction,
): ToolCallMessage['args'] | null {
  const starts = messages.flatMap((each, index) => (each.kind === 'user' ? [index] : []));
  const turn = messages.slice(starts.at(-1) ?? 0);
  // The current turn always stays: without at least two messages before it there is nothing to compact.
  if ((starts.at(-1) ?? 0) < 2 || turn.some(isAutomatic)) return null;
  // The estimate is quick and errs high; only near the limit is it worth counting.
  const reply = replyTokens({ contextWindow: window });
  if (estimateDialogue(dialogue) * Math.max(1, perGuess) + reply < at) return null;
  const tokens = countDialogue(dialogue) + reply;
  if (tokens < at) return null;
  const kept = starts.at(-keptTurns) ?? 0;
  const isEnough = kept >= 2 && countTokens(transcriptOf(messages.slice(kept))) <= at / 2;
  return {
    keep_turns: isEnough ? keptTurns : 1,
    automatic: `${thousands(tokens)} of ${thousands(window)} tokens`,
  };
}

const thousands = (tokens: number): string => tokens.toLocaleString('en-US');
