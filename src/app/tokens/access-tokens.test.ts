/** Access tokens of a real provider on loopback: which are let in, as whom, and why others are not. */
import { Hono } from 'hono';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mcpHandler, openToolHost } from '../../tools/index.ts';
import { tokenRights } from '../http/askers.ts';
import { readBearer, type ServerEnvironment } from '../server/server-part.ts';
import { openAccessTokens } from './access-tokens.ts';
import { openClients } from './clients.ts';
import { openTestProvider, type TestProvider } from './testbed/provider.contract.ts';
import { createRecordingTools } from './testbed/seeing-tools.ts';

const audience = 'https://sonde.example.com';
const place = { kind: 'workspace', workspace: 'notes', id: 'ws-1' } as const;

let provider: TestProvider;
let now: number;
/** The teams that may do something here. */
let welcome: readonly string[];

beforeEach(async () => {
  now = Date.now();
  welcome = ['red'];
  provider = await openTestProvider({ ann: ['red', 'green'], bob: ['blue'], 'odd/name': ['red'] });
});
afterEach(() => provider.close());

/** A server that says who came in. */
function serve() {
  const local = {
    check: (shown: string | null) =>
      shown === 'local' ? ({ kind: 'wrong_place' } as const) : ({ kind: 'unknown' } as const),
  };
  const access = openAccessTokens(local, {
    ...{ issuer: provider.issuer, audience, teamClaim: 'groups', place, publicUrl: audience },
    rightsFor: async (teams) =>
      teams.some((team) => welcome.includes(team)) ? { ...tokenRights.operator, team: 'red' } : null,
    now: () => now,
  });
  const app = new Hono<ServerEnvironment>();
  access.part.mount(app);
  app.get('/who', ({ req }) => {
    const entry = access.tokenCheck.check(readBearer(req.raw.headers));
    if (entry.kind === 'unknown') return Response.json({ error: 'unknown' }, { status: 401 });
    if (entry.kind === 'wrong_place') return Response.json({ error: 'elsewhere' }, { status: 403 });
    const { name, allow, team } = entry.token;
    return Response.json({ name, allow, team });
  });
  const ask = async (token: string | null, path = '/who') => {
    const response = await app.request(`${audience}${path}`, {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
    return {
      status: response.status,
      challenge: response.headers.get('www-authenticate') ?? '',
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  return { ask, door: access.tokenCheck };
}

const seconds = () => Math.floor(Date.now() / 1000);
const claims = () => ({
  ...{ iss: provider.issuer, aud: audience, sub: 'ann', groups: ['red'] },
  ...{ iat: seconds(), exp: seconds() + 60 },
});

it('a member of a team is let in under a name, with what the team may do', async () => {
  const { ask, door } = serve();
  const token = await provider.token('ann', audience);
  expect(await ask(token)).toMatchObject({
    status: 200,
    body: { name: 'oidc.ann', allow: 'operator', team: 'red' },
  });
  expect(door.check(token)).toMatchObject({ kind: 'holder' });
  const odd = await ask(await provider.token('odd/name', audience));
  expect(odd.body['name']).toMatch(/^oidc\.odd_name-[0-9a-f]{8}$/);
  expect((await ask(await provider.token('bob', audience))).status).toBe(403);
  expect((await ask('local')).status).toBe(403);
});

it.each<[string, RegExp, () => Promise<string>]>([
  ['for another audience', /another audience/, () => provider.token('ann', 'https://other.example.com')],
  ['that is an ID token', /no access token/, () => provider.sign(claims(), { typ: 'JWT' })],
  ['that has expired', /expired/, () => provider.sign({ ...claims(), exp: seconds() - 60 })],
  ['without an end', /no access token|claim exp/, () => provider.sign({ ...claims(), exp: undefined })],
  ['of nobody', /claim sub/, () => provider.sign({ ...claims(), sub: undefined })],
  ['of nobody, in as many words', /claim sub/, () => provider.sign({ ...claims(), sub: null as never })],
  ['of an empty subject', /claim sub/, () => provider.sign({ ...claims(), sub: '' })],
  ['without an end that comes', /claim exp/, () => provider.sign({ ...claims(), exp: 1e300 })],
  ['made later', /claim iat/, () => provider.sign({ ...claims(), iat: seconds() + 6_000 })],
  ['of another issuer', /claim iss/, () => provider.sign({ ...claims(), iss: 'https://evil.example.com' })],
  ['that nobody signed', /not at all|no access token/, async () => new UnsecuredJWT(claims()).encode()],
  [
    'that is signed with a secret',
    /signed in a way/,
    () =>
      new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .sign(new TextEncoder().encode('the-public-key-of-the-provider-as-a-secret')),
  ],
  [
    'that was changed',
    /no key of the provider|no access token/,
    async () => {
      const [head, , mac] = (await provider.sign(claims())).split('.');
      const body = Buffer.from(JSON.stringify({ ...claims(), sub: 'bob' })).toString('base64url');
      return `${head}.${body}.${mac}`;
    },
  ],
])('a token %s is refused, and the answer says why and where to get one', async (_name, why, make) => {
  const { ask, door } = serve();
  const token = await make();
  const { status, challenge, body } = await ask(token);
  expect([status, challenge]).toEqual([401, expect.stringMatching(/error="invalid_token"/)]);
  expect(challenge).toContain(
    'resource_metadata="https://sonde.example.com/.well-known/oauth-protected-resource/mcp"',
  );
  expect(String(body['error_description'])).toMatch(why);
  expect(JSON.stringify(body) + challenge).not.toContain(token);
  expect(door.check(token).kind).toBe('unknown');
});

it('a key that is new is found, and tokens of one that is gone are refused', async () => {
  const { ask } = serve();
  const before = await provider.token('ann', audience);
  expect((await ask(before)).status).toBe(200);
  await provider.rotate();
  const after = await provider.token('ann', audience);
  await expect.poll(async () => (await ask(after)).status, { timeout: 10_000, interval: 300 }).toBe(200);
  // Known ones are looked at again after a minute.
  now += 61_000;
  expect((await ask(before)).status).toBe(401);
  expect((await ask(after)).status).toBe(200);
});

it('while the issuer is away, the answer says so with a remedy, and local tokens are let in', async () => {
  const { ask } = serve();
  const token = await provider.token('ann', audience);
  await provider.leave();
  const { status, body } = await ask(token);
  expect([status, body]).toMatchObject([
    503,
    { error: { code: 'tool_failed', message: expect.stringContaining(provider.issuer) } },
  ]);
  expect(JSON.stringify(body)).toContain('oidc_issuer');
  expect((await ask('local')).status).toBe(403);
  await provider.rotate();
  expect((await ask(await provider.token('ann', audience))).status).toBe(200);
});

it('who was let in stays so until the token expires, and no longer', async () => {
  const { ask, door } = serve();
  const token = await provider.sign(claims());
  await ask(token);
  now += 50_000;
  expect(door.check(token).kind).toBe('holder');
  now += 20_000;
  expect(door.check(token).kind).toBe('unknown');
});

it('a team that is let in no longer is refused with the next request, and where a stream looks', async () => {
  const { ask, door } = serve();
  const token = await provider.token('ann', audience);
  expect((await ask(token)).status).toBe(200);
  welcome = [];
  expect((await ask(token)).status).toBe(403);
  welcome = ['red'];
  expect((await ask(token)).status).toBe(200);
  welcome = [];
  // No request comes: the first look asks, and a later one has the answer.
  await expect.poll(() => door.check(token).kind).toBe('wrong_place');
});

it('a stream that looks finds a token of a key that is gone refused', async () => {
  const { ask, door } = serve();
  const token = await provider.sign({ ...claims(), exp: seconds() + 600 });
  await ask(token);
  await provider.rotate();
  const after = await provider.token('ann', audience);
  await expect.poll(async () => (await ask(after)).status, { timeout: 10_000, interval: 300 }).toBe(200);
  now += 61_000;
  await expect.poll(() => door.check(token).kind, { timeout: 10_000, interval: 300 }).toBe('unknown');
});

it('opens tools over MCP, as the form of its token is let through', async () => {
  const { ask, door } = serve();
  const token = await provider.token('ann', audience);
  await ask(token);
  const { tools } = createRecordingTools();
  const face = await mcpHandler({
    ...{ host: openToolHost({ tools }), version: '0' },
    grants: { findConnection: (shown) => openClients(door, null).findConnection(shown) },
  });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const answer = await face.answer(
    new Request(`${audience}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(list),
    }),
  );
  expect(answer.status).toBe(200);
  await face.close();
});

it('whoever comes without a token is told where the provider is', async () => {
  const { ask } = serve();
  const { status, challenge } = await ask(null);
  expect(status).toBe(401);
  const url = /resource_metadata="([^"]+)"/.exec(challenge)![1]!;
  const { body } = await ask(null, new URL(url).pathname);
  expect(body).toMatchObject({
    resource: 'https://sonde.example.com/mcp',
    authorization_servers: [expect.stringContaining(provider.issuer)],
  });
});
