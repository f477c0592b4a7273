/** A cluster with a certificate of its own, and a program that lends tokens: from a kubeconfig into an answer. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/index.ts';
import { openCluster } from '../../signals/kubernetes/cluster.ts';
import { missingPrograms } from '../../signals/real-server.contract.ts';
import { clusterFetch } from './cluster-fetch.ts';
import { tokenCommand } from './programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'sonde-cluster-'));
const at = (name: string): string => join(folder, name);
const token = 'k8s-aws-v1.lent-token-0123456789';
let server: Server;
let base: string;
const seen: { authorization: string | undefined; subject: string | undefined }[] = [];

async function opened(cluster: string, user: string) {
  const file = at(`config-${Math.random()}`);
  writeFileSync(
    file,
    `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: '${base}', tls-server-name: kubernetes${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: prod}}]
current-context: x
`,
  );
  return openCluster(
    { kubernetes_config: file },
    { clock: systemClock, credentialProgram: tokenCommand, clusterFetch },
  );
}

const lender =
  'exec: {apiVersion: client.authentication.k8s.io/v1, command: ./lend.sh, env: [{name: KUBE_ROLE, value: reader}]}';

describe.skipIf(missingPrograms('openssl') !== null)('a cluster behind TLS', () => {
  beforeAll(async () => {
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    openssl('req', ...made, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=cluster');
    for (const [name, subject] of [
      ['server', '/CN=kubernetes'],
      ['reader', '/CN=reader'],
    ] as const) {
      const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
      openssl('req', ...fresh, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
      writeFileSync(at(`${name}.ext`), 'subjectAltName=DNS:kubernetes\n');
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`];
      openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.pem`, '-days', '2');
    }
    const read = (name: string) => readFileSync(at(name));
    const tls = { key: read('server.key'), cert: read('server.pem'), ca: read('ca.pem'), requestCert: true };
    server = createServer({ ...tls, rejectUnauthorized: false }, ({ url, headers, socket }, outgoing) => {
      const subject = (socket as TLSSocket).getPeerCertificate().subject?.CN;
      seen.push({ authorization: headers.authorization, subject: String(subject ?? '') });
      const known = headers.authorization === `Bearer ${token}`;
      outgoing.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
      const list = {
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: {},
        items: [{ metadata: { name: 'shop' } }],
      };
      outgoing.end(JSON.stringify(url === '/version' ? { gitVersion: 'v1.31.2-eks-7f9249a' } : list));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const reply = {
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      status: { token },
    };
    // It takes longer than a system may take to say that it is there, as that of AWS does.
    writeFileSync(
      at('lend.sh'),
      `#!/bin/sh\n[ "$KUBE_ROLE" = reader ] && sleep 3.2 && echo '${JSON.stringify(reply)}'\n`,
      {
        mode: 0o755,
      },
    );
  });
  afterAll(() => server.close());

  it('the cluster is trusted by its own authority, the token is lent, a certificate is shown', async () => {
    const signal = await opened(
      ', certificate-authority: ca.pem',
      `client-certificate: reader.pem, client-key: reader.key, ${lender}`,
    );
    expect(await signal.health()).toEqual({ kind: 'healthy', version: 'v1.31.2-eks-7f9249a' });
    expect(seen.at(-1)).toEqual({ authorization: `Bearer ${token}`, subject: 'reader' });
    const now = Date.now();
    const pods = await signal.questions
      .find(({ name }) => name === 'kubernetes_objects')!
      .ask(
        { kind: 'pods' },
        {
          window: { from: now - 1, to: now, baseline_from: now - 2, derivation: 'a test' },
          limits: { rows: 5, bytes: 2_000, timeoutMs: 10_000 },
        },
      );
    expect(pods).toMatchObject({ kind: 'observation', rows: { rows: [{ name: 'shop' }] } });
  });

  it.each([
    ['', lender, /certificate/],
    [
      ', certificate-authority: ca.pem',
      lender.replace('value: reader', 'value: nobody'),
      /lend.sh ended with 1/,
    ],
    [', certificate-authority: ca.pem', 'exec: {apiVersion: v1, command: ./gone}', /ENOENT/],
    [', certificate-authority: ca.pem', 'token: another-token', /answered 401/],
  ])('with %j and %j it is no healthy system', async (cluster, user, reason) => {
    const health = await (await opened(cluster, user)).health();
    expect(health).toMatchObject({ kind: 'unhealthy', reason: expect.stringMatching(reason) });
    expect(JSON.stringify(health)).not.toContain(token);
  });

  it('what is asked is given up with its signal', async () => {
    const stop = new AbortController();
    const asked = clusterFetch({ servername: 'kubernetes' })(`${base}/version`, { signal: stop.signal });
    stop.abort();
    await expect(asked).rejects.toThrow();
  });
});
