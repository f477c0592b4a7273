import { expect, test } from 'vitest';
import { z } from 'zod';
import { isSondeError } from '../core/index.ts';
import { openHttp } from './http.ts';
import { httpDouble, nobody } from './http-double.contract.ts';

const signal = new AbortController().signal;
const credential = { reveal: () => 'p4ssw0rd-of-bob' };
const basic = { kind: 'basic', user: 'bob', password: credential } as const;

test('sends its credential to its own origin, and shows it nowhere', async () => {
  const other = await httpDouble(() => ({ json: {} }));
  const server = await httpDouble(({ path, headers }) => {
    if (path === '/away') return { text: '', status: 302, headers: { location: `${other.base}/elsewhere` } };
    if (path === '/near') return { text: '', status: 307, headers: { location: '/echo' } };
    if (path === '/round') return { text: '', status: 302, headers: { location: '/round' } };
    return { json: { sent: headers.authorization, password: 'p4ssw0rd-of-bob' } };
  });
  const http = openHttp({ system: 'test', base: `${server.base}/`, fetch, authorization: basic });
  expect(JSON.stringify(http)).not.toContain('p4ss');
  const echo = await http.get('/near', {}, signal);
  expect(echo).toMatchObject({ kind: 'reply', text: '{"sent":"Basic [secret]","password":"[secret]"}' });
  expect(await http.get('/away', {}, signal)).toMatchObject({ kind: 'failure', reason: 'refused' });
  expect(await http.get('/round', {}, signal)).toMatchObject({ kind: 'failure', reason: 'refused' });
  expect(other.requests).toEqual([]);
  await server.close();
  await other.close();
});

test('a credential that comes back has the mark that it was given', async () => {
  const server = await httpDouble(({ path, headers }) =>
    path === '/fails'
      ? { text: 'no p4ssw0rd-of-bob', status: 500 }
      : { json: { sent: headers.authorization, own: headers['x-key'] } },
  );
  const password = { ...credential, mark: '[secret:password:0a1b2c]' };
  const http = openHttp({ system: 'test', base: server.base, fetch, authorization: { ...basic, password } });
  expect(await http.get('/', {}, signal)).toMatchObject({
    text: '{"sent":"Basic [secret:password:0a1b2c]"}',
  });
  expect(await http.get('/fails', {}, signal)).toMatchObject({
    message: expect.stringContaining('no [secret:password:0a1b2c]'),
  });
  await server.close();
});

test('a user and password in an address are a credential, and no part of the source', async () => {
  const server = await httpDouble(({ headers }) => ({ json: headers.authorization ?? null }));
  const http = openHttp({ system: 'test', base: server.base.replace('//', '//bob:s3cr%2Ft-word@'), fetch });
  expect(http.source).toBe(server.base);
  await http.get('/', {}, signal);
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa('bob:s3cr/t-word')}`);
  await server.close();
});

test.each([
  [400, 'bad_query'],
  [401, 'refused'],
  [404, 'not_found'],
  [413, 'too_large'],
  [429, 'refused'],
  [503, 'unreachable'],
  [504, 'timeout'],
])('status %d is %s', async (status, reason) => {
  const headers = status === 429 ? { 'retry-after': '0' } : {};
  const server = await httpDouble(() => ({ text: 'because token=abcdef', status, headers }));
  const reply = await openHttp({ system: 'test', base: server.base, fetch }).get(
    '/x',
    { a: ['1', '2'], b: undefined },
    signal,
  );
  expect(reply).toMatchObject({
    kind: 'failure',
    reason,
    // Masked by the question that it fails, as every failure is.
    message: expect.stringContaining('because token=abcdef'),
  });
  expect(server.requests[0]?.query.getAll('a')).toEqual(['1', '2']);
  await server.close();
});

test('an answer that is too large, of another shape, or nobody', async () => {
  const server = await httpDouble(({ path }) =>
    path === '/text' ? { text: 'x'.repeat(5_000) } : { json: { a: 1 } },
  );
  const http = openHttp({ system: 'test', base: server.base, fetch, maxBytes: 1_000 });
  expect(await http.get('/text', {}, signal)).toMatchObject({ reason: 'too_large' });
  expect(await http.getJson('/json', {}, z.object({ b: z.string() }), signal)).toMatchObject({
    reason: 'bad_reply',
  });
  expect(await openHttp({ system: 'test', base: nobody, fetch }).get('/', {}, signal)).toMatchObject({
    reason: 'unreachable',
  });
  await server.close();
});

test('posts a query only to the paths that were named', async () => {
  const server = await httpDouble(({ method, body }) => ({ json: { method, body } }));
  const http = openHttp({ system: 'test', base: server.base, fetch, postPaths: ['/search'] });
  expect(
    await http.postJson('/search', { q: 1 }, z.object({ method: z.string(), body: z.string() }), signal),
  ).toMatchObject({
    value: { method: 'POST', body: '{"q":1}' },
  });
  const thrown = await http.postJson('/delete', {}, z.unknown(), signal).catch((error: unknown) => error);
  expect(isSondeError(thrown, 'bad_argument')).toBe(true);
  expect(server.requests).toHaveLength(1);
  await server.close();
});

test.each(['ftp://x', 'nonsense', ''])('the address %j is refused without being told', (base) => {
  expect(() => openHttp({ system: 'test', base, fetch })).toThrow(
    'The address of test is no http or https address.',
  );
});
