/** Who may send, with the tokens and over the server that `sonde serve --alerts` has. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openServer } from '../server/server.ts';
import { createServerAddress } from '../server/server-address.ts';
import { openAlertTokenCheck } from '../tokens/alert-token-check.ts';
import { openTokens } from '../tokens/open-tokens.ts';
import type { NewToken } from '../tokens/tokens.ts';
import { alertPart } from './alert-part.ts';
import { alert, openIntake } from './alerts.contract.ts';

const key = 'planted-alert-token-0123';
const secret = 'planted-hmac-secret';
let folder: string;
let secretFile: string;
const closers: (() => Promise<void> | void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-entry-'));
  secretFile = join(folder, 'secret');
  writeFileSync(secretFile, `${secret}\n`);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true });
});

async function serve() {
  const opened = openIntake();
  const tokens = openTokens({ data: folder });
  const door = openAlertTokenCheck({ data: folder }, key);
  const told: string[] = [];
  const face = alertPart({
    ...{ queue: opened.queue, groups: opened.groups, clock: opened.clock, tokenCheck: door },
    tell: (line) => told.push(line),
    onAlerts: () => {},
  });
  const reach = createServerAddress({ bind: '127.0.0.1', port: 0, proxies: [], hosts: [] });
  const server = await openServer({ serverAddress: reach, parts: [face], tell: () => {} });
  closers.push(
    () => opened.db.close(),
    () => door.close(),
    () => tokens.close(),
    () => server.close(),
  );
  const add = (name: string, more: Partial<NewToken>): string =>
    tokens.add({ name, place: { kind: 'alerts' }, allow: null, author: false, kept: false, ...more });
  const ask = async (path: string, headers: Record<string, string>, body?: string) => {
    const response = await fetch(`${server.address}${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body }),
    });
    const text = await response.text();
    return { status: response.status, text, reply: text.startsWith('{') ? JSON.parse(text) : {} };
  };
  const kept = async () => (await opened.groups.counts()).alerts;
  return { ...opened, tokens, add, ask, kept, told };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const hmac = (text: string, by = secret) => createHmac('sha256', by).update(text).digest('hex');
/** The clock of the tests. Seconds since the Unix epoch. */
const now = 1_000;

const event = (id: string, title = 'disk full') =>
  JSON.stringify({
    event: {
      id,
      event_type: 'incident.triggered',
      data: { id: 'PABC', title, service: { summary: 'orders' } },
    },
  });

/** By sender: the headers of a message that is signed at a time. */
const signed: Readonly<Record<string, (body: string, at?: number, by?: string) => Record<string, string>>> = {
  pagerduty: (body, _, by) => ({ 'X-PagerDuty-Signature': `v1=${'0'.repeat(64)}, v1=${hmac(body, by)}` }),
  sentry: (body, at = now, by) => ({
    'Sentry-Hook-Timestamp': String(at),
    'Sentry-Hook-Signature': hmac(body, by),
  }),
  grafana: (body, at = now, by) => ({
    'X-Grafana-Alerting-Timestamp': String(at),
    'X-Grafana-Alerting-Signature': hmac(`${at}:${body}`, by),
  }),
};

describe.each(Object.entries(signed))('%s, which signs', (sender, sign) => {
  const body = sender === 'pagerduty' ? event('01') : alert('Näme', { sender });

  it('is let in by its signature, with its token and without', async () => {
    const { add, ask, kept } = await serve();
    const token = add(sender, { sender, secretFile });
    expect(await ask(`/alerts/${sender}`, sign(body), body)).toMatchObject({ status: 202 });
    const other = body.replace('01', '02').replace('Näme', 'Other');
    expect(await ask('/alerts', { ...sign(other), ...bearer(token) }, other)).toMatchObject({ status: 202 });
    expect(await kept()).toBe(2);
  });

  it('is told what is wrong with a signature that is none', async () => {
    const { add, ask } = await serve();
    add(sender, { sender, secretFile });
    const short = sender === 'pagerduty' ? 'v1=abc' : 'abc';
    const cut = Object.entries(sign(body)).map(([name, value]) => [
      name,
      /signature$/i.test(name) ? short : value,
    ]);
    const { status, reply } = await ask(`/alerts/${sender}`, Object.fromEntries(cut), body);
    expect([status, reply.error]).toEqual([
      401,
      expect.stringMatching(/^the header .* contains no signature .*64 hexadecimal digits$/),
    ]);
  });

  it('counts a delivery once, however often and whenever it comes', async () => {
    const { add, ask, kept, clock } = await serve();
    add(sender, { sender, secretFile });
    const first = await ask(`/alerts/${sender}`, sign(body), body);
    clock.advance(60_000);
    const second = await ask(`/alerts/${sender}`, sign(body), body);
    expect(second).toMatchObject({ status: 202, reply: { repeated: true, taken: first.reply.taken } });
    expect(await kept()).toBe(1);
  });

  it.each<[string, (sent: string) => [headers: Record<string, string>, body: string]]>([
    ['the signature of another secret', (sent) => [sign(sent, now, 'another'), sent]],
    ['the signature of another message', (sent) => [sign(`${sent} `), sent]],
    ['no signature, and a token', (sent) => [{}, sent]],
    ['half a signature', (sent) => [{ ...sign(sent), ...halved(sign(sent)) }, sent]],
    ...(sender === 'pagerduty'
      ? []
      : ([
          ['the time of an hour ago', (sent) => [sign(sent, now - 3_600), sent]],
          ['the time of an hour to come', (sent) => [sign(sent, now + 3_600), sent]],
          ['no time at all', (sent) => [sign(sent, Number.NaN), sent]],
        ] as [string, (sent: string) => [Record<string, string>, string]][])),
  ])('is refused with %s', async (_name, make) => {
    const { add, ask, kept } = await serve();
    const token = add(sender, { sender, secretFile });
    const [headers, sent] = make(body);
    expect((await ask(`/alerts/${sender}`, { ...headers, ...bearer(token) }, sent)).status).toBe(401);
    expect(await kept()).toBe(0);
  });

  it('is told to come again while its secret cannot be read', async () => {
    const { add, ask, kept, told } = await serve();
    add(sender, { sender, secretFile });
    rmSync(secretFile);
    expect((await ask(`/alerts/${sender}`, sign(body), body)).status).toBe(503);
    writeFileSync(secretFile, secret);
    expect((await ask(`/alerts/${sender}`, sign(body), body)).status).toBe(202);
    expect(await kept()).toBe(1);
    expect(told.join()).not.toContain(secret);
  });
});

const halved = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.slice(0, value.length / 2)]),
  );

it('a signed time cannot be left out of what Grafana signed', async () => {
  const { add, ask } = await serve();
  add('grafana', { sender: 'grafana', secretFile });
  const body = alert('A');
  const { 'X-Grafana-Alerting-Signature': signature = '' } = signed['grafana']!(body);
  const headers = { 'X-Grafana-Alerting-Signature': signature };
  expect((await ask('/alerts/grafana', headers, body)).status).toBe(401);
  const untimed = { 'X-Grafana-Alerting-Signature': hmac(body) };
  expect((await ask('/alerts/grafana', untimed, body)).status).toBe(202);
});

it('the signature of one sender is none of another', async () => {
  const { add, ask } = await serve();
  add('sentry', { sender: 'sentry', secretFile });
  const body = alert('A');
  expect((await ask('/alerts/pagerduty', signed['pagerduty']!(body), body)).status).toBe(401);
  expect((await ask('/alerts', signed['sentry']!(body), body)).status).toBe(401);
});

describe('a token of one sender', () => {
  it('sends as that sender, at any of its addresses', async () => {
    const { add, ask, db } = await serve();
    const headers = bearer(add('datadog', { sender: 'datadog' }));
    expect((await ask('/alerts', headers, alert('A'))).status).toBe(202);
    expect((await ask('/alerts/datadog', headers, alert('A'))).reply).toMatchObject({ joined: 1 });
    expect((await ask('/alerts/opsgenie', headers, alert('A'))).status).toBe(403);
    expect(String(db.get('SELECT key FROM queue_jobs')?.['key'])).toMatch(/^datadog/);
  });

  it('sees nothing, and retries nothing', async () => {
    const { add, ask } = await serve();
    const headers = bearer(add('datadog', { sender: 'datadog' }));
    for (const path of ['/alerts', '/alerts/groups']) expect((await ask(path, headers)).status).toBe(403);
    expect((await ask('/alerts/groups/1/retry', headers, '')).status).toBe(403);
    const measured = await ask('/metrics', headers);
    expect(measured.status).toBe(403);
    expect(measured.text).toContain('only sends the alerts of datadog');
    expect(measured.text).toContain('sonde token add NAME --alerts');
    expect((await ask('/metrics', {})).status).toBe(401);
    expect((await ask('/alerts', bearer(key))).status).toBe(200);
  });

  it('that was taken away opens nothing, and its secret neither', async () => {
    const { add, ask, tokens } = await serve();
    const headers = bearer(add('datadog', { sender: 'datadog' }));
    add('sentry', { sender: 'sentry', secretFile });
    for (const name of ['datadog', 'sentry']) tokens.remove({ kind: 'alerts' }, name);
    expect((await ask('/alerts', headers, alert('A'))).status).toBe(401);
    const body = alert('A');
    expect((await ask('/alerts/sentry', signed['sentry']!(body), body)).status).toBe(401);
  });
});

describe('what is nothing of its sender', () => {
  it.each([
    ['words', 'not json {'],
    ['a list that never ends', '['.repeat(100_000)],
    ['a number', '42'],
    ['a list without alerts', '{"alerts":[]}'],
    ['a message without alerts', '{"version":"4","status":"firing","groupLabels":{},"alerts":[]}'],
    ['an empty list', '[]'],
    ['broken JSON', '{"alerts":[{"labels":{"alertname":"A"}}'],
  ])('%s: is refused, and opens no group', async (_name, body) => {
    const { add, ask, kept } = await serve();
    for (const sender of ['alertmanager', 'json', 'sentry']) {
      const headers = bearer(add(sender, { sender }));
      for (const path of ['/alerts', `/alerts/${sender}`])
        expect((await ask(path, headers, body)).reply, path).toMatchObject({ taken: [] });
      expect((await ask('/alerts', headers, body)).status).toBe(400);
    }
    expect(await kept()).toBe(0);
  });

  it('is taken as text of one who sends texts', async () => {
    const { add, ask, kept } = await serve();
    expect((await ask('/alerts', bearer(add('text', { sender: 'text' })), 'not json {')).status).toBe(202);
    expect((await ask('/alerts', bearer(key), 'db-3 is down')).status).toBe(202);
    expect(await kept()).toBe(2);
  });
});

describe('a delivery that is numbered', () => {
  const sns = (id: string) =>
    JSON.stringify({
      Type: 'Notification',
      TopicArn: 'arn:aws:sns:eu-west-1:1:t',
      MessageId: id,
      Message: 'full',
    });

  it.each([
    ['PagerDuty', event],
    ['SNS', sns],
  ])('of %s counts once with a token, too', async (_name, make) => {
    const { ask, kept } = await serve();
    const post = (body: string) => ask('/alerts', bearer(key), body);
    const first = await post(make('01'));
    // Its sender may well write it in another way when it sends it again.
    expect((await post(make('01').replace('{', '{ '))).reply).toEqual({ ...first.reply, repeated: true });
    expect((await post(make('02'))).reply).toMatchObject({ joined: 1 });
    expect(await kept()).toBe(2);
  });

  it('is not done with while a part of it was refused', async () => {
    const { ask, kept, db } = await serve();
    db.run("CREATE TRIGGER full BEFORE INSERT ON alerts BEGIN SELECT RAISE(ABORT, 'no space'); END");
    expect((await ask('/alerts', bearer(key), event('01'))).status).toBe(500);
    db.run('DROP TRIGGER full');
    expect((await ask('/alerts', bearer(key), event('01'))).reply).toMatchObject({ opened: 1 });
    expect(await kept()).toBe(1);
  });
});

it('measures what was refused and repeated, by words of its own', async () => {
  const { add, ask } = await serve();
  add('sentry', { sender: 'sentry', secretFile });
  const body = alert('planted-name');
  for (const by of [secret, secret, 'another'])
    await ask('/alerts/sentry', signed['sentry']!(body, now, by), body);
  const { text } = await ask('/metrics', bearer(key));
  expect(text).toMatch(/sonde_alerts_total\{sender="json",outcome="repeated".*\} 1/);
  expect(text).toMatch(/sonde_alerts_total\{sender="sentry",outcome="not_let_in".*\} 1/);
  expect(text).not.toContain('planted-name');
});
