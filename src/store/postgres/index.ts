/** The store in PostgreSQL. Nothing here is loaded while runs are kept in a file. */

export { drawForRun, noDraw, type PoolState, settleDraw } from '../team-pool.ts';
export { requireRepository, teamAccount, teamRoles } from '../teams.ts';
export { type ClusterFigures, clusterFigures, workspaceFigures } from './cluster-figures.ts';
export { type ClusterState, clusterState, type HostState, type PlaceState } from './cluster-state.ts';
export { type PostgresPool, placeOf } from './connection.ts';
export { openPool } from './database.ts';
export { makeDays } from './days.ts';
export {
  admitFronts,
  type SchemaState,
  schemaState,
  upgradeSchema,
  workspaceSchema,
  workspaceSchemas,
} from './migrate.ts';
export { isMoved, moveStores, type StoreFiles, type StoreMove } from './move-store.ts';
export { openPostgresAlerts, openPostgresQueue } from './open-queue.ts';
export { openPostgresAudit } from './postgres-audit.ts';
export { openPostgresStore } from './postgres-engine.ts';
export { openPostgresHostChannel } from './postgres-host-channel.ts';
export { openPostgresSessions } from './postgres-sessions.ts';
export { openPostgresTeams } from './postgres-teams.ts';
export { pruneShared, type SharedPrune } from './prune-days.ts';
