/** incident.md: Pipeline 4. The alert intake over a real socket on this machine. */

import { connect } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { SondeError } from '../../core/index.ts';
import { alertLimits } from '../../tasks/incident/index.ts';
import { openServer } from '../server/server.ts';
import { createServerAddress } from '../server/server-address.ts';
import type { AlertTokenCheck } from '../tokens/alert-token-check.ts';
import { alertPart } from './alert-part.ts';
import { alert, openIntake } from './alerts.contract.ts';
import type { AlertQueue } from './queue.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const token = 'planted-alert-token-0123';
const others = 'of-a-workspace-0123456789';
const door: Pick<AlertTokenCheck, 'check' | 'secretFiles'> = {
  check: (shown) =>
    shown === token
      ? { kind: 'holder', sender: null, secretFile: null }
      : { kind: shown === others ? 'wrong_place' : 'unknown' },
  secretFiles: () => [],
};

interface Reply {
  readonly taken: readonly { readonly index: number; readonly state: string }[];
  readonly refused: readonly { readonly index: number; readonly code: string; readonly message: string }[];
}

async function endpoint(max = 1_000, queue?: AlertQueue) {
  const opened = openIntake({ max });
  closers.push(() => opened.db.close());
  let woken = 0;
  const face = alertPart({
    queue: queue ?? opened.queue,
    groups: opened.groups,
    clock: opened.clock,
    tokenCheck: door,
    tell: () => {},
    onAlerts: () => (woken += 1),
  });
  const reach = createServerAddress({ bind: '127.0.0.1', port: 0, proxies: [], hosts: [] });
  const server = await openServer({ serverAddress: reach, parts: [face], tell: () => {} });
  closers.push(() => server.close());
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${server.address}/alerts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
      body,
    });
  const get = async (query = ''): Promise<Record<string, unknown>> =>
    (await (
      await fetch(`${server.address}/alerts${query}`, { headers: { authorization: `Bearer ${token}` } })
    ).json()) as Record<string, unknown>;
  return { ...opened, server, post, get, woken: () => woken };
}

const read = async (response: Response): Promise<Reply & { readonly status: number }> => ({
  status: response.status,
  ...((await response.json()) as Reply),
});

describe('who may send', () => {
  it.each([
    ['no token', { authorization: '' }, 401],
    ['a wrong token', { authorization: 'Bearer nothing' }, 401],
    ['a token for something else', { authorization: `Bearer ${others}` }, 403],
    ['a page of a browser', { origin: 'http://evil.example' }, 403],
  ])('%s: %j is answered %s', async (_, headers, status) => {
    const { post, groups } = await endpoint();
    expect((await post(alert('A'), headers as Record<string, string>)).status).toBe(status);
    expect((await groups.counts()).alerts).toBe(0);
  });
});

it('measures by words of its own alone', async () => {
  const { post, server } = await endpoint();
  await post(alert('A', { pod: 'planted-name' }));
  await post(alert('A'));
  await post(alert('A', { status: 'resolved' }));
  await post('[{}]');
  const measured = (shown: string) =>
    fetch(`${server.address}/metrics`, { headers: { authorization: `Bearer ${shown}` } });
  expect((await measured(others)).status).toBe(403);
  expect((await measured('nothing')).status).toBe(401);
  const text = await (await measured(token)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('sonde_'));
  expect(
    lines.map((line) => line.replace(/otel_scope_\w+="[^"]*",?/g, '').replace(/,}/, '}')).sort(),
  ).toEqual([
    'sonde_alert_group_oldest_waiting_seconds 0',
    'sonde_alert_groups{state="done"} 0',
    'sonde_alert_groups{state="failed"} 0',
    'sonde_alert_groups{state="running"} 0',
    'sonde_alert_groups{state="waiting"} 1',
    'sonde_alerts_total{sender="json",outcome="joined"} 1',
    'sonde_alerts_total{sender="json",outcome="opened"} 1',
    'sonde_alerts_total{sender="json",outcome="resolved"} 1',
    'sonde_alerts_total{sender="unknown",outcome="empty"} 1',
  ]);
  expect(text).not.toContain('planted-name');
});

describe('beside POST /alerts', () => {
  const ask = (address: string, path: string, method = 'GET', body?: string) =>
    fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });

  it('a sender may have an address of its own, and groups of its own', async () => {
    const { server } = await endpoint();
    const post = async (path: string) =>
      (await (await ask(server.address, path, 'POST', alert('A'))).json()) as Reply;
    expect((await post('/alerts')).taken).toMatchObject([{ state: 'opened' }]);
    expect((await post('/alerts/Datadog')).taken).toMatchObject([{ state: 'opened' }]);
    expect((await post('/alerts/datadog')).taken).toMatchObject([{ state: 'joined' }]);
    expect((await ask(server.address, '/alerts/nobody', 'POST', alert('A'))).status).toBe(404);
  });

  it('groups are listed, and one that failed is tried again', async () => {
    const { server, post, start, fail, woken } = await endpoint();
    await post(alert('A'));
    const groups = async (query = '') =>
      (await (await ask(server.address, `/alerts/groups${query}`)).json()) as object;
    expect(await groups('?state=waiting')).toMatchObject({ groups: [{ id: 1, state: 'waiting' }], more: 0 });
    expect((await ask(server.address, '/alerts/groups?state=x')).status).toBe(400);
    const retry = async (id: string) =>
      (await ask(server.address, `/alerts/groups/${id}/retry`, 'POST')).status;
    expect(await Promise.all([retry('1'), retry('99'), retry('x')])).toEqual([409, 404, 400]);
    await fail(await start('run-1'), 'away');
    const before = woken();
    expect(await retry('1')).toBe(202);
    expect(woken()).toBe(before + 1);
    expect(await groups()).toMatchObject({ groups: [{ id: 1, state: 'waiting' }] });
  });
});

describe('what is sent', () => {
  it('is kept before it is answered, and the answer names each', async () => {
    const { post, groups, woken } = await endpoint();
    const answer = await post(alert('A'));
    expect([answer.status, await answer.json()]).toEqual([
      202,
      {
        alerts: 1,
        opened: 1,
        joined: 0,
        resolved: 0,
        taken: [{ index: 0, id: 1, group: 1, sender: 'json', state: 'opened' }],
        refused: [],
      },
    ]);
    expect(await groups.counts()).toMatchObject({ alerts: 1, waiting: 1 });
    expect(woken()).toBe(1);
  });

  it.each([
    ['nothing', '', 400, 'empty'],
    ['nothing, as JSON', ' [{}] ', 400, 'empty'],
    ['five million bytes', 'x'.repeat(5_000_000), 413, 'too_large'],
    ['five million bytes in a few', gzipSync('x'.repeat(5_000_000)), 413, 'too_large'],
    ['what is not packed as it says', Buffer.from('plain'), 400, 'bad_encoding'],
  ])('%s is refused, with a word', async (_, body, status, code) => {
    const { post, groups } = await endpoint();
    const packed: Record<string, string> = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' };
    const sent = typeof body === 'string' ? body : Uint8Array.from(body);
    expect(await read(await post(sent, packed))).toMatchObject({
      status,
      taken: [],
      refused: [{ index: 0, code }],
    });
    expect((await groups.counts()).alerts).toBe(0);
  });

  it('a body that never ends is refused as soon as it is too large', async () => {
    const { server, groups } = await endpoint();
    const { hostname, port } = new URL(server.address);
    const socket = connect(Number(port), hostname);
    closers.push(() => void socket.destroy());
    socket.write(
      `POST /alerts HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const more = (): void => {
      while (socket.writable && socket.write(piece));
    };
    socket.on('drain', more).on('error', () => {});
    more();
    const first = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    expect(first).toMatch(/^HTTP\/1\.1 413 /);
    expect((await groups.counts()).alerts).toBe(0);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateRawSync],
  ] as const)('packed by %s it is unpacked', async (encoding, pack) => {
    const { post, groups } = await endpoint();
    const sent = Uint8Array.from(pack(Buffer.from(alert('A'))));
    expect((await post(sent, { 'content-encoding': encoding })).status).toBe(202);
    expect((await groups.list({ max: 1 })).groups[0]?.title).toContain('A (orders)');
  });

  it.each(['zstd', 'compress', 'gzip, br', 'aes128gcm', 'toString'])(
    'packed by %s it is refused, and the answer names what is taken',
    async (encoding) => {
      const { post, groups } = await endpoint();
      const message = 'content-encoding may be identity, gzip, deflate, br; send it as one of them.';
      expect(await read(await post(alert('A'), { 'content-encoding': encoding }))).toMatchObject({
        status: 400,
        refused: [{ index: 0, code: 'bad_encoding', message }],
      });
      expect((await groups.counts()).alerts).toBe(0);
    },
  );

  it.each([
    ['UTF-8 with a mark', Buffer.from(`\ufeff${alert('Größe')}`), ''],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${alert('Größe')}`, 'utf16le'), ''],
    ['UTF-16 without one', Buffer.from(alert('Größe'), 'utf16le'), ''],
    ['UTF-16, big end first', Buffer.from(alert('Größe'), 'utf16le').swap16(), ''],
    ['Latin-1 that says so', Buffer.from(alert('Größe'), 'latin1'), 'application/json; charset=ISO-8859-1'],
    ['Latin-1 that says nothing', Buffer.from(alert('Größe'), 'latin1'), 'application/json'],
    ['Latin-1 that says UTF-8', Buffer.from(alert('Größe'), 'latin1'), 'application/json; charset=utf-8'],
    ['characters that nobody knows', Buffer.from(alert('Größe')), 'application/json; charset=klingon'],
  ])('in %s it is read', async (_, bytes, type) => {
    const { post, groups } = await endpoint();
    expect((await post(Uint8Array.from(bytes), { 'content-type': type })).status).toBe(202);
    expect((await groups.list({ max: 1 })).groups[0]?.title).toContain('Größe (orders)');
  });

  it('of some taken and some refused the answer is 207, and a full queue says when to come again', async () => {
    const { post } = await endpoint(1);
    const some = await post(`[${alert('A')}, null, ${alert('B')}]`);
    expect(some.headers.get('retry-after')).toBe('30');
    expect(await read(some)).toMatchObject({
      status: 207,
      taken: [{ index: 0 }],
      refused: [
        { index: 1, code: 'empty' },
        { index: 2, code: 'full' },
      ],
    });
    const none = await post(alert('B'));
    expect([none.status, none.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await none.json()).toMatchObject({ taken: [], refused: [{ index: 0, code: 'full' }] });
  });

  it('what was too large is cut with its length, and what is nested too deep beside eight good ones harms none', async () => {
    const { post, db } = await endpoint();
    const deep = `{"alertname":"Deep","details":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
    const good = Array.from({ length: 8 }, (_, n) => alert(`Good${n}`));
    const together = await Promise.all([deep, ...good].map((body) => post(body)));
    expect(together.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 202));
    expect((await read(await post(`[${[...good, deep].join()}]`))).taken).toHaveLength(9);
    const long = JSON.stringify({ alertname: 'Long', text: 'x'.repeat(600_000) });
    expect((await post(long)).status).toBe(202);
    const [last] = db.all('SELECT sent FROM alerts ORDER BY id DESC LIMIT 1');
    expect(String(last?.['sent'])).toContain(`[cut: the alert had ${long.length} characters]`);
    expect(String(last?.['sent']).length).toBeLessThanOrEqual(alertLimits.characters);
  });

  it('a message that cannot be written harms none that came with it', async () => {
    const opened = openIntake();
    closers.push(() => opened.db.close());
    const receive: typeof opened.queue.receive = (messages) => {
      if (JSON.stringify(messages).includes('poison')) throw new RangeError('too much');
      return opened.queue.receive(messages);
    };
    const { post } = await endpoint(1_000, { ...opened.queue, receive });
    const answers = await Promise.all([alert('A'), alert('poison'), alert('B')].map((body) => post(body)));
    expect(answers.map(({ status }) => status)).toEqual([202, 500, 202]);
    expect(await answers[1]!.json()).toMatchObject({ taken: [], refused: [{ index: 0, code: 'not_kept' }] });
  });

  it('that come while the store is away are to be sent again soon', async () => {
    const opened = openIntake();
    closers.push(() => opened.db.close());
    const receive: typeof opened.queue.receive = () => {
      throw new SondeError('store_away', { message: 'it is away', remedy: 'Wait.' });
    };
    const { post } = await endpoint(1_000, { ...opened.queue, receive });
    const refused = await post(alert('A'));
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, 30]);
    expect(await refused.json()).toMatchObject({ taken: [], refused: [{ code: 'not_kept' }] });
  });

  it('a storm of 1,000 alerts: none lost, few groups', async () => {
    const { post, groups } = await endpoint();
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        post(alert(`Alert${n % 7}`, { pod: `pod-${n}`, fired_at: 1_772_706_240 + n })),
      ),
    );
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    expect(await groups.counts()).toMatchObject({ alerts: 1_000, waiting: 7 });
  });
});

describe('GET /alerts', () => {
  it('gives the counts and the groups, all of them or those of one state', async () => {
    const { post, get, start, fail } = await endpoint();
    await post(`[${alert('A')}, ${alert('B')}, ${alert('A', { pod: 'a-2' })}]`);
    await fail(await start('run-1'), 'no power');
    expect(await get()).toMatchObject({ alerts: 3, waiting: 1, failed: 1, more: 0 });
    const failed = await get('?state=failed');
    expect(failed['groups']).toMatchObject([
      { id: 1, title: 'A (orders)', state: 'failed', reason: 'no power', alerts: 2, run: 'run-1' },
    ]);
    expect(await get('?state=odd')).toEqual({ error: 'state may be waiting, running, done, failed' });
  });
});
