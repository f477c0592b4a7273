import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type Confinement, chooseConfinement } from './confinement.ts';
import { permissionFlags } from './process-host.ts';
import { seccompFilter } from './seccomp.ts';

/**
 * What code that broke out of V8's own sandbox might try; each attempt as `name: done` or `name: why not`. An
 * environment of nothing but PWD is empty: bubblewrap itself sets that, to `/`.
 */
const probe = `
const attempts = {
  read: () => require('node:fs').readFileSync('/etc/passwd', 'utf8').slice(0, 4),
  write: () => require('node:fs').writeFileSync(${JSON.stringify(join(tmpdir(), 'sonde-probe'))}, 'x'),
  list: () => require('node:fs').readdirSync('/home').length,
  spawn: () => { const { error } = require('node:child_process').spawnSync(process.execPath, ['-v']); if (error) throw error; },
  environment: () => { if (Object.keys(process.env).join() === 'PWD' || Object.keys(process.env).length === 0) throw new Error('empty'); },
  status: () => { throw new Error(require('node:fs').readFileSync('/proc/self/status', 'utf8').match(/NoNewPrivs.*|CapBnd.*/g).join(' ').replace(/\\s+/g, ' ')); },
};
const connect = new Promise((resolve) => {
  try { require('node:net').connect(${'PORT'}, '127.0.0.1').on('connect', () => resolve('done')).on('error', (e) => resolve(e.code)); }
  catch (e) { resolve(e.code); }
});
for (const [name, attempt] of Object.entries(attempts)) {
  try { attempt(); console.log(name + ': done'); } catch (e) { console.log(name + ': ' + (e.code ?? e.message)); }
}
connect.then((result) => { console.log('connect: ' + result); process.exit(0); });`;

async function tried(confinement: Confinement, flags: readonly string[]): Promise<Record<string, string>> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const code = probe.replace('PORT', String(port));
  const [command = '', ...args] = confinement.wrap(process.execPath, [...flags, '-e', code], [], 3);
  const child = spawn(command, args, { env: {}, cwd: '/', stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const pipe = child.stdio[3] as NodeJS.WritableStream;
  pipe.on('error', () => {});
  pipe.end(confinement.filter ?? '');
  const output = await text(child.stdout!);
  server.close();
  return Object.fromEntries(
    output
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
}

describe('what the process around the workers may do', () => {
  test('without any of it, everything: the probe works', async () => {
    const free = await tried(await chooseConfinement('none'), []);
    expect(free).toMatchObject({
      read: 'done',
      write: 'done',
      spawn: 'done',
      connect: 'done',
      environment: 'empty',
    });
  });

  test('under the permission model: no files, no processes, no network', async () => {
    const denied = 'ERR_ACCESS_DENIED';
    expect(await tried(await chooseConfinement('none'), permissionFlags([]))).toMatchObject({
      read: denied,
      write: denied,
      list: denied,
      spawn: denied,
      connect: denied,
      environment: 'empty',
    });
  });

  test('under bubblewrap alone (skipped where it does not work)', async (context) => {
    const confinement = await chooseConfinement('bubblewrap');
    // CI installs it: there, a skip would hide that nothing was tested.
    if (confinement.kind !== 'bubblewrap' && process.env['CI'] === undefined)
      return context.skip(confinement.detail);
    expect(confinement.kind, confinement.detail).toBe('bubblewrap');
    const result = await tried(confinement, []);
    expect(result).toMatchObject({
      read: 'ENOENT',
      list: 'ENOENT',
      spawn: 'EPERM',
      environment: 'empty',
      status: 'ENOENT',
    });
    expect(['EPERM', 'EACCES', 'ENETUNREACH', 'ECONNREFUSED']).toContain(result['connect']);
  });

  test('under setpriv alone (skipped where it does not work)', async (context) => {
    const confinement = await chooseConfinement('setpriv');
    if (confinement.kind !== 'setpriv') return context.skip(confinement.detail);
    expect((await tried(confinement, []))['status']).toMatch(
      /CapBnd: 0+ NoNewPrivs: 1|NoNewPrivs: 1.*CapBnd: 0+/,
    );
  });

  test('filters are whole instructions, for the machines that are known', () => {
    for (const architecture of ['x64', 'arm64']) expect(seccompFilter(architecture)!.length % 8).toBe(0);
    expect(seccompFilter('mips')).toBeNull();
  });
});
