/** The port that checks the answer of a turn against the turn's evidence, as the last step of the turn. */
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

/** The model that the check may use. */
export interface TurnReader {
  readonly ask: Asker;
  /** Pays for the reader only; null for none. */
  readonly pool: Pool | null;
}

export interface CheckedTurn {
  /** The answer, with unsupported claims marked in place. */
  readonly text: string;
  readonly claims: readonly Claim[];
  /** The objections that ask the model for a revision; null if there are none. */
  readonly objections: string | null;
  /** Why no reader was used, if one was expected. */
  readonly note: string | null;
}

/**
 * Deterministic for the same answer of the same turn: its questions are recorded. Throws only if the lease is lost.
 */
export type TurnChecker = (answer: TurnAnswer, reader: TurnReader) => Promise<CheckedTurn>;
