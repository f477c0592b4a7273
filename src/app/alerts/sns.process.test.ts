/** Messages of SNS, signed with a certificate that is fetched over TLS from a server which answers as SNS does. */
import { execFileSync } from 'node:child_process';
import { createSign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { snsReader } from './sns.ts';

const topic = 'arn:aws:sns:eu-west-1:123456789012:alarms';
const host = 'sns.eu-west-1.amazonaws.com';
const certificate = `https://${host}/SimpleNotificationService-${'0123456789abcdef'.repeat(2)}.pem`;
const now = Date.UTC(2026, 6, 11, 12);

let folder: string;
let agent: Agent;
let status = 200;
let asked: string[] = [];
const closers: (() => void)[] = [];

function makePair(name: string, more: readonly string[]): void {
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${host}`],
      ...['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`), ...more],
    ],
    { stdio: 'ignore' },
  );
}
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-sns-'));
  makePair('server', ['-addext', `subjectAltName=DNS:${host},DNS:sns.us-east-1.amazonaws.com`]);
  for (const name of ['sns', 'stranger']) makePair(name, []);
  const server = createServer({ key: read('server.key'), cert: read('server.pem') }, (request, response) => {
    asked.push(`https://${request.headers.host}${request.url}`);
    if (request.url?.endsWith('.pem')) return response.end(read('sns.pem'));
    response
      .writeHead(status, { location: 'https://elsewhere.example/' })
      .end('<ConfirmSubscriptionResponse/>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  agent = new Agent();
  agent.createConnection = (options) =>
    connect({ host: '127.0.0.1', port, servername: options.host ?? '', ca: read('server.pem') });
  closers.push(() => server.close());
});
afterAll(() => {
  for (const close of closers) close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
  status = 200;
});

const signedNames = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
};

/** As its maker says that a message is signed. */
function signed(more: Record<string, string> = {}, key = 'sns'): Record<string, string> {
  const message: Record<string, string> = {
    Type: 'Notification',
    MessageId: 'da41e39f-ea4d-435a-b922-c6aae3915ebe',
    TopicArn: topic,
    Subject: 'ALARM: "cpu"',
    Message: '{"AlarmName":"cpu","NewStateValue":"ALARM"}',
    Timestamp: new Date(now - 1_000).toISOString(),
    SignatureVersion: '2',
    SigningCertURL: certificate,
    ...more,
  };
  const names = signedNames[message['Type'] as keyof typeof signedNames];
  const text = names.flatMap((name) => (name in message ? [`${name}\n${message[name]}\n`] : [])).join('');
  const algorithm = message['SignatureVersion'] === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  return {
    ...message,
    Signature: createSign(algorithm)
      .update(text)
      .sign(read(`${key}.key`), 'base64'),
  };
}

const subscription = (more: Record<string, string> = {}) =>
  signed({
    Type: 'SubscriptionConfirmation',
    Token: 'token',
    SubscribeURL: `https://${host}/?Action=ConfirmSubscription&Token=token`,
    ...more,
  });

const judge = (message: object) =>
  snsReader({ topics: [topic], clock: manualClock(now), agent })(JSON.stringify(message));

it.each(['1', '2'])(
  'one that is signed in version %s is an alert, and says which delivery',
  async (version) => {
    expect(await judge(signed({ SignatureVersion: version }))).toEqual({
      kind: 'alert',
      delivery: `sns ${topic} da41e39f-ea4d-435a-b922-c6aae3915ebe`,
    });
    expect(asked).toEqual([certificate]);
  },
);

it('a subscription is confirmed, where its topic is', async () => {
  expect(await judge(subscription())).toMatchObject({ kind: 'done' });
  expect(asked).toEqual([certificate, `https://${host}/?Action=ConfirmSubscription&Token=token`]);
});

it('a confirmation that redirects is followed nowhere, and comes again', async () => {
  status = 302;
  expect(await judge(subscription())).toMatchObject({ kind: 'unknown', why: expect.stringContaining('302') });
  expect(asked).toHaveLength(2);
});

it.each<[string, () => object]>([
  ['signed by somebody else', () => signed({}, 'stranger')],
  ['changed after it was signed', () => ({ ...signed(), Message: '{"AlarmName":"disk"}' })],
  ['whose content is no text', () => ({ ...signed(), Message: ['full'] })],
  ['of another topic', () => signed({ TopicArn: `${topic}-2` })],
  ['of an hour and a half ago', () => signed({ Timestamp: new Date(now - 5_400_000).toISOString() })],
  ['without a time', () => signed({ Timestamp: 'yesterday' })],
  ['no message of SNS at all', () => ({ alertname: 'A' })],
])('is refused: %s', async (_name, make) => {
  expect(await judge(make())).toMatchObject({ kind: 'refused' });
});

it.each([
  'http://sns.eu-west-1.amazonaws.com/x.pem',
  'https://sns.us-east-1.amazonaws.com/x.pem',
  'https://sns.eu-west-1.amazonaws.com.evil.example/x.pem',
  'https://sns.eu-west-1.amazonaws.com@evil.example/x.pem',
  'https://sns.eu-west-1.amazonaws.com:8443/x.pem',
  'https://user:password@sns.eu-west-1.amazonaws.com/x.pem',
  'https://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
])('%s is asked neither for a certificate nor to confirm', async (address) => {
  expect(await judge(signed({ SigningCertURL: address }))).toMatchObject({ kind: 'refused' });
  expect(asked).toEqual([]);
  expect(await judge(subscription({ SubscribeURL: address }))).toMatchObject({ kind: 'refused' });
  expect(asked).toEqual([certificate]);
});

it('what cannot be judged now may come again, and is judged then', async () => {
  const judged = snsReader({
    topics: [topic],
    clock: manualClock(now),
    agent: new Agent({ lookup: nowhere }),
  });
  expect(await judged(JSON.stringify(signed()))).toMatchObject({ kind: 'unknown' });
});

const nowhere = ((_name: string, _options: object, done: (error: Error) => void) =>
  done(new Error('no such host'))) as never;
