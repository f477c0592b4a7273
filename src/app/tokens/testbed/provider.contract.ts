/** An OpenID provider on this machine, whose clients get access tokens for themselves. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

export interface TestProvider {
  readonly issuer: string;
  /** By the provider itself. `client`: also the subject. */
  token(client: string, resource: string, scope?: string): Promise<string>;
  /** Signed with the provider's key, whatever it says. */
  sign(
    claims: Readonly<Record<string, unknown>>,
    header?: { readonly typ?: string; readonly alg?: string },
  ): Promise<string>;
  /** Keys from before are gone. */
  rotate(): Promise<void>;
  /** Until it is back, nobody answers. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** `groups`: the claim of each client. */
export async function openTestProvider(
  groups: Readonly<Record<string, readonly string[]>>,
): Promise<TestProvider> {
  let answer: RequestListener = (_, response) => response.destroy();
  let privateKey: CryptoKey;
  let kid = '';
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function rotate(): Promise<void> {
    const pair = await generateKeyPair('RS256', { extractable: true });
    privateKey = pair.privateKey;
    kid = `key-${Math.random().toString(36).slice(2)}`;
    const jwk = { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
    const scope = 'sonde.reader sonde.operator sonde.author';
    const provider = new Provider(issuer, {
      clients: Object.keys(groups).map((client_id) => ({
        ...{ client_id, client_secret: 'a-secret-of-the-test', grant_types: ['client_credentials'] },
        ...{ redirect_uris: [], response_types: [] },
      })),
      jwks: { keys: [jwk] },
      cookies: { keys: ['a-key-of-the-test'] },
      scopes: scope.split(' '),
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_: unknown, audience: string) => ({
            ...{ scope, audience, accessTokenFormat: 'jwt', accessTokenTTL: 600 },
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
      extraTokenClaims: (_: unknown, token: { readonly clientId: string }) => ({
        groups: groups[token.clientId] ?? [],
      }),
    });
    answer = provider.callback();
  }
  await rotate();
  return {
    issuer,
    async token(client, resource, scope) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', resource });
      if (scope !== undefined) body.set('scope', scope);
      const authorization = `Basic ${Buffer.from(`${client}:a-secret-of-the-test`).toString('base64')}`;
      const response = await fetch(`${issuer}/token`, { method: 'POST', body, headers: { authorization } });
      const reply = (await response.json()) as { readonly access_token?: string };
      if (reply.access_token === undefined) throw new Error(JSON.stringify(reply));
      return reply.access_token;
    },
    sign: (claims, { typ = 'at+jwt' } = {}) =>
      new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'RS256', typ, kid }).sign(privateKey),
    rotate,
    async leave() {
      answer = (_, response) => response.destroy();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
