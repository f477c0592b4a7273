/** The set-up of the tests, tried on seeded violations: each run is one of the test runner's own, on a tree made here. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const project = join(import.meta.dirname, '..');
let tree: string;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'sonde-projects-'));
  mkdirSync(join(tree, 'src'));
  mkdirSync(join(tree, 'tmp'));
  symlinkSync(join(project, 'node_modules'), join(tree, 'node_modules'));
});

afterEach(() => rmSync(tree, { recursive: true, force: true }));

const seed = (name: string, body: string): void =>
  writeFileSync(join(tree, 'src', name), `import { expect, it } from 'vitest';\n${body}\n`);

const outside = (): string[] => readdirSync(join(tree, 'tmp'));

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const vitest = join(project, 'node_modules/vitest/vitest.mjs');
  const given = ['run', '--root', tree, '--config', join(project, 'vitest.config.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, ...given], {
    env: { PATH: process.env['PATH'], TMPDIR: join(tree, 'tmp'), NO_COLOR: '1', ...env },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const startsOne = `
  import { spawn } from 'node:child_process';
  it('swallows', () => { try { spawn('true'); } catch {} });`;

it('a unit test that starts a process fails its run, even where the error is swallowed', () => {
  seed('first.test.ts', startsOne);
  const { status, output } = run(['--project', 'unit']);
  expect(output).toContain('This file is no unit test, since it starts true.');
  expect(status).toBe(1);
});

it('a unit test is refused every way to start one', () => {
  const calls = ['spawn', 'exec', 'execFile', 'fork', 'spawnSync', 'execSync', 'execFileSync'];
  const refused = (call: string) =>
    `it('${call}', () => { expect(() => processes.${call}('true')).toThrow('A unit test starts no process'); });`;
  seed(
    'first.test.ts',
    ["import * as processes from 'node:child_process';", ...calls.map(refused)].join('\n'),
  );
  const { status, output } = run(['--project', 'unit']);
  expect(output).toContain(`${calls.length} passed`);
  expect(status).toBe(1);
});

it('the name of a file says which project it is in', () => {
  seed('first.process.test.ts', startsOne);
  seed('second.long.process.test.ts', startsOne);
  seed('third.kill.test.ts', startsOne);
  seed('fourth.test.ts', "it('is', () => {});");
  const projects = ['unit', 'process', 'kill'].map((name) => run(['--project', name]));
  expect(projects.map(({ status, output }) => [status, /Tests +(.*)/.exec(output)?.[1]])).toEqual([
    [0, '1 passed (1)'],
    [0, '2 passed (2)'],
    [0, '1 passed (1)'],
  ]);
});

it('what tests write into the temporary folder goes with the run', () => {
  seed(
    'first.process.test.ts',
    `import { execFileSync } from 'node:child_process';
     import { mkdtempSync } from 'node:fs';
     import { tmpdir } from 'node:os';
     it('writes', () => {
       mkdtempSync(tmpdir() + '/sonde-');
       expect(String(execFileSync('mktemp', ['-d']))).toContain(tmpdir());
     });`,
  );
  expect(run([], { CI: 'true' })).toMatchObject({ status: 0 });
  expect(outside()).toEqual([]);
});

it('a folder that is left elsewhere fails the run in CI, and is named', () => {
  seed(
    'first.test.ts',
    `import { mkdirSync } from 'node:fs';
     it('leaves', () => { mkdirSync(${JSON.stringify(join(tree, 'tmp/sonde-left'))}); });`,
  );
  const { status, output } = run([], { CI: 'true' });
  expect(output).toMatch(/Left behind in .*: sonde-left/);
  expect(status).toBe(1);
});

it('the folder of a run that was killed goes with the next', () => {
  seed('first.test.ts', "it('is', () => {});");
  // No process has this number, which is above the largest that Linux gives.
  const left = join(tree, 'tmp', 'sonde-tests-4194999-abc');
  mkdirSync(left);
  const going = join(tree, 'tmp', `sonde-tests-${process.pid}-abc`);
  mkdirSync(going);
  expect(run([])).toMatchObject({ status: 0 });
  expect([left, going].map((folder) => existsSync(folder))).toEqual([false, true]);
});
