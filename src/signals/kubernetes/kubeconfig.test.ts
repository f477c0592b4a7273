import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { isSondeError, manualClock } from '../../core/index.ts';
import type { CommandReply } from '../command.ts';
import { resolveAuthorization } from '../http-credentials.ts';
import { readKubeconfig } from './kubeconfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'sonde-kubeconfig-'));
const pem = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
writeFileSync(join(folder, 'ca.pem'), pem);
writeFileSync(join(folder, 'token'), 'token-of-a-file\n');
const signal = new AbortController().signal;

/** As `aws eks update-kubeconfig` writes it. */
const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/shop';
const eks = {
  apiVersion: 'client.authentication.k8s.io/v1beta1',
  command: 'aws',
  args: ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'shop', '--output', 'json'],
  env: [{ name: 'AWS_PROFILE', value: 'readonly' }],
};

function written(cluster: object, user: object, more: object = {}): string {
  const file = join(folder, `config-${Math.random()}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    preferences: {},
    clusters: [
      { name: arn, cluster: { server: 'https://0A1B.gr7.eu-west-1.eks.amazonaws.com', ...cluster } },
    ],
    contexts: [{ name: arn, context: { cluster: arn, user: arn, namespace: 'prod' } }],
    users: [{ name: arn, user }],
    'current-context': arn,
    ...more,
  };
  writeFileSync(file, stringify(config));
  return file;
}

function reading(file: string, replies: readonly Partial<CommandReply>[] = [], context?: string) {
  const clock = manualClock(Date.UTC(2026, 6, 11, 12));
  const ran: { name: string; args: readonly string[]; variables: Readonly<Record<string, string>> }[] = [];
  const access = readKubeconfig({
    file,
    clock,
    ...(context !== undefined && { context }),
    program:
      (name, variables) =>
      async ({ args }) => {
        ran.push({ name, args, variables });
        return { code: 0, stdout: Buffer.alloc(0), stderr: '', ended: 'exit', ...replies[ran.length - 1] };
      },
  });
  return { access, ran, clock };
}

const lent = (token: string, until: string | null): Partial<CommandReply> => ({
  stdout: Buffer.from(
    JSON.stringify({
      kind: 'ExecCredential',
      apiVersion: eks.apiVersion,
      spec: {},
      status: { ...(until !== null && { expirationTimestamp: until }), token },
    }),
  ),
});
const sent = async ({ access }: ReturnType<typeof reading>) =>
  (await resolveAuthorization(access.authorization, signal)).headers['authorization'];

test('EKS: the program lends a token, which is kept until shortly before it runs out', async () => {
  const file = written({ 'certificate-authority-data': Buffer.from(pem).toString('base64') }, { exec: eks });
  const read = reading(file, [
    lent('k8s-aws-v1.one', '2026-07-11T12:14:00Z'),
    lent('k8s-aws-v1.two', '2026-07-11T12:28:00Z'),
  ]);
  expect(read.access).toMatchObject({
    base: 'https://0A1B.gr7.eu-west-1.eks.amazonaws.com',
    namespace: 'prod',
    trust: { ca: pem },
  });
  expect(await Promise.all([sent(read), sent(read)])).toEqual(Array(2).fill('Bearer k8s-aws-v1.one'));
  read.clock.advance(12 * 60_000);
  expect(await sent(read)).toBe('Bearer k8s-aws-v1.one');
  read.clock.advance(90_000);
  expect(await sent(read)).toBe('Bearer k8s-aws-v1.two');
  expect(read.ran).toHaveLength(2);
  expect(read.ran[0]).toMatchObject({ name: 'aws', args: eks.args, variables: { AWS_PROFILE: 'readonly' } });
  expect(JSON.parse(read.ran[0]!.variables['KUBERNETES_EXEC_INFO']!)).toEqual({
    apiVersion: eks.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false },
  });
});

test.each<[object, string]>([
  [{ token: 'plain-token' }, 'Bearer plain-token'],
  [{ tokenFile: 'token', token: 'older' }, 'Bearer token-of-a-file'],
  [{ username: 'ann', password: 'pass' }, `Basic ${btoa('ann:pass')}`],
])('the user %j', async (user, expected) => {
  const read = reading(written({ 'certificate-authority': 'ca.pem' }, user));
  expect(await sent(read)).toBe(expected);
  expect(read.access.trust).toEqual({ ca: pem });
});

test.each<[Partial<CommandReply>, string]>([
  [{ code: 255, stderr: 'Unable to locate credentials' }, 'aws ended with 255: Unable to locate credentials'],
  [{ ended: 'timeout', code: null }, 'aws ended with timeout'],
  [{ stdout: Buffer.from('not json') }, 'aws gave no token'],
  [{ stdout: Buffer.from('{"kind":"ExecCredential","status":{}}') }, 'aws gave no token'],
])('a program that lends nothing: %j', async (reply, expected) => {
  await expect(sent(reading(written({}, { exec: eks }), [reply]))).rejects.toThrow(expected);
});

test.each<[string, () => string, string | undefined]>([
  [
    'insecure-skip-tls-verify is not supported',
    () => written({ 'insecure-skip-tls-verify': true }, {}),
    undefined,
  ],
  ['proxy-url is not supported', () => written({ 'proxy-url': 'http://x' }, {}), undefined],
  ['impersonation is not supported', () => written({}, { as: 'root' }), undefined],
  ['auth-provider is gone', () => written({}, { 'auth-provider': { name: 'gcp' } }), undefined],
  ['it has no context other', () => written({}, {}), 'other'],
  ['it names no context', () => written({}, {}, { 'current-context': undefined }), undefined],
  ['it has no user', () => written({}, {}, { users: [] }), undefined],
  ["no-such-file: it can't be read", () => join(folder, 'no-such-file'), undefined],
  ['it is no kubeconfig', () => join(folder, 'token'), undefined],
  ['ca-of-nobody.pem can', () => written({ 'certificate-authority': 'ca-of-nobody.pem' }, {}), undefined],
])('%s', (message, file, context) => {
  let thrown: unknown;
  try {
    reading(file(), [], context);
  } catch (error) {
    thrown = error;
  }
  expect(isSondeError(thrown, 'bad_config')).toBe(true);
  expect(String(thrown)).toContain(message);
});
