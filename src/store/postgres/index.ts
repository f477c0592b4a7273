/** The part of this room that a team needs: nothing of it is loaded where runs are kept in a file. */

export { placeOf } from './connection.ts';
export { type SchemaState, schemaState, upgradeSchema } from './migrate.ts';
export { isMoved, moveStore, type StoreMove } from './move-store.ts';
export { openPostgresAlerts, openPostgresQueue } from './open-queue.ts';
export { openPostgresStore } from './postgres-engine.ts';
