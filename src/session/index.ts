export { type Asker, type AskOptions, type AskPorts, type ModelAnswer, makeAsker as asker } from './ask.ts';
export { type CheckpointerOptions, ThreadCheckpointer } from './checkpoints/checkpointer.ts';
export type { Dispatch, Dispatcher, DispatchPlace as DispatchSite, DispatchResult } from './dispatcher.ts';
export type { Steering, ToolEvent } from './graph-ports.ts';
export { type CompactForm, compactForm, type MemoryCandidate } from './history/compact-form.ts';
export { type Message, type MessagesUpdate, withUpdate } from './history/messages.ts';
export { type Plan, planWithoutModel } from './planner/plan.ts';
export type { StartedBy } from './planner/where-note.ts';
export {
  type RoleInUse,
  type RoleMode,
  type RoleQuestion,
  type RoleSources,
  rolesInUse,
} from './roles.ts';
export { runsOf } from './tools/delegated.ts';
export { callUntilAnswered, dataOf, type ToolSuccess, toThrown } from './tools/tool-data.ts';
export { madeIds as listMade } from './tools/tool-nodes.ts';
export { dropTurn } from './turn/drop-turn.ts';
export { forkThread } from './turn/fork-thread.ts';
export { type CheckpointNote, listCheckpoints } from './turn/list-checkpoints.ts';
export { type Question, readThread, type ThreadState } from './turn/thread-state.ts';
export { runTurn, type TurnContext, type TurnPorts } from './turn/turn.ts';
export type { CheckedTurn, TurnAnswer, TurnChecker, TurnReader } from './turn/turn-check.ts';
export type { TurnResult } from './turn/turn-result.ts';
export type { TurnInput } from './turn/turn-start.ts';
