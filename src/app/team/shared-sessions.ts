/** Conversations of a workspace in the store of a team. */
import type { Sessions, Store } from '../../store/index.ts';
import type { PostgresPool } from '../../store/postgres/index.ts';
import { storeAddress, type Values } from '../config/index.ts';

/** A process that is gone is missed within so long. Milliseconds. */
export const leaseMs = 10_000;
export const renewMs = 3_000;

/** How a front comes to the store. */
export interface AsFront {
  /** In whose name; empty: that of those who run the workspace. */
  readonly team: string;
  readonly pool?: PostgresPool;
}

/** Clients of a front wait for so long while the store is away: senders of alerts give up after 5 s. Milliseconds. */
export const frontPatienceMs = 4_000;

const patienceOf = (asFront: AsFront | undefined) =>
  asFront === undefined ? {} : { ...asFront, patienceMs: frontPatienceMs };

/** Gives what opens them, with connections of their own each time. */
export async function openSharedSessions(
  values: Values,
  schema: string,
  asFront?: AsFront,
): Promise<() => { readonly sessions: Sessions; readonly store: Store }> {
  const { openPostgresSessions, openPostgresStore } = await import('../../store/postgres/index.ts');
  const options = { url: storeAddress(values), schema, leaseMs, ...patienceOf(asFront) };
  return () => ({ sessions: openPostgresSessions(options), store: openPostgresStore(options) });
}

export async function openHostChannel(values: Values, schema: string, asFront?: AsFront) {
  const { openPostgresHostChannel } = await import('../../store/postgres/index.ts');
  return openPostgresHostChannel({ url: storeAddress(values), schema, leaseMs, ...patienceOf(asFront) });
}

/** The sessions of the configured workspace. */
export async function openWorkspaceSessions(
  values: Values,
): Promise<{ readonly sessions: Sessions; readonly store: Store }> {
  const { toWorkspaceSchema } = await import('../../store/postgres/index.ts');
  return (await openSharedSessions(values, toWorkspaceSchema(values.workspace)))();
}
