/** Pages, inbox, events and tools of a workspace at its fronts, while its hosts come and go; real processes, a real server. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  noPostgres,
  type TestPostgres,
  testPostgres,
} from '../../store/postgres/postgres-server.contract.ts';
import { connectHttp } from '../../tools/index.ts';
import { newHome, type StartedProcess, sonde, startSonde } from '../testbed/run-sonde.ts';
import { createSmallWorld } from '../testbed/small-world.ts';
import { makePass } from './host-pass.ts';

interface Front {
  readonly address: string;
  readonly token: string;
  readonly home: string;
}

describe.skipIf(noPostgres() !== null)('pages at the fronts of a team', () => {
  let postgres: TestPostgres;
  let url: string;
  let frontUrl: string;
  let homes: string[];
  let started: StartedProcess[];
  beforeAll(async () => {
    postgres = await testPostgres();
  });
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    url = await postgres.freshDatabase();
    frontUrl = await postgres.frontOf(url);
    [homes, started] = [[newHome(), newHome(), newHome()], []];
    await createSmallWorld(homes[2]!);
  });
  afterEach(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended;
    }
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });

  const env = () => ({ SONDE_STORE: 'postgres', SONDE_STORE_URL: url });
  async function front(home: string): Promise<Front> {
    const one = startSonde(['serve', '--workspace', 'main', '--port', '0'], {
      env: { ...env(), SONDE_STORE_URL: frontUrl },
      home,
    });
    started.push(one);
    const address = await one.waitFor((said) => /workspace at (http\S+)/.exec(said)?.[1]);
    const file = await one.waitFor((said) => /The token is in (\S+)\.\n/.exec(said)?.[1]);
    return { address, home, token: readFileSync(file, 'utf8').trim() };
  }
  async function worker(more: Readonly<Record<string, string>> = {}): Promise<StartedProcess> {
    const around = { env: { ...env(), ...more }, home: homes[2]! };
    const one = startSonde(['worker', '--workspaces', 'main', '--json'], around);
    started.push(one);
    await one.waitFor((said) => said.includes('"ready":true'));
    return one;
  }
  /** As between machines; the fronts know the certificate by the store alone. */
  function secured(): Record<string, string> {
    const [cert, key] = [join(homes[2]!, 'cert.pem'), join(homes[2]!, 'key.pem')];
    const about = ['-subj', '/CN=worker', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...about],
      { stdio: 'ignore' },
    );
    return { SONDE_SERVE_TLS_CERT_FILE: cert, SONDE_SERVE_TLS_KEY_FILE: key };
  }
  async function call(
    { address, token }: Pick<Front, 'address' | 'token'>,
    route: string,
    { method = 'GET', body }: { readonly method?: string; readonly body?: object } = {},
  ) {
    const response = await fetch(`${address}/api/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever a route answers
    return { status: response.status, body: (await response.json()) as any };
  }
  const pathsAt = async (at: Front): Promise<string[] | number> => {
    const { status, body } = await call(at, '/workspaces/main/pages?limit=200');
    return status === 200 ? body.items.map(({ path }: { path: string }) => path) : status;
  };
  async function rows(text: string) {
    const client = await postgres.connect(url);
    const given = await client.query(text);
    await client.end();
    return given.rows;
  }
  const hostPid = async (): Promise<number> =>
    Number((await rows(`SELECT pid FROM sonde_w_main.leases WHERE run = 'host'`))[0]?.pid);

  it('are read, written, searched and followed at any of them, and by tools', async () => {
    const [one, other] = [await front(homes[0]!), await front(homes[1]!)];
    expect(await call(one, '/workspaces/main/pages')).toMatchObject({
      status: 503,
      body: { error: { message: expect.stringContaining('No worker') } },
    });
    const host = await worker(secured());
    expect(await host.waitFor((said) => /"url":"(\w+):/.exec(said)?.[1])).toBe('https');
    await expect.poll(() => pathsAt(one), { timeout: 180_000 }).toContain('Lighthouse/Lamp');

    const over = new AbortController();
    const stream = await fetch(`${other.address}/api/v1/events`, {
      headers: { authorization: `Bearer ${other.token}` },
      signal: over.signal,
    });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    let heard = '';
    void (async () => {
      for await (const bytes of stream.body!) heard += Buffer.from(bytes).toString('utf8');
    })().catch(() => {});

    const made = await call(one, '/workspaces/main/pages', {
      method: 'POST',
      body: { path: 'Lamp', text: 'The lamp hums at dusk.\n' },
    });
    expect(made.status).toBe(201);
    expect(await pathsAt(other)).toContain('Lamp');
    expect((await call(other, '/workspaces/main/search?q=dusk')).body.items[0].path).toBe('Lamp');
    await expect.poll(() => heard, { timeout: 180_000 }).toContain('event: create_page');
    over.abort();

    const tools = await connectHttp({ url: `${one.address}/mcp`, token: one.token });
    expect((await tools.list()).map(({ name }) => name)).toContain('read_page');
    await tools.close();

    // Who may not write here may not write there.
    const added = await sonde(
      ['token', 'add', 'looks', '--workspace', 'main', '--role', 'reader', '--json'],
      {
        env: env(),
        home: one.home,
      },
    );
    expect(added.status, added.stderr).toBe(0);
    const reader = { address: one.address, token: JSON.parse(added.stdout).token };
    expect((await call(reader, '/workspaces/main/pages')).status).toBe(200);
    const refused = await call(reader, '/workspaces/main/pages', {
      method: 'POST',
      body: { path: 'Not', text: 'No.\n' },
    });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect((await call({ ...one, token: 'wrong' }, '/workspaces/main/pages')).status).toBe(401);
    const models = await fetch(`${one.address}/v1/models`, {
      headers: { authorization: `Bearer ${one.token}` },
    });
    expect(await models.json()).toMatchObject({ data: [{ id: 'workspace:main' }] });
    expect((await fetch(`${one.address}/v1/models`)).status).toBe(401);

    // A window of the page, let in by whoever sits at this front.
    const ui = await sonde(['ui', '--workspace', 'main', '--no-open', '--json'], {
      env: env(),
      home: one.home,
    });
    const [server, code] = JSON.parse(ui.stdout).address.split('/#code=');
    expect(server).toBe(one.address);
    const own = { origin: one.address, 'x-sonde': '1', 'content-type': 'application/json' };
    const session = await fetch(`${one.address}/api/v1/session`, {
      method: 'POST',
      headers: own,
      body: JSON.stringify({ code }),
    });
    const cookie = session.headers.get('set-cookie')!.split(';')[0]!;
    const asWindow = (more: object) =>
      fetch(`${one.address}/api/v1/workspaces/main/pages`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', ...more },
        body: JSON.stringify({ path: 'By hand', text: 'Written in a window.\n' }),
      });
    // A form of another site has the cookie, too.
    expect((await asWindow({})).status).toBe(403);
    expect((await asWindow(own)).status).toBe(201);
    expect(await pathsAt(other)).toContain('By hand');
    const page = await fetch(one.address);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('are talked about, and looked at by schedules, by the commands of any machine', async () => {
    const at = await front(homes[0]!);
    await worker();
    await expect.poll(() => pathsAt(at), { timeout: 180_000 }).toContain('Lighthouse/Lamp');
    const add = ['schedule', 'add', 'look', 'What is new?', '--cron', '0 7 * * *', '--workspace', 'main'];
    const added = await sonde(add, { env: env(), home: homes[0]! });
    expect(added.status, added.stderr).toBe(0);
    const { body } = await call(at, '/workspaces/main/schedules');
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['look']);

    const talk = ['chat', '--workspace', 'main', '--thread', 'talk'];
    const talked = await sonde(talk, { env: env(), home: homes[2]!, input: 'What burns paraffin?\n' });
    expect(talked.status, talked.stderr).toBe(0);
    expect(talked.stdout).toContain('paraffin');
    // It is one conversation of the team.
    expect((await call(at, '/threads/talk')).body).toMatchObject({ id: 'talk', state: 'idle' });
  });

  it('go on at the next host, and the one before it, stopped meanwhile, writes nothing', async () => {
    const at = await front(homes[0]!);
    const workers = [await worker()];
    await expect.poll(() => pathsAt(at), { timeout: 180_000 }).toContain('Lighthouse/Lamp');
    workers.push(await worker());

    const first = await hostPid();
    const byPid = (pid: number) => workers.find(({ child }) => child.pid === pid)!;
    byPid(first).child.kill('SIGKILL');
    await byPid(first).ended;
    await expect.poll(() => pathsAt(at), { timeout: 180_000 }).toContain('Lighthouse/Lamp');
    const second = await hostPid();
    expect(second).not.toBe(first);

    // Its key is known, and its process is there: it is its place alone that is gone.
    const [row] = await rows('SELECT about FROM sonde_w_main.host_about');
    const about = JSON.parse(row.about);
    await rows(`UPDATE sonde_w_main.leases SET fence = fence + 1 WHERE run = 'host'`);
    const pass = makePass(about.key, { name: 'default', allow: null, author: true, client: 'c' });
    const write = () =>
      fetch(`${about.url}/hosts/main/api/v1/workspaces/main/pages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${pass}` },
        body: JSON.stringify({ path: `Late ${Math.random()}`, text: 'Late.\n' }),
      });
    await expect.poll(async () => (await write()).status, { timeout: 180_000 }).not.toBe(201);
    const late = await fetch(`${about.url}/hosts/main/api/v1/workspaces/main/pages`, {
      headers: { authorization: 'Bearer wrong' },
    });
    expect([401, 503]).toContain(late.status);
  });
});
