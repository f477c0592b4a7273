/** The ports of a conversation's nodes, besides its state. */
import type { Step } from '../core/index.ts';
import type { ToolClient } from '../tools/index.ts';
import type { Asker } from './ask.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { AutoCompaction } from './history/auto-compaction.ts';
import type { Message } from './history/messages.ts';
import type { Plan } from './planner/plan.ts';
import type { PlannerPorts } from './planner/planner-options.ts';
import type { TurnFacts } from './planner/where-note.ts';
import type { CheckedTurn } from './turn/turn-check.ts';

/** A message of the person for a running turn. */
export interface Steering {
  readonly id: string;
  readonly text: string;
}

export interface GraphPorts extends PlannerPorts {
  /** A step of the turn's run. */
  readonly step: Step;
  /** Ids of the turn's evidence. */
  readonly evidence: () => ReadonlySet<string>;
  readonly ask: Asker;
  readonly tools: Pick<ToolClient, 'list' | 'call'>;
  /** Absent: this planner can delegate nothing. */
  readonly dispatcher?: Dispatcher;
  /** Used in place of the planner's model. */
  readonly plan?: Plan;
  /** Resolved for this turn; passed to the planner, and stored in no state. */
  readonly role: string | null;
  /** Sent to the planner at the beginning of a turn; absent: only the conversation and the date. */
  readonly where?: TurnFacts;
  /** Absent: only the planner itself compacts its history. */
  readonly autoCompaction?: AutoCompaction;
  /** Returns the person's new messages during the turn, and forgets them. */
  readonly steering?: () => readonly Steering[];
  readonly onTool?: (event: ToolEvent) => void;
  /** Checks an answer against the turn; absent: it is not checked. */
  readonly check?: (text: string, messages: readonly Message[]) => Promise<CheckedTurn>;
}

/** `note`: a line for people about the subject, or about the result. */
export type ToolEvent =
  | { readonly kind: 'started'; readonly call: string; readonly name: string; readonly note?: string }
  | {
      readonly kind: 'finished';
      readonly call: string;
      readonly name: string;
      readonly ok: boolean;
      readonly note?: string;
    };
