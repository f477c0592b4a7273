import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newHome, sonde, startSonde } from '../../testbed/run-sonde.ts';

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
  const one = addressIn(await first.waitFor((said) => /^\{.*"address".*\}$/m.exec(said)?.[0]));
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

it('starts the browser with a file of its owner, so that no list of processes has the code', async () => {
  const home = newHome();
  await sonde(['world', 'new', 'main'], { home });
  const programs = join(home, 'programs');
  mkdirSync(programs);
  const told = join(home, 'told');
  writeFileSync(
    join(programs, 'xdg-open'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${told}.part'\nmv '${told}.part' '${told}'\n`,
    {
      mode: 0o755,
    },
  );
  const PATH = `${programs}:${process.env['PATH']}`;
  const first = startSonde(['ui', '--port', '0', '--json'], { home, env: { PATH } });
  const address = addressIn(await first.waitFor((said) => /^\{.*"address".*\}$/m.exec(said)?.[0]));
  await expect.poll(() => existsSync(told)).toBe(true);
  const given = readFileSync(told, 'utf8').trim();
  expect(given).toMatch(/^file:\/\/\/.*\/ui\/[\w-]+\.html$/);
  const file = fileURLToPath(given);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  const code = address.hash.replace('#code=', '');
  expect(given).not.toContain(code);
  const page = readFileSync(file, 'utf8');
  expect(page).toContain(`content="0;url=${address.href}"`);
  expect(page).not.toContain('<script');
  expect((await enter(address)).status).toBe(200);

  // Of before, once its code is worth nothing.
  utimesSync(file, 0, 0);
  rmSync(told);
  expect((await sonde(['ui', '--json'], { home, env: { PATH } })).status).toBe(0);
  await expect.poll(() => existsSync(told)).toBe(true);
  expect(existsSync(file)).toBe(false);
  first.child.kill('SIGTERM');
  expect((await first.ended).status).toBe(0);
});

it('says what to do without the workspace', async () => {
  const { status, stdout } = await sonde(['ui', '--no-open', '--json', '--workspace', 'nowhere'], {});
  expect([status, JSON.parse(stdout).error.code]).toEqual([2, 'not_found']);
});
