/** The connections of an HTTP server's clients: each token is one, for as long as the server runs. */
import { hostname } from 'node:os';
import { sha256 } from '../../core/index.ts';
import {
  type CapabilitySetName,
  type Connection,
  capabilitySet,
  childSet,
  outside,
} from '../../tools/index.ts';
import type { Door } from './door.ts';
import type { Token } from './tokens.ts';

export interface Clients {
  /** As `Holders` of the HTTP server. */
  holder(shown: string): Connection | 'elsewhere' | null;
  /** Null: it is no client's. */
  tokenOf(connection: Connection): Token | null;
}

/** `asked`: the set that the server was started with, which no token exceeds; null where none was named. */
export function clientsOf(door: Pick<Door, 'enter'>, asked: CapabilitySetName | null): Clients {
  const known = new Map<string, { readonly token: Token; readonly connection: Connection }>();
  return {
    holder(shown) {
      const entry = door.enter(shown);
      if (entry.kind !== 'holder') return entry.kind === 'unknown' ? null : 'elsewhere';
      const { token } = entry;
      // A token that was made anew under its name is another client's, which has read nothing yet.
      const key = sha256(shown);
      const before = known.get(key);
      if (before !== undefined) return before.connection;
      const connection = outside(token.name, hostname(), capabilitiesOf(token, asked));
      known.set(key, { token, connection });
      return connection;
    },
    tokenOf: (connection) => [...known.values()].find((one) => one.connection === connection)?.token ?? null,
  };
}

function capabilitiesOf({ allow }: Token, asked: CapabilitySetName | null): Connection['capabilities'] {
  const own = allow === null ? new Set<never>() : capabilitySet(allow);
  return asked === null ? own : childSet(capabilitySet(asked), own);
}
