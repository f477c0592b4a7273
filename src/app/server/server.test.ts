import { afterEach, describe, expect, it } from 'vitest';
import { createApp, openServer, type RunningServer } from './server.ts';
import { createServerAddress, type ServerAddressRequest } from './server-address.ts';
import type { ServerPart } from './server-part.ts';

const reach = (more: Partial<ServerAddressRequest> = {}) =>
  createServerAddress({ bind: '127.0.0.1', port: 0, proxies: [], hosts: [], ...more });
const hello: ServerPart = {
  name: 'hello',
  mount: (app) => void app.get('/hello', (context) => context.text('hello')),
};

let server: RunningServer | undefined;
afterEach(() => server?.close());

describe('who may ask', () => {
  const ask = (headers: Record<string, string>, more: Partial<ServerAddressRequest> = {}) =>
    createApp(reach(more), [hello], () => false).request('/hello', {
      headers: { host: 'localhost', ...headers },
    });

  it.each<[string, Record<string, string>, Partial<ServerAddressRequest>, number]>([
    ['under a name of its own', {}, {}, 200],
    ['under a foreign name', { host: 'evil.example' }, {}, 403],
    ['under a name that was given', { host: 'a.internal:80' }, { hosts: ['a.internal'] }, 200],
    ['a page of another place', { origin: 'https://evil.example' }, {}, 403],
    ['a page that came from here', { host: 'localhost:7077', origin: 'http://localhost:7077' }, {}, 200],
    ['a page of another port', { host: 'localhost:7077', origin: 'http://localhost:7078' }, {}, 403],
    ['a page over another protocol', { host: 'localhost:7077', origin: 'https://localhost:7077' }, {}, 403],
    ['a page of its own', { origin: 'https://s.example' }, { publicUrl: 'https://s.example' }, 200],
    [
      'a page of its own name over plain http',
      { origin: 'http://s.example' },
      { publicUrl: 'https://s.example' },
      403,
    ],
  ])('%s', async (_, headers, more, status) => {
    expect((await ask(headers, more)).status).toBe(status);
  });
});

it('is ready when all of its faces are, and not while it ends', async () => {
  let why: string | null = 'the store refuses writes';
  let [draining, partDrains] = [false, false];
  const part = { name: 'alerts', mount() {}, notReady: () => why, isDraining: () => partDrains };
  const app = createApp(reach(), [hello, part], () => draining);
  const ready = async () => {
    const answer = await app.request('/ready', { headers: { host: 'localhost' } });
    return [answer.status, await answer.json()];
  };
  expect(await ready()).toEqual([503, { status: 'starting', waiting: [{ name: 'alerts', why }] }]);
  why = null;
  expect(await ready()).toEqual([200, { status: 'ready' }]);
  draining = true;
  expect(await ready()).toEqual([503, { status: 'draining' }]);
  // The server still answers while a worker behind it ends what it has.
  [draining, partDrains] = [false, true];
  expect(await ready()).toEqual([503, { status: 'draining' }]);
});

it('what fails in a face is told, and says nothing of itself to the client', async () => {
  const lines: string[] = [];
  const broken: ServerPart = {
    name: 'broken',
    mount: (app) =>
      void app.get('/broken', () => {
        throw new Error('password=hunter2');
      }),
  };
  server = await openServer({ serverAddress: reach(), parts: [broken], tell: (line) => lines.push(line) });
  const answer = await fetch(`${server.address}/broken`);
  expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('hunter2')]);
  expect(lines).toHaveLength(1);
});

it('a port that is taken is named', async () => {
  server = await openServer({ serverAddress: reach(), parts: [], tell() {} });
  const port = Number(new URL(server.address).port);
  await expect(openServer({ serverAddress: reach({ port }), parts: [], tell() {} })).rejects.toMatchObject({
    code: 'bad_argument',
    message: expect.stringContaining(String(port)),
  });
});

it('answers what was asked before it ends, takes nothing new, and waits no longer than it may', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const slow: ServerPart = {
    name: 'slow',
    mount: (app) =>
      void app.get('/slow', async (context) => {
        asked.resolve();
        return context.text(await answer.promise);
      }),
  };
  const one = await openServer({ serverAddress: reach(), parts: [slow], tell() {} });
  const first = fetch(`${one.address}/slow`);
  await asked.promise;
  let closed = false;
  const closing = one.close(600_000).then(() => (closed = true));
  expect((await fetch(`${one.address}/ready`)).status).toBe(503);
  const second = await fetch(`${one.address}/slow`);
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '5']);
  expect(closed).toBe(false);
  answer.resolve('late');
  expect(await (await first).text()).toBe('late');
  await closing;

  const never: ServerPart = {
    name: 'never',
    mount: (app) =>
      void app.get('/never', () => {
        asked.resolve();
        return new Promise<Response>(() => {});
      }),
  };
  const other = await openServer({ serverAddress: reach(), parts: [never], tell() {} });
  const lost = fetch(`${other.address}/never`).catch(() => 'cut');
  await other.close(50);
  expect(await lost).toBe('cut');
});
