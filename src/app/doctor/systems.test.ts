/** What doctor says of systems, at servers that answer as told. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { systems } from '../../signals/systems.ts';
import { loadConfiguration } from '../config/index.ts';
import { newHome } from '../testbed/run-sonde.ts';
import { checkSystems } from './systems.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

type Answer = (
  path: string,
  headers: Record<string, unknown>,
) => [body: unknown, headers?: Record<string, string>];

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    const [body, headers = {}] = answer(request.url ?? '', request.headers);
    response.writeHead(200, headers).end(JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const check = (environment: Record<string, string>, patienceMs = 10_000) =>
  checkSystems(loadConfiguration({ environment: { SONDE_HOME: newHome(), ...environment } }), {
    timeoutMs: patienceMs,
  });

const buildInfo = { status: 'success', data: { version: '2.53.3' } };
const anHour = 3_600_000;

it.each([
  ['ahead of', anHour],
  ['behind', -anHour],
])('a clock that is an hour %s the one here is broken', async (words, ms) => {
  const base = await serve(() => [buildInfo, { date: new Date(Date.now() + ms).toUTCString() }]);
  const [found] = await check({ PROMETHEUS_URL: base });
  expect(found).toMatchObject({ name: 'system:prometheus', state: 'broken', version: '2.53.3' });
  expect(found?.found).toContain(`60 min ${words} the one here`);
  expect(Math.abs((found?.clock_ms ?? 0) - ms)).toBeLessThan(30_000);
});

it('rights that lack and rights that are too many', async () => {
  const rules = [{ verbs: ['get', 'list', 'delete'], apiGroups: [''], resources: ['pods', 'secrets'] }];
  const base = await serve((path) => [
    path.includes('selfsubjectrulesreviews')
      ? { status: { resourceRules: rules } }
      : path === '/version'
        ? { gitVersion: 'v1.31.0' }
        : { items: [] },
  ]);
  const [found] = await check({ KUBERNETES_URL: base });
  expect(found).toMatchObject({
    state: 'broken',
    version: 'v1.31.0',
    rights: {
      missing: expect.arrayContaining(['get pods/log', 'list deployments.apps']),
      excess: ['delete pods', 'delete secrets', 'get secrets', 'list secrets'],
    },
  });
});

it.each([
  ['repo, read:org', []],
  ['repo, admin:org, workflow', ['admin:org', 'workflow']],
])('the scopes %s of a token of GitHub', async (scopes, excess) => {
  const base = await serve(() => [{ full_name: 'shop/api' }, { 'x-oauth-scopes': scopes }]);
  const { openGithub } = await import('../../signals/index.ts');
  const signal = openGithub({ base, fetch, clock: { now: Date.now }, repository: 'shop/api' });
  expect(await signal.inspect?.(AbortSignal.timeout(5_000))).toMatchObject({
    rights: { missing: [], excess },
  });
});

it('all are asked side by side, and none holds up the others', async () => {
  const silent = createServer(() => {});
  servers.push(silent);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const slow = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const base = await serve(() => [buildInfo]);
  const found = await check({ PROMETHEUS_URL: base, LOKI_URL: slow, GRAFANA_URL: slow }, 300);
  expect(found.map(({ name, state }) => [name, state])).toEqual([
    ['system:grafana', 'broken'],
    ['system:loki', 'broken'],
    ['system:prometheus', 'ok'],
  ]);
  expect(found[0]?.found).toContain('no answer in time');
});

it.each([
  [403, 'Grafana', 'GRAFANA', /refuses this account/],
  [401, 'Loki', 'LOKI', /does not know this account/],
])('one that answers %i says whose fault it is: %s', async (status, _name, prefix, remedy) => {
  const server = createServer((_, response) => response.writeHead(status).end('{"message":"no"}'));
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [found] = await check({ [`${prefix}_URL`]: base });
  expect(found).toMatchObject({ state: 'broken', remedy: expect.stringMatching(remedy) });
});

it('one that is there, and tells this account nothing, says what it lacks', async () => {
  const redis = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (sent) => {
      for (const _ of String(sent).matchAll(/^\*\d+\r$/gm))
        socket.write('-NOPERM this user has no permissions to run the command\r\n');
    });
  });
  await new Promise<void>((done) => redis.listen(0, '127.0.0.1', done));
  const { port } = redis.address() as AddressInfo;
  const [found] = await check({ SONDE_REDIS: `127.0.0.1:${port}` });
  redis.close();
  expect(found).toMatchObject({
    name: 'system:redis',
    state: 'broken',
    reachable: true,
    remedy: expect.stringContaining('Grant'),
    rights: { missing: expect.arrayContaining(['INFO server', 'CLIENT LIST']), excess: [] },
  });
});

it('settings of one that cannot be used leave the others', async () => {
  const base = await serve(() => [buildInfo]);
  const found = await check({ PROMETHEUS_URL: base, LOKI_URL: base, LOKI_USER: 'reader' });
  expect(found).toMatchObject([
    { name: 'system:loki', state: 'broken', found: 'loki_password is missing' },
    { name: 'system:prometheus', state: 'ok' },
  ]);
});

it('every system that knows a user or a tenant sends them', async () => {
  const seen: Record<string, Record<string, unknown>> = {};
  const sending: string[] = [];
  for (const load of Object.values(systems)) {
    const { name, settings } = await load();
    if (!(`${name}_user` in settings && `${name}_url` in settings)) continue;
    sending.push(name);
    const base = await serve((_, headers) => {
      seen[name] = headers;
      return [{}];
    });
    const own = (suffix: string) => `${name}_${suffix}`.toUpperCase();
    await check({
      [own('url')]: base,
      [own('user')]: 'reader',
      [own('password')]: 'planted-password-77',
      ...(`${name}_tenant` in settings && { [own('tenant')]: '42' }),
    });
  }
  expect(sending).toEqual(expect.arrayContaining(['alertmanager', 'grafana', 'loki', 'prometheus']));
  const basic = `Basic ${Buffer.from('reader:planted-password-77').toString('base64')}`;
  for (const name of sending) expect([name, seen[name]?.['authorization']]).toEqual([name, basic]);
  for (const name of ['alertmanager', 'loki', 'prometheus'])
    expect(seen[name]).toMatchObject({ 'x-scope-orgid': '42' });
  expect(seen['grafana']).toMatchObject({ 'x-grafana-org-id': '42' });
});
