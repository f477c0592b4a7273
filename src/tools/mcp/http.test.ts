/** What the server refuses before any tool is reached. */
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, outsider } from '../client.contract.ts';
import { openToolHost } from '../open-host.ts';
import { plainTools, type RecordedCall } from '../testbed/plain-tools.ts';
import { connectHttp, serveHttp } from './connect.ts';
import { type Grants, newToken, openGrants } from './grants.ts';
import type { HttpServer } from './http.ts';

let server: HttpServer;
let grants: Grants;
let token: string;
let effects: RecordedCall[];
let errors: string[];

beforeEach(async () => {
  [effects, errors, grants] = [[], [], openGrants()];
  token = grants.issue(agent);
  const host = openToolHost({ tools: plainTools(effects) });
  server = await serveHttp({ host, grants, version: '0', onError: (message) => errors.push(message) });
});
afterEach(() => server.close());

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'write', arguments: { text: 'x' } },
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** With headers exactly as given: `fetch` would not let a `Host` through. */
function ask(
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'POST',
  sent = body,
): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((done, failed) => {
    const asked = request({ hostname, port, path, method, headers: { ...common, ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => done({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', failed);
    asked.end(method === 'GET' ? undefined : sent);
  });
}
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

describe('the door', () => {
  it('lets in who has the token', async () => {
    expect((await ask('/mcp', bearer(token))).status).toBe(200);
    expect(effects).toHaveLength(1);
  });

  it.each<
    [name: string, path: string, headers: () => Record<string, string>, method: string, status: number]
  >([
    ['no token', '/mcp', () => ({}), 'POST', 401],
    ['another token', '/mcp', () => bearer(newToken()), 'POST', 401],
    ['a beginning of the token', '/mcp', () => bearer(token.slice(0, -1)), 'POST', 401],
    ['the token and more', '/mcp', () => bearer(`${token}x`), 'POST', 401],
    ['the token under another scheme', '/mcp', () => ({ authorization: `Basic ${token}` }), 'POST', 401],
    ['the token as a query', '/mcp?token=TOKEN', () => ({}), 'POST', 401],
    ['an unknown path without a token', '/secret', () => ({}), 'GET', 401],
    ['an unknown path with the token', '/secret', () => bearer(token), 'GET', 404],
    ['another host', '/mcp', () => ({ ...bearer(token), host: 'evil.example' }), 'POST', 403],
    [
      'a host that only begins well',
      '/mcp',
      () => ({ ...bearer(token), host: '127.0.0.1.evil.example' }),
      'POST',
      403,
    ],
    [
      'a page of another origin',
      '/mcp',
      () => ({ ...bearer(token), origin: 'https://evil.example' }),
      'POST',
      403,
    ],
    ['an origin of nothing', '/mcp', () => ({ ...bearer(token), origin: 'null' }), 'POST', 403],
    ['health from another host', '/health', () => ({ host: 'evil.example' }), 'GET', 403],
    ['health with a body', '/health', () => ({}), 'POST', 401],
  ])('%s', async (_name, path, headers, method, status) => {
    const answer = await ask(path.replace('TOKEN', token), headers(), method);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(token);
    expect(effects).toEqual([]);
  });

  it('tells its health to everybody, and nothing else', async () => {
    expect(await ask('/health', {}, 'GET')).toEqual({ status: 200, text: '{"status":"ok"}' });
  });

  it('leaves an idle connection to the client, whose next request may be on its way into it', async () => {
    const response = await fetch(server.url.replace(/\/mcp$/, '/health'));
    expect(response.headers.get('connection')).toBe('keep-alive');
    // Else it says after how many seconds it closes it.
    expect(response.headers.get('keep-alive')).toBeNull();
  });

  it('a token that was taken back opens nothing; another one still does', async () => {
    const other = grants.issue(outsider);
    grants.revoke(token);
    grants.revoke(newToken());
    expect((await ask('/mcp', bearer(token))).status).toBe(401);
    expect((await ask('/mcp', bearer(other))).status).toBe(200);
    expect(effects[0]?.call.caller.kind).toBe('external');
  });

  it('a client with a wrong token is told so', async () => {
    await expect(connectHttp({ url: server.url, token: newToken() })).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringMatching(/refuses the token/),
    });
  });

  it.each([
    ['no JSON', 'not json', 400],
    ['no request', '{"jsonrpc":"2.0"}', 400],
    ['more than a request may be', `"${'x'.repeat(5 * 1024 * 1024)}"`, 413],
  ])('%s', async (_name, sent, status) => {
    const answer = await ask('/mcp', bearer(token), 'POST', sent).catch(() => ({ status: 413 }));
    expect(answer.status).toBe(status);
    expect((await ask('/mcp', bearer(token))).status).toBe(200);
  });

  it('listens on this machine only, and refuses a port that is taken', async () => {
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    const port = Number(new URL(server.url).port);
    const host = openToolHost({ tools: [] });
    await expect(serveHttp({ host, grants, version: '0', port })).rejects.toMatchObject({
      code: 'tool_failed',
    });
  });
});

describe('tokens', () => {
  it('are 256 bits, each another', () => {
    const tokens = Array.from({ length: 50 }, () => openGrants().issue(agent));
    expect(new Set(tokens).size).toBe(50);
    for (const one of tokens) expect(Buffer.from(one, 'base64url')).toHaveLength(32);
  });

  it.each(['', 'short', 'x'.repeat(42), `${'x'.repeat(42)} `])('%j is too weak', (weak) => {
    expect(() => openGrants().issue(agent, weak)).toThrow(/256 bits/);
  });
});
