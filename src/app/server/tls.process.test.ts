/** The server over TLS, with certificates that openssl made. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { sonde } from '../testbed/run-sonde.ts';
import { openServer, type RunningServer } from './server.ts';
import { createServerAddress } from './server-address.ts';

const folder = mkdtempSync(join(tmpdir(), 'sonde-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
let server: RunningServer | undefined;
afterEach(() => server?.close());

function certificate(name: string): { readonly certFile: string; readonly keyFile: string } {
  const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const about = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certFile, ...about],
    { stdio: 'ignore' },
  );
  return { certFile, keyFile };
}

const reach = (files: { readonly certFile: string; readonly keyFile: string }) =>
  createServerAddress({ bind: '0.0.0.0', port: 0, proxies: [], hosts: [], ...files });

const statusOf = (url: string, ca: Buffer): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(`${url}/health`, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });

const nameOf = (address: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    }).once('error', reject);
  });

it('answers those who know its certificate', async () => {
  const files = certificate('one');
  server = await openServer({ serverAddress: reach(files), parts: [], tell() {} });
  expect(server.address).toMatch(/^https:/);
  expect(await statusOf(server.address, readFileSync(files.certFile))).toBe(200);
});

it('takes a renewed certificate, and keeps its own where the new one is broken', async () => {
  const files = certificate('old');
  const lines: string[] = [];
  server = await openServer({
    serverAddress: reach(files),
    parts: [],
    tell: (line) => lines.push(line),
    certificateMs: 5,
  });
  const { address } = server;
  expect(await nameOf(address)).toBe('old');
  const renewed = certificate('new');
  writeFileSync(files.certFile, 'broken');
  await vi.waitUntil(() => lines.some((line) => line.includes('cannot be used')));
  expect(await nameOf(address)).toBe('old');
  writeFileSync(files.keyFile, readFileSync(renewed.keyFile));
  writeFileSync(files.certFile, readFileSync(renewed.certFile));
  await vi.waitUntil(() => lines.includes('the certificate was read anew'));
  expect(await nameOf(address)).toBe('new');
});

it('names a certificate that is none, or is of another key', async () => {
  const [one, other] = [certificate('a'), certificate('b')];
  writeFileSync(join(folder, 'none.pem'), 'none');
  for (const files of [
    { ...one, certFile: join(folder, 'none.pem') },
    { ...one, keyFile: other.keyFile },
    { ...one, keyFile: join(folder, 'away.key') },
  ])
    await expect(openServer({ serverAddress: reach(files), parts: [], tell() {} })).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining('cannot be used'),
    });
});

describe('sonde serve', () => {
  it('does not listen for others without TLS', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    const ended = await sonde(['serve', '--alerts', '--bind', '0.0.0.0', '--port', '0'], { home });
    expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining('serve_proxy') });
  });
});
