import { expect, it } from 'vitest';
import { newHome, sonde, startSonde } from '../testbed/run-sonde.ts';

const addressIn = (text: string): URL => new URL(JSON.parse(/^\{.*"address".*\}$/m.exec(text)![0]).address);

const enter = ({ origin, hash }: URL): Promise<Response> =>
  fetch(`${origin}/api/v1/session`, {
    method: 'POST',
    headers: { origin, 'x-sonde': 'page' },
    body: JSON.stringify({ code: hash.replace('#code=', '') }),
  });

it('is a server where there is none, finds the one that there is, and each address lets one window in', async () => {
  const home = newHome();
  await sonde(['world', 'new', 'main'], { home });
  const first = startSonde(['ui', '--port', '0', '--no-open', '--json'], { home });
  const one = addressIn(await first.until((said) => /^\{.*"address".*\}$/m.exec(said)?.[0]));
  expect(await (await fetch(one.origin)).text()).toContain('<title>Sonde</title>');

  const second = await sonde(['ui', '--no-open', '--json'], { home });
  expect(second.status).toBe(0);
  expect(JSON.parse(second.stdout)).toMatchObject({ started: false });
  const other = addressIn(second.stdout);
  expect(other.origin).toBe(one.origin);
  expect(other.hash).not.toBe(one.hash);

  const entered = await enter(one);
  expect([entered.status, entered.headers.get('set-cookie')]).toEqual([
    200,
    expect.stringMatching(/HttpOnly; SameSite=Strict/),
  ]);
  expect((await enter(one)).status).toBe(401);
  expect((await enter(other)).status).toBe(200);

  first.child.kill('SIGTERM');
  expect((await first.ended).status).toBe(0);
});

it('says what to do without the workspace', async () => {
  const { status, stdout } = await sonde(['ui', '--no-open', '--json', '--workspace', 'nowhere'], {});
  expect([status, JSON.parse(stdout).error.code]).toEqual([2, 'not_found']);
});
