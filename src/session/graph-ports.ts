/** What the nodes of a conversation work with, besides its state. */
import type { Pool } from '../core/index.ts';
import type { ToolClient } from '../tools/index.ts';
import type { Asker } from './ask.ts';
import type { AutoCompaction } from './auto-compaction.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Plan } from './plan.ts';
import type { TurnLog } from './turn-log.ts';

export interface GraphPorts {
  readonly ask: Asker;
  readonly tools: Pick<ToolClient, 'list' | 'call'>;
  /** Absent: this planner can hand on nothing. */
  readonly dispatcher?: Dispatcher;
  readonly pool: Pool;
  /** In place of the planner's model. */
  readonly plan?: Plan;
  /** Of the planner: tokens that it takes at once. */
  readonly window: number;
  /** Resolved for this turn; given to the planner, and to no state. */
  readonly role: string | null;
  /** Absent: only the planner itself compacts its history. */
  readonly autoCompaction?: AutoCompaction;
  readonly log: TurnLog;
  readonly onText?: (piece: string) => void;
  readonly onTool?: (event: ToolEvent) => void;
}

/** The note is a line for people: what it is about, or what came of it. */
export type ToolEvent =
  | { readonly kind: 'started'; readonly call: string; readonly name: string; readonly note?: string }
  | {
      readonly kind: 'finished';
      readonly call: string;
      readonly name: string;
      readonly ok: boolean;
      readonly note?: string;
    };
