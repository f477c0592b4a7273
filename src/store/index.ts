export type { AlertRecords, GroupAlerts, KeptAlert, NewAlert } from './alert-records.ts';
export type { Act, ActName, Actor, Audit, AuditedAct, AuditQuery, AuditRow } from './audit.ts';
export { type Database, type DatabaseOptions, openDatabase, type Row } from './database.ts';
export { type Holder, thisProcess } from './holder.ts';
export type { HostChannel, HostFile, HostNotice, HostSeat } from './host-channel.ts';
export { openStore, openStoreIn, type StoreOptions } from './open-store.ts';
export { findBlockingRule, meetsNeeds } from './queue/choose-jobs.ts';
export {
  addCrash,
  type DeathRecord,
  deathLimits,
  judgeDeaths,
  readDeaths,
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
export {
  type ClaimEnd,
  isStoreError,
  toJobError,
  type WorkOff,
  workOff,
} from './queue/work-off.ts';
export { startHeartbeat } from './runs/heartbeat.ts';
export { type RunWriter, writerOf } from './runs/run-writer.ts';
export { openSteps, type StepPorts } from './runs/steps.ts';
export { openTransientSteps } from './runs/transient-steps.ts';
export type { Migration, Schema } from './schema.ts';
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
} from './sessions/checkpoints.ts';
export { openSessionsIn, type Sessions } from './sessions/open-sessions.ts';
export { type Role, type RoleLevel, type RolePlace, type Roles, roleLevels } from './sessions/roles.ts';
export { createFireJob } from './sessions/schedule-rules.ts';
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
} from './sessions/schedules.ts';
export { fireTopic, heldCode, toFire } from './sessions/schedules.ts';
export { sessionSchema } from './sessions/session-schema.ts';
export type { ChannelRow, Channels, ThreadLease, ThreadRow, Threads } from './sessions/threads.ts';
export { auditTable, runsSchema } from './sqlite/migrations.ts';
export { hasTable, readSqliteState } from './sqlite/read-only.ts';
export { openQueueIn } from './sqlite/sqlite-queue.ts';
export { recordAct } from './sqlite/sqlite-writes.ts';
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
export { readBalance } from './team/shared-accounts.ts';
export type { TeamGrant, TeamPlace, TeamRole, TeamRow, Teams } from './team/teams.ts';
