/** What the nodes of a conversation work with, besides its state. */
import type { Step } from '../core/index.ts';
import type { ToolClient } from '../tools/index.ts';
import type { Asker } from './ask.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { AutoCompaction } from './history/auto-compaction.ts';
import type { Message } from './history/messages.ts';
import type { Plan } from './planner/plan.ts';
import type { PlannerPorts } from './planner/planner-options.ts';
import type { CheckedTurn } from './turn/turn-check.ts';

export interface GraphPorts extends PlannerPorts {
  /** A step of the turn's run. */
  readonly step: Step;
  /** Ids of what the turn holds as evidence. */
  readonly evidence: () => ReadonlySet<string>;
  readonly ask: Asker;
  readonly tools: Pick<ToolClient, 'list' | 'call'>;
  /** Absent: this planner can hand on nothing. */
  readonly dispatcher?: Dispatcher;
  /** Used in place of the planner's model. */
  readonly plan?: Plan;
  /** Resolved for this turn; given to the planner, and to no state. */
  readonly role: string | null;
  /** Absent: only the planner itself compacts its history. */
  readonly autoCompaction?: AutoCompaction;
  readonly onTool?: (event: ToolEvent) => void;
  /** Holds an answer against what the turn has; absent: nobody does. */
  readonly check?: (text: string, messages: readonly Message[]) => Promise<CheckedTurn>;
}

/** The note is a line for people: the subject, or the result. */
export type ToolEvent =
  | { readonly kind: 'started'; readonly call: string; readonly name: string; readonly note?: string }
  | {
      readonly kind: 'finished';
      readonly call: string;
      readonly name: string;
      readonly ok: boolean;
      readonly note?: string;
    };
