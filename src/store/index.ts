export type { AlertRecords, GroupAlerts, KeptAlert, NewAlert } from './alert-records.ts';
export type { Act, ActName, Actor, Audit, AuditedAct, AuditQuery, AuditRow } from './audit.ts';
export { type Database, type DatabaseOptions, openDatabase, type Row } from './database.ts';
export { type Holder, thisProcess } from './holder.ts';
export type { HostChannel, HostFile, HostNotice, HostSeat } from './host-channel.ts';
export { openStore, openStoreIn, type StoreOptions } from './open-store.ts';
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
export { heartbeat } from './runs/heartbeat.ts';
export { passingSteps } from './runs/passing-steps.ts';
export { type RunWriter, writerOf } from './runs/run-writer.ts';
export { openSteps, type StepPorts } from './runs/steps.ts';
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
export { fireJob } from './sessions/schedule-rules.ts';
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
export { fireOf, fireTopic, heldCode } from './sessions/schedules.ts';
export { sessionSchema } from './sessions/session-schema.ts';
export type { ChannelRow, Channels, ThreadLease, ThreadRow, Threads } from './sessions/threads.ts';
export { auditTable, runsSchema } from './sqlite/migrations.ts';
export { hasTable, sqliteState } from './sqlite/read-only.ts';
export { openQueueIn } from './sqlite/sqlite-queue.ts';
export { keepAct } from './sqlite/sqlite-writes.ts';
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
export { balanceOf } from './team/shared-accounts.ts';
export type { TeamGrant, TeamPlace, TeamRole, TeamRow, Teams } from './team/teams.ts';
