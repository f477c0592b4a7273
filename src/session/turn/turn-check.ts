/** The port by which an answer of a conversation is held against what its turn has. It is a conversation's last word. */
import type { Claim, Pool, RunEvent } from '../../core/index.ts';
import type { Asker } from '../ask.ts';
import type { Message } from '../history/messages.ts';

export interface TurnAnswer {
  readonly text: string;
  /** The conversation up to the answer. */
  readonly messages: readonly Message[];
  /** The log of the turn. */
  readonly events: readonly RunEvent[];
}

/** What the check may ask a model with. */
export interface TurnReader {
  readonly ask: Asker;
  /** Pays for the reader, and for nothing else; null where there is none. */
  readonly pool: Pool | null;
}

export interface CheckedTurn {
  /** The answer, with what its turn does not carry marked in place. */
  readonly text: string;
  readonly claims: readonly Claim[];
  /** What its author is told where it may go back; null where it stands. */
  readonly back: string | null;
  /** Why there was no reader, where there should have been one. */
  readonly note: string | null;
}

/** The same answer of the same turn comes to the same: what it asks is recorded. Throws nothing but a lost lease. */
export type TurnChecker = (answer: TurnAnswer, reader: TurnReader) => Promise<CheckedTurn>;
