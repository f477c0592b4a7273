/** What the program adds to what the planner is to answer: the day, what is left of the budget, what had to be cut. */
import type { Pool } from '../core/index.ts';
import { estimateDialogue, type Head, inputRoom, type Model, shortest } from '../model/index.ts';
import type { State } from './graph-state.ts';
import type { Added, Message } from './messages.ts';
import { replyTokens } from './planner-options.ts';
import { roundShare } from './round-share.ts';
import { dialogueOf } from './talk.ts';

export interface Standing {
  readonly head: Head;
  readonly role: string | null;
  readonly planner: Model;
  readonly pool: Pool;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Of the room that a round finds where all before it gives way, for its results. */
const roundPart = 0.9;
/** Fuller than this the window is not filled. */
const full = 0.9;

export function addedTo({ messages, cut }: State, standing: Standing): Added {
  const last = messages.at(-1);
  const budget = budgetNote(standing.pool);
  if (last?.kind !== 'tool') {
    const day = `Today is ${new Date(standing.now).toISOString().slice(0, 10)}.`;
    return { note: noteOf([day, budget]), shown: {} };
  }
  return { note: noteOf([budget]), shown: fresh(messages, cut, standing) };
}

const noteOf = (parts: readonly string[]): string => {
  const said = parts.filter((part) => part !== '');
  return said.length === 0 ? '' : `(${said.join(' ')})`;
};

/** What came since the planner's last word, where it is more than there is room for. */
function fresh(messages: readonly Message[], cut: State['cut'], { head, role, planner }: Standing) {
  const asked = messages.findLastIndex(({ kind }) => kind === 'assistant');
  const results = messages.slice(asked).flatMap((each) => (each.kind === 'tool' ? [each] : []));
  const { perGuess = 1 } = cut;
  const window = Math.min(inputRoom(planner, replyTokens(planner)), cut.window ?? Infinity);
  const before = shortest(dialogueOf(messages.slice(0, asked), head, { role }), cut, 0);
  const room = Math.floor((window * full - estimateDialogue(before) * perGuess) * roundPart);
  return roundShare(results, { room, perGuess });
}

const minute = 60_000;

/** For who has to decide what is still worth its price. */
function budgetNote(pool: Pool): string {
  const { tokens, usd, wall_ms, calls } = pool.remaining();
  const left = [
    ...(Number.isFinite(tokens) ? [`${Math.floor(tokens).toLocaleString('en-US')} tokens`] : []),
    ...(Number.isFinite(usd) ? [`$${usd.toFixed(2)}`] : []),
    ...(Number.isFinite(wall_ms) ? [timeOf(wall_ms)] : []),
    ...(Number.isFinite(calls) ? [`${calls} calls of models`] : []),
  ];
  return left.length === 0 ? '' : `Left for this turn: ${left.join(', ')}.`;
}

function timeOf(ms: number): string {
  return ms < 2 * minute ? `${Math.floor(ms / 1000)} s` : `${Math.floor(ms / minute)} min`;
}
