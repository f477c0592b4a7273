import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openPassCheck } from './host-endpoint.ts';
import { createPassKey, makePass, readPass } from './host-pass.ts';

const holder = { name: 'ada', allow: 'read-only', author: false, client: 'c1' } as const;
const key = createPassKey();

it('says whose it is, to who has the key', () => {
  const pass = makePass(key, holder);
  expect(pass).toMatch(/^[\w-]{1,200}$/);
  expect(readPass([createPassKey(), key], pass)).toEqual(holder);
});

it.each([
  ['nothing', ''],
  ['a word', 'wrong'],
  ['another key', makePass(createPassKey(), holder)],
  ['other rights', makePass(key, holder).slice(0, 43) + makePass(key, { ...holder, author: true }).slice(43)],
  ['a cut one', makePass(key, holder).slice(0, -4)],
  ['more behind it', `${makePass(key, holder)}AAAA`],
])('is none with %s', (_, shown) => {
  expect(readPass([key], shown)).toBeNull();
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function deskOf() {
  const said: { readonly key: string }[] = [];
  let isHeld = true;
  const desk = await openPassCheck(
    { setAbout: async (about) => void said.push(about as { key: string }), isHeld: () => isHeld },
    { url: 'http://127.0.0.1:1', certFile: null },
    { worker: 'w', place: { kind: 'workspace', workspace: 'main', id: 's' }, tell() {} },
  );
  return {
    desk,
    newest: () => said.at(-1)!.key,
    lose() {
      isHeld = false;
    },
  };
}

it('counts for the key before the newest, and for none before that', async () => {
  const { desk, newest } = await deskOf();
  const pass = makePass(newest(), holder);
  expect(desk.findToken(pass)).toMatchObject({ name: 'ada', allow: 'read-only', author: false });
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(desk.findToken(makePass(newest(), holder))).not.toBeNull();
  expect(desk.findToken(pass)).not.toBeNull();
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(desk.findToken(pass)).toBeNull();
  desk.close();
});

it('opens nothing once the place may be another’s', async () => {
  const { desk, newest, lose } = await deskOf();
  const pass = makePass(newest(), holder);
  const connection = desk.findConnection(pass);
  expect(connection?.caller.name).toBe('ada');
  // What it has read is remembered from one request to the next.
  expect(desk.findConnection(makePass(newest(), holder))).toBe(connection);
  expect(desk.findConnection(makePass(newest(), { ...holder, client: 'c2' }))).not.toBe(connection);
  lose();
  expect([desk.findToken(pass), desk.findConnection(pass)]).toEqual([null, null]);
  desk.close();
});
