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
  findConnection(bearerToken: string): Connection | 'wrong_place' | null;
  /** The token of a connection; null: the connection belongs to no client. */
  tokenOf(connection: Connection): Token | null;
}

/** `serverSet`: the capability set of the server, which limits every token; null: no limit. */
export function openClients(
  tokenCheck: Pick<TokenCheck, 'check'>,
  serverSet: CapabilitySetName | null,
): Clients {
  const clients = new Map<string, { readonly token: Token; readonly connection: Connection }>();
  return {
    findConnection(bearerToken) {
      const entry = tokenCheck.check(bearerToken);
      if (entry.kind !== 'holder') return entry.kind === 'unknown' ? null : 'wrong_place';
      const { token } = entry;
      // The key is the token, not its name: a new token with an old name is a new client, which has read nothing yet.
      // An access token lives for minutes: the next one of the same person is the same client.
      const key =
        token.team === undefined ? sha256(bearerToken) : `${token.team} ${token.name} ${token.allow}`;
      const earlierClient = clients.get(key);
      if (earlierClient !== undefined) return earlierClient.connection;
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
