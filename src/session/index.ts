export { type Asked, type Asker, type AskOptions, type AskPorts, asker } from './ask.ts';
export { type CheckpointerOptions, ThreadCheckpointer } from './checkpointer.ts';
export { type CompactForm, compactForm, type MemoryCandidate } from './compact-form.ts';
export { condense } from './condense.ts';
export type { Dispatch, Dispatched, Dispatcher, DispatchSite } from './dispatcher.ts';
export { dropTurn } from './drop-turn.ts';
export type { ToolEvent } from './graph-ports.ts';
export { runsOf } from './handed-on.ts';
export { type Message, type MessagesUpdate, withUpdate } from './messages.ts';
export { type Plan, planWithoutModel } from './plan.ts';
export type { RoleMode, RoleQuestion, RoleSources } from './roles.ts';
export {
  type DeliveredFire,
  type RunnerPorts,
  type ScheduleRunner,
  scheduleRunner,
  type WorkspaceEvent,
} from './schedules/runner.ts';
export { type Compiling, type StagedRun, type StagedWatch, stagedGraph } from './staged-graph.ts';
export { talkGraph } from './talk-graph.ts';
export { type Question, readThread, type ThreadState } from './thread-state.ts';
export { dataOf, type ToolSuccess, toThrown, callUntilAnswered } from './tool-data.ts';
export { listMade } from './tool-nodes.ts';
export { runTurn, type Shared, type TurnPorts } from './turn.ts';
export type { TurnResult } from './turn-result.ts';
export type { TurnInput } from './turn-start.ts';
