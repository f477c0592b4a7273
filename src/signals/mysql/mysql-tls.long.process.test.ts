/** A real MariaDB with a certificate that an authority of the house signed. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { missingPrograms } from '../real-server.contract.ts';
import { type MysqlAddress, mysqlAddress, openMysql, withTrust } from './mysql.ts';
import { type MariadbServer, mariadbServer, noMariadb } from './server.contract.ts';

const password = 'a-password-of-tests';
const skip = noMariadb() ?? missingPrograms('openssl');

describe.skipIf(skip !== null)(`MariaDB behind TLS${skip === null ? '' : ` (skipped: ${skip})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-mysql-tls-'));
  const at = (name: string): string => join(folder, name);
  let server: MariadbServer;

  beforeAll(async () => {
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    const fresh = ['-newkey', 'rsa:2048', '-nodes'];
    for (const name of ['ca', 'other'])
      openssl(
        'req',
        '-x509',
        ...fresh,
        '-days',
        '2',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.pem`,
        '-subj',
        `/CN=${name}`,
      );
    openssl('req', ...fresh, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=db');
    writeFileSync(at('server.ext'), 'subjectAltName=DNS:localhost\n');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'server.ext'];
    openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem', '-days', '2');
    chmodSync(folder, 0o755);
    chmodSync(at('server.key'), 0o644);
    server = await mariadbServer(password, [
      `--ssl-cert=${at('server.pem')}`,
      `--ssl-key=${at('server.key')}`,
      '--require-secure-transport=ON',
    ]);
  }, 120_000);
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const health = (mode: string, ca: string | null, host: string) => {
    const given = mysqlAddress(`mysql://tester:${password}@${host}:${server.address.port}/${mode}`);
    const trust = ca === null ? {} : { ca: readFileSync(at(`${ca}.pem`), 'utf8') };
    return openMysql({ address: withTrust(given, trust), clock: manualClock(0) }).health();
  };

  it.each<[string, string, string | null, string, RegExp | null]>([
    ['its authority and its name', '', 'ca', 'localhost', null],
    ['another authority', '', 'other', 'localhost', /certificate|self.signed|verify/i],
    ['that name, where only the authority counts', '?ssl-mode=verify_ca', 'ca', '127.0.0.1', null],
    [
      'no authority that is known',
      '?ssl-mode=verify_identity',
      null,
      'localhost',
      /certificate|self.signed|verify/i,
    ],
    ['nobody checked', '?ssl-mode=required', null, '127.0.0.1', null],
  ])('%s', async (_, mode, ca, host, refused) => {
    expect(await health(mode, ca, host)).toMatchObject(
      refused === null ? { kind: 'healthy' } : { kind: 'unhealthy', reason: expect.stringMatching(refused) },
    );
  });
});

it('a number is no name that a certificate could be checked by, and it is said before anybody is asked', () => {
  for (const mode of ['', '?ssl-mode=verify_identity'])
    expect(() => withTrust(mysqlAddress(`mysql://u:p@127.0.0.1/x${mode}`), { ca: 'pem' })).toThrow(
      /can't be checked by a number/,
    );
});

it.each<[string, boolean, MysqlAddress['tls']]>([
  ['', false, 'off'],
  ['', true, 'identity'],
  ['?ssl-mode=REQUIRED', true, 'any'],
  ['?ssl-mode=VERIFY_CA', true, 'verify'],
  ['?ssl-mode=VERIFY_IDENTITY', false, 'identity'],
])('mysql://db/%s, with an authority: %s', (mode, named, expected) => {
  const address = mysqlAddress(`mysql://u:p@db/x${mode}`);
  expect(withTrust(address, named ? { ca: 'pem' } : {}).tls).toBe(expected);
});
