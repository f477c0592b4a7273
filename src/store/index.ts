export type { AlertRecords, GroupAlerts, KeptAlert, NewAlert } from './alert-records.ts';
export type { Act, ActName, Actor, Audit, AuditedAct, AuditQuery, AuditRow } from './audit.ts';
export type {
  CheckpointHead,
  CheckpointKey,
  CheckpointPart,
  CheckpointRow,
  Checkpoints,
  Content,
  NewCheckpoint,
  NewWrite,
  StoredWrite,
  ThreadUsage,
} from './checkpoints.ts';
export { type Database, type DatabaseOptions, openDatabase, type Row } from './database.ts';
export { heartbeat } from './heartbeat.ts';
export { type Holder, thisProcess } from './holder.ts';
export type { HostChannel, HostNotice, HostSeat } from './host-channel.ts';
export { openSessionsIn, type Sessions } from './open-sessions.ts';
export { openStore, openStoreIn, type StoreOptions } from './open-store.ts';
export { passingSteps } from './passing-steps.ts';
export { offersAll, ruleInTheWay } from './queue/choice.ts';
export {
  type DeathsKept,
  deathLimits,
  judgeDeaths,
  readDeaths,
  withCrash,
} from './queue/deaths.ts';
export type {
  Claim,
  EnqueueResult,
  Job,
  JobError,
  JobState,
  NewJob,
  Queue,
  QueueRule,
  QueueWorker,
  Settlement,
} from './queue/queue.ts';
export { queueSchema } from './queue/queue-schema.ts';
export { type ClaimEnd, isStoreTrouble, jobError, type WorkOff, workOff } from './queue/work-off.ts';
export { type Role, type RoleLevel, type RolePlace, type Roles, roleLevels } from './roles.ts';
export { type RunWriter, writerOf } from './run-writer.ts';
export { fireJob } from './schedule-rules.ts';
export type {
  Fire,
  FireEnd,
  FireOutcome,
  MissedPolicy,
  NewFire,
  Schedule,
  ScheduleLimits,
  ScheduleRow,
  Schedules,
  Trigger,
} from './schedules.ts';
export { fireOf, fireTopic, heldCode } from './schedules.ts';
export type { Migration, Schema } from './schema.ts';
export { sessionSchema } from './session-schema.ts';
export { balanceOf } from './shared-accounts.ts';
export { auditTable, runsSchema } from './sqlite/migrations.ts';
export { hasTable, sqliteState } from './sqlite/read-only.ts';
export { openQueueIn } from './sqlite/sqlite-queue.ts';
export { keepAct } from './sqlite/sqlite-writes.ts';
export { openSteps, type StepPorts } from './steps.ts';
export type {
  Accounts,
  CommitOptions,
  Lease,
  NewRun,
  RunRow,
  RunStatus,
  RunTable,
  Snapshot,
  Snapshots,
  Store,
} from './store.ts';
export type { TeamGrant, TeamPlace, TeamRole, TeamRow, Teams } from './teams.ts';
export type { ChannelRow, Channels, ThreadLease, ThreadRow, Threads } from './threads.ts';
