/** Tokens, and the connection that each of them gives. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { SondeError, sha256 } from '../../core/index.ts';
import type { Connection } from './connection.ts';

const tokenBytes = 32;
const tokenShape = /^[A-Za-z0-9_-]{43}$/;

/** 256 bits, as 43 letters. */
export const newToken = (): string => randomBytes(tokenBytes).toString('base64url');

export interface Grants {
  /**
   * Grants access with a token that is created here or passed in. Throws `bad_argument` for a token that is too weak.
   */
  issue(connection: Connection, token?: string): string;
  /** Makes the token invalid. */
  revoke(token: string): void;
  /** The connection of the token; null for a wrong one. Every wrong token takes the same time. */
  findConnection(token: string): Connection | null;
}

/** Hashes have one length, so that comparing them reveals nothing of the token. */
const digest = (token: string): Buffer => Buffer.from(sha256(token), 'hex');

export function openGrants(): Grants {
  const grants: { readonly digest: Buffer; readonly connection: Connection }[] = [];
  return {
    issue(connection, token = newToken()) {
      if (!tokenShape.test(token))
        throw new SondeError('bad_argument', {
          message: 'a token for HTTP is not 256 bits long',
          remedy: 'Let one be made: delete the file that it was read from.',
        });
      grants.push({ digest: digest(token), connection });
      return token;
    },
    revoke(token) {
      const revoked = digest(token);
      const index = grants.findIndex((grant) => timingSafeEqual(grant.digest, revoked));
      if (index >= 0) grants.splice(index, 1);
    },
    findConnection(token) {
      const wanted = digest(token);
      let found: Connection | null = null;
      // All tokens are compared, even after a match, so that the time reveals nothing.
      for (const grant of grants) if (timingSafeEqual(grant.digest, wanted)) found = grant.connection;
      return found;
    },
  };
}
