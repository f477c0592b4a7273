export { type Asked, type Asker, type AskOptions, type AskPorts, asker } from './ask.ts';
export { firewall, quoteMaterial } from './boundary.ts';
export { type CheckpointerOptions, ThreadCheckpointer } from './checkpointer.ts';
export { type CompactForm, compactForm, type MemoryCandidate, memoryCandidate } from './compact-form.ts';
export { type Message, type MessagesUpdate, message, withUpdate } from './messages.ts';
export { type RoleMode, type RoleQuestion, type RoleSources, resolvedRole } from './roles.ts';
export {
  type DeliveredFire,
  type RunnerPorts,
  type ScheduleRunner,
  scheduleRunner,
  type WorkspaceEvent,
} from './schedules/runner.ts';
