/** The connections of an HTTP server's clients: one for each token, as long as the server runs. */
import { hostname } from 'node:os';
import { sha256 } from '../../core/index.ts';
import {
  type CapabilitySetName,
  type Connection,
  capabilitySet,
  externalConnection,
  intersectCapabilities,
} from '../../tools/index.ts';
import type { TokenCheck } from './token-check.ts';
import type { Token } from './tokens.ts';

export interface Clients {
  /** See `Holders` of the HTTP server. */
  findConnection(shown: string): Connection | 'wrong_place' | null;
  /** Null: the connection is no client's. */
  tokenOf(connection: Connection): Token | null;
}

/** `asked`: the capability set of the server, which limits every token; null: no limit. */
export function openClients(
  tokenCheck: Pick<TokenCheck, 'check'>,
  serverSet: CapabilitySetName | null,
): Clients {
  const clients = new Map<string, { readonly token: Token; readonly connection: Connection }>();
  return {
    findConnection(shown) {
      const entry = tokenCheck.check(shown);
      if (entry.kind !== 'holder') return entry.kind === 'unknown' ? null : 'wrong_place';
      const { token } = entry;
      // A token that was made again under the same name belongs to a new client, which has read nothing yet.
      // An access token lives for minutes: the next one of the same person is the same client.
      const key = token.team === undefined ? sha256(shown) : `${token.team} ${token.name} ${token.allow}`;
      const earlier = clients.get(key);
      if (earlier !== undefined) return earlier.connection;
      const connection = externalConnection(token.name, hostname(), limitCapabilities(token, serverSet));
      clients.set(key, { token, connection });
      return connection;
    },
    tokenOf: (connection) =>
      [...clients.values()].find((client) => client.connection === connection)?.token ?? null,
  };
}

function limitCapabilities(
  { allow }: Token,
  serverSet: CapabilitySetName | null,
): Connection['capabilities'] {
  const tokenSet = allow === null ? new Set<never>() : capabilitySet(allow);
  return serverSet === null ? tokenSet : intersectCapabilities(capabilitySet(serverSet), tokenSet);
}
