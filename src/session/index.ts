export { type Asker, type AskOptions, type AskPorts, type ModelAnswer, makeAsker } from './ask.ts';
export { type CheckpointerOptions, ThreadCheckpointer } from './checkpoints/checkpointer.ts';
export type { Dispatch, Dispatcher, DispatchPlace, DispatchResult } from './dispatcher.ts';
export type { Steering, ToolEvent } from './graph-ports.ts';
export { type CompactForm, compactForm, type MemoryCandidate } from './history/compact-form.ts';
export { applyUpdate, type Message, type MessagesUpdate } from './history/messages.ts';
export { type Plan, planWithoutModel } from './planner/plan.ts';
export type { StartedBy } from './planner/where-note.ts';
export {
  type AppliedRole,
  findRoles,
  type RoleMode,
  type RoleQuestion,
  type RoleSources,
} from './roles.ts';
export { runIdsOf } from './tools/delegate.ts';
export { callUntilAnswered, readData, type ToolSuccess, toError } from './tools/tool-data.ts';
export { listMade } from './tools/tool-nodes.ts';
export { dropTurn } from './turn/drop-turn.ts';
export { forkThread } from './turn/fork-thread.ts';
export { type CheckpointNote, listCheckpoints } from './turn/list-checkpoints.ts';
export { type Question, readThread, type ThreadState } from './turn/thread-state.ts';
export { runTurn, type TurnContext, type TurnPorts } from './turn/turn.ts';
export type { CheckedTurn, TurnAnswer, TurnChecker, TurnReader } from './turn/turn-check.ts';
export type { TurnResult } from './turn/turn-result.ts';
export type { TurnInput } from './turn/turn-start.ts';
