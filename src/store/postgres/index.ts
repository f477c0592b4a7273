/** The store in PostgreSQL. Nothing here is loaded if runs are stored in a file. */

export { drawForRun, noDraw, type PoolState, settleDraw } from '../team/team-pool.ts';
export { requireRepository, requireTeam, teamAccount, teamRoles } from '../team/teams.ts';
export { type PostgresPool, serverName as placeOf } from './connection.ts';
export { openPool } from './database.ts';
export { isMoved, moveStores, type StoreFiles, type StoreMove } from './move/move-store.ts';
export { openPostgresAlerts, openPostgresQueue } from './queue/open-queue.ts';
export { openPostgresHostChannel } from './queue/postgres-host-channel.ts';
export { makeDays } from './runs/days.ts';
export { openPostgresStore } from './runs/postgres-engine.ts';
export { pruneShared, type SharedPrune } from './runs/prune-days.ts';
export {
  admitFronts,
  listWorkspaceSchemas,
  readSchemaState,
  type SchemaState,
  toWorkspaceSchema,
  upgradeSchema,
} from './schema/migrate.ts';
export { openPostgresSessions } from './sessions/postgres-sessions.ts';
export {
  type ClusterFigures,
  readClusterFigures,
  readWorkspaceFigures,
} from './team/cluster-figures.ts';
export {
  type ClusterState,
  readClusterState,
  type SchemaStatus,
  type WorkspaceStatus,
} from './team/cluster-state.ts';
export { openPostgresAudit } from './team/postgres-audit.ts';
export { openPostgresTeams } from './team/postgres-teams.ts';
export { requireWholeView } from './team/whole-view.ts';
