/** An OpenID provider of a bench: it signs whatever it is asked to. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface Issuer {
  readonly issuer: string;
  /** An access token of a person with these teams. */
  token(person: string, teams: readonly string[], audience: string): Promise<string>;
  close(): Promise<void>;
}

export async function openIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  let issuer = '';
  const server = createServer((request, response) => {
    const body =
      request.url === '/keys'
        ? { keys: [jwk] }
        : {
            ...{ issuer, jwks_uri: `${issuer}/keys`, authorization_endpoint: `${issuer}/auth` },
            ...{ token_endpoint: `${issuer}/token`, response_types_supported: ['code'] },
          };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    token: (person, teams, audience) =>
      new SignJWT({ groups: teams })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'one' })
        .setIssuer(issuer)
        .setSubject(person)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('4h')
        .sign(privateKey),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
