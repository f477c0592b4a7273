/** Every way to reach a system over HTTP, at a real Prometheus behind a real nginx; and what doctor says of it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  freePort,
  missingPrograms,
  type RealServer,
  startServer,
} from '../../signals/real-server.contract.ts';
import { loadConfiguration } from '../config/index.ts';
import { closeSystems, openSystems } from '../systems.ts';
import { checkSystems } from './systems.ts';

const password = 'planted-password-77';
let place: string;
const running: RealServer[] = [];
const ports = { tls: 0, basic: 0, client: 0, tenant: 0 };

const at = (name: string): string => join(place, name);
function openssl(...words: readonly string[]): void {
  execFileSync('openssl', words, { cwd: place, stdio: 'ignore' });
}

/** An authority, and what it signed for the server and for a client. */
function certificates(): void {
  for (const ca of ['ca', 'other-ca'])
    openssl(
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${ca}`],
      ...['-keyout', `${ca}.key`, '-out', `${ca}.pem`],
    );
  for (const name of ['server', 'client']) {
    openssl(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
    );
    writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', '2', '-extfile', 'names', '-out', `${name}.pem`],
    );
  }
}

const site = (port: number, more: string): string => `server {
  listen 127.0.0.1:${port} ssl;
  ssl_certificate ${at('server.pem')};
  ssl_certificate_key ${at('server.key')};
  ${more}
}`;

function nginxFile(prometheus: number): string {
  const pass = `proxy_pass http://127.0.0.1:${prometheus};`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${at(name)};`)
    .join(' ');
  return `user root; worker_processes 1; pid ${at('nginx.pid')}; error_log ${at('error.log')};
events {}
http {
  access_log off; ${temporary}
  ${site(ports.tls, `location / { ${pass} }`)}
  ${site(ports.basic, `location / { auth_basic prometheus; auth_basic_user_file ${at('users')}; ${pass} }`)}
  ${site(ports.client, `ssl_client_certificate ${at('ca.pem')}; ssl_verify_client on; location / { ${pass} }`)}
  ${site(ports.tenant, `location / { if ($http_x_scope_orgid != "team a") { return 403; } ${pass} }`)}
}`;
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    request({ port, host: '127.0.0.1', rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(true);
    })
      .once('error', () => resolve(false))
      .end();
  });

const skipped = missingPrograms('prometheus', 'nginx', 'openssl') !== null;

describe.skipIf(skipped)('a Prometheus behind nginx', () => {
  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'sonde-nginx-'));
    certificates();
    mkdirSync(at('home'));
    writeFileSync(at('users'), `reader:${execFileSync('openssl', ['passwd', '-apr1', password])}`);
    writeFileSync(at('password'), `${password}\n`);
    writeFileSync(at('wrong'), 'wrong-password-78\n');
    writeFileSync(at('prometheus.yml'), 'global: {scrape_interval: 1m}\n');
    const prometheus = await freePort();
    for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort();
    writeFileSync(at('nginx.conf'), nginxFile(prometheus));
    running.push(
      await startServer(
        'prometheus',
        [
          `--config.file=${at('prometheus.yml')}`,
          `--storage.tsdb.path=${at('data')}`,
          `--web.listen-address=127.0.0.1:${prometheus}`,
        ],
        async () => (await fetch(`http://127.0.0.1:${prometheus}/-/ready`)).ok,
      ),
      await startServer('nginx', ['-p', place, '-c', at('nginx.conf'), '-g', 'daemon off;'], () =>
        listens(ports.tls),
      ),
    );
  });
  afterAll(async () => {
    for (const server of running) await server.stop();
    rmSync(place, { recursive: true, force: true });
  });

  type Given = Readonly<Record<string, string>>;
  const configured = (given: Given) =>
    loadConfiguration({
      environment: {
        SONDE_HOME: at('home'),
        ...Object.fromEntries(
          Object.entries(given).map(([name, value]) => [
            `PROMETHEUS_${name}`,
            value.replace('$', `${place}/`),
          ]),
        ),
      },
    });
  const to = (port: keyof typeof ports): Given => ({ URL: `https://127.0.0.1:${ports[port]}` });
  const trusted = { CA_FILE: '$ca.pem' };
  const own = { CERT_FILE: '$client.pem', KEY_FILE: '$client.key' };

  it.each<[string, () => Given]>([
    ['a certificate of an authority of its own', () => ({ ...to('tls'), ...trusted })],
    [
      'a user and a password',
      () => ({ ...to('basic'), ...trusted, USER: 'reader', PASSWORD_FILE: '$password' }),
    ],
    ['a certificate that is asked for', () => ({ ...to('client'), ...trusted, ...own })],
    ['a tenant', () => ({ ...to('tenant'), ...trusted, TENANT: 'team a' })],
  ])('is reached with %s', async (_name, given) => {
    const [found] = await checkSystems(configured(given()), { timeoutMs: 120_000 });
    expect(found).toMatchObject({
      name: 'system:prometheus',
      state: 'ok',
      version: expect.stringMatching(/^\d+\.\d+/),
      rights: 'unknown',
    });
    expect(Math.abs(found?.clock_ms ?? Number.NaN)).toBeLessThan(30_000);
  });

  it.each<[string, () => Given, RegExp]>([
    ['no authority', () => to('tls'), /certificate|self.signed|issuer/i],
    [
      'another authority',
      () => ({ ...to('tls'), CA_FILE: '$other-ca.pem' }),
      /certificate|self.signed|issuer/i,
    ],
    ['no password', () => ({ ...to('basic'), ...trusted }), /401/],
    [
      'a wrong password',
      () => ({ ...to('basic'), ...trusted, USER: 'reader', PASSWORD_FILE: '$wrong' }),
      /401/,
    ],
    ['no certificate of ours', () => ({ ...to('client'), ...trusted }), /400/],
    ['no tenant', () => ({ ...to('tenant'), ...trusted }), /403/],
    [
      'a user without a password',
      () => ({ ...to('basic'), USER: 'reader' }),
      /prometheus_password is missing/,
    ],
    [
      'a certificate without its key',
      () => ({ ...to('client'), CERT_FILE: '$client.pem' }),
      /prometheus_key_file is missing/,
    ],
    [
      'an authority that is not there',
      () => ({ ...to('tls'), CA_FILE: '$nowhere.pem' }),
      /prometheus_ca_file.*does not exist/,
    ],
    [
      'a token and a user',
      () => ({ ...to('basic'), TOKEN: 'planted-token-9', USER: 'reader', PASSWORD_FILE: '$password' }),
      /a token and a user/,
    ],
    ['an authority without TLS', () => ({ URL: 'http://127.0.0.1:1', ...trusted }), /is not https/],
  ])('is not with %s, and doctor says why', async (_name, given, why) => {
    const [found, ...others] = await checkSystems(configured(given()), { timeoutMs: 10_000 });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      name: 'system:prometheus',
      state: 'broken',
      version: null,
      clock_ms: null,
    });
    expect(found?.found).toMatch(why);
    expect(JSON.stringify(found)).not.toMatch(/planted-|wrong-password/);
  });

  it('names the setting for an authority that nobody knows', async () => {
    const [found] = await checkSystems(configured(to('tls')), { timeoutMs: 10_000 });
    expect(found?.remedy).toContain('prometheus_ca_file');
    expect(found?.found).not.toContain('Node.js');
  });

  it('is asked by an investigation the same way', async () => {
    const given = { ...to('basic'), ...trusted, USER: 'reader', PASSWORD_FILE: '$password' };
    const opened = await openSystems(configured(given));
    const [signal] = opened.flatMap(({ signals }) => signals);
    expect(await signal?.health()).toMatchObject({ kind: 'healthy' });
    await closeSystems(opened);
  });
});
