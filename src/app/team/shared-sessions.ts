/** Conversations of a workspace in the store of a team. */
import type { Sessions, Store } from '../../store/index.ts';
import type { PostgresPool } from '../../store/postgres/index.ts';
import { storeAddress, type Values } from '../config/index.ts';

/** How long a lease lasts without renewal. Milliseconds. */
export const leaseMs = 10_000;
export const renewMs = 3_000;

/** How a front accesses the store. */
export interface FrontAccess {
  /** The team that the front acts for; empty: the operators of the workspace. */
  readonly team: string;
  readonly pool?: PostgresPool;
}

/** How long a front waits for the store. Less than 5 s, after which senders of alerts give up. Milliseconds. */
export const frontPatienceMs = 4_000;

const toFrontOptions = (frontAccess: FrontAccess | undefined) =>
  frontAccess === undefined ? {} : { ...frontAccess, patienceMs: frontPatienceMs };

/** Returns a function that opens sessions and store, each time with new connections. */
export async function createSessionsOpener(
  values: Values,
  schema: string,
  frontAccess?: FrontAccess,
): Promise<() => { readonly sessions: Sessions; readonly store: Store }> {
  const { openPostgresSessions, openPostgresStore } = await import('../../store/postgres/index.ts');
  const options = { url: storeAddress(values), schema, leaseMs, ...toFrontOptions(frontAccess) };
  return () => ({ sessions: openPostgresSessions(options), store: openPostgresStore(options) });
}

export async function openHostChannel(values: Values, schema: string, frontAccess?: FrontAccess) {
  const { openPostgresHostChannel } = await import('../../store/postgres/index.ts');
  return openPostgresHostChannel({
    url: storeAddress(values),
    schema,
    leaseMs,
    ...toFrontOptions(frontAccess),
  });
}

/** Opens the sessions of the configured workspace. */
export async function openWorkspaceSessions(
  values: Values,
): Promise<{ readonly sessions: Sessions; readonly store: Store }> {
  const { toWorkspaceSchema } = await import('../../store/postgres/index.ts');
  return (await createSessionsOpener(values, toWorkspaceSchema(values.workspace)))();
}
