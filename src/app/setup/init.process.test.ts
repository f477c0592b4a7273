/** `sonde init incident` as a command: how it ends, and whom it asks. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { environmentOf, launcher, newHome, sonde } from '../testbed/run-sonde.ts';

it('ends with 0 where all is reached, 1 where one is not, 2 for wrong input', async () => {
  const home = newHome();
  const run = (...args: string[]) => sonde(['init', 'incident', ...args], { home });
  const wrong = await run('--set', 'prometheus_token=planted-0123456789');
  expect([wrong.status, wrong.stdout]).toEqual([2, '']);
  expect(wrong.stderr).not.toContain('planted');
  expect(existsSync(join(home, 'sonde.json'))).toBe(false);
  const fine = await run('--set', 'alerts_workers=3', '--sender', 'alertmanager');
  expect(fine.status).toBe(0);
  expect(fine.stdout).toContain('url: http://127.0.0.1:7077/alerts/alertmanager');
  const away = await run('--set', 'prometheus_url=http://127.0.0.1:1', '--json');
  expect(away.status).toBe(1);
  expect(JSON.parse(away.stdout)).toMatchObject({
    file: join(home, 'sonde.json'),
    reachable: false,
    written: ['prometheus_url'],
    systems: [{ name: 'system:prometheus', state: 'broken' }],
  });
});

const pty = fileURLToPath(new URL('../testbed/pseudo_terminal.py', import.meta.url));
const python =
  process.env['CI'] !== undefined ||
  spawnSync('python3', ['-c', 'import pty'], { stdio: 'ignore' }).status === 0;

it.skipIf(!python)('asks on a terminal', async () => {
  const home = newHome();
  const terminal = spawn('python3', [pty, process.execPath, launcher, 'init', 'incident'], {
    env: { ...environmentOf({ home }), TERM: 'xterm' },
  });
  const steps = [
    ['commas: ', 'redis\r'],
    ['HOST:PORT: ', '127.0.0.1:1\r'],
    ['holds it: ', '\r'],
    ['or nothing: ', '\r'],
  ];
  terminal.stdin.end(steps.map((step) => `${JSON.stringify(step)}\n`).join(''));
  let seen = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
  const status = await new Promise((done) => terminal.once('close', done));
  expect([status, stripVTControlCharacters(seen)]).toEqual([1, expect.stringContaining('system:redis')]);
  expect(JSON.parse(readFileSync(join(home, 'sonde.json'), 'utf8'))).toEqual({
    redis_address: '127.0.0.1:1',
  });
});
