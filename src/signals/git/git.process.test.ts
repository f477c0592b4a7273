import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { manualClock, type Signal } from '../../core/index.ts';
import { runReal } from '../run-command.contract.ts';
import { contractLimits, signalContract } from '../signal.contract.ts';
import { createDatedGit } from './dated-git.contract.ts';
import { openGit } from './git.ts';
import { pathsOfPatch } from './git-log.ts';

const place = mkdtempSync(join(tmpdir(), 'sonde-git-signal-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const noon = Date.UTC(2026, 6, 11, 12);
const hour = 3_600_000;
const window = { from: noon - hour, to: noon + hour, baseline_from: noon - 3 * hour, derivation: 'a test' };

/** Commits an hour apart; the repository is set up to start programs wherever git could be made to. */
function repository(): string {
  const root = mkdtempSync(join(place, 'repository-'));
  const git = createDatedGit(root);
  git(0, 'init', '-q', '-b', 'main');
  for (let k = -5; k <= 2; k++) {
    mkdirSync(join(root, 'src'), { recursive: true });
    writeFileSync(join(root, 'src', 'shop.go'), `const ttl = ${k + 20}\npassword = "git-secret-${k + 20}"\n`);
    if (k === 0) writeFileSync(join(root, 'größe.txt'), 'retry once\n');
    git(noon, 'add', '.');
    git(noon + k * hour, 'commit', '-q', '-m', `change ${k}\n\nwith a body`);
  }
  for (const [k, name] of [
    [-2, 'deploy/7'],
    [-1, 'v1.9'],
    [0, 'deploy/8'],
  ] as const)
    git(noon + k * hour + 60_000, 'tag', '-a', '-m', 'password=git-secret-19', name, `HEAD~${2 - k}`);
  writeFileSync(join(root, '.gitattributes'), '* diff=evil\n');
  git(noon, 'config', 'diff.evil.command', `touch ${join(root, 'ran')}`);
  git(noon, 'config', 'diff.evil.textconv', `touch ${join(root, 'ran')};`);
  git(noon, 'config', 'core.pager', `touch ${join(root, 'ran')}`);
  return root;
}

const open = (root: string, more = {}): Signal =>
  openGit({ run: runReal('git', root), root, clock: manualClock(noon), ...more });
const ask = (signal: Signal, name: string, args: unknown) =>
  signal.questions.find((one) => one.name === name)!.ask(args, { window, limits: contractLimits });

signalContract('git', async () => {
  const root = repository();
  const head = execFileSync('git', ['rev-parse', 'HEAD~2'], { cwd: root, encoding: 'utf8' }).trim();
  return {
    signal: open(root),
    window,
    ask: { git_changes: {}, git_deploys: {}, git_commit: { commit: head } },
    plentiful: ['git_changes'],
    secrets: ['git-secret-19', 'git-secret-20'],
    broken: {
      unreachable: openGit({ run: runReal('/no/such/git', '/'), root, clock: manualClock(noon) }),
      silent: openGit({ run: runReal('sh', '/', ['-c', 'sleep 60']), root, clock: manualClock(noon) }),
      garbage: openGit({ run: runReal('false', '/'), root, clock: manualClock(noon) }),
    },
    dispose: async () => {},
  };
});

test('commits of the window with their diffs, newest first, and nothing that the repository wants is run', async () => {
  const root = repository();
  const reply = await ask(open(root, { service: 'shop' }), 'git_changes', {});
  if (reply.kind === 'failure' || reply.rows.kind !== 'changes') throw new Error(JSON.stringify(reply));
  expect(reply.rows.changes.map(({ title }) => title)).toEqual([
    'change 0',
    'change -1',
    'change -2',
    'change -3',
  ]);
  expect(reply.rows.changes[0]).toMatchObject({
    kind: 'commit',
    at: noon,
    service: 'shop',
    author: 'Ann',
    paths: expect.arrayContaining(['src/shop.go']),
    diff: expect.stringContaining('+const ttl = 20'),
  });
  expect(existsSync(join(root, 'ran'))).toBe(false);
});

test('tags that mark deploys, each with the commits since the one before; a version is none', async () => {
  const root = repository();
  const hash = (name: string): string =>
    execFileSync('git', ['rev-parse', name], { cwd: root, encoding: 'utf8' }).trim();
  const reply = await ask(open(root, { service: 'shop' }), 'git_deploys', {});
  if (reply.kind === 'failure' || reply.rows.kind !== 'changes') throw new Error(JSON.stringify(reply));
  expect(reply.rows.changes).toMatchObject([
    { id: 'deploy/8', at: noon + 60_000, service: 'shop', commits: [hash('HEAD~2'), hash('HEAD~3')] },
    { id: 'deploy/7', at: noon - 2 * hour + 60_000 },
  ]);
});

test.each([
  [{ contains: 'retry once' }, ['change 0']],
  [{ path: 'src/shop.go' }, ['change 0', 'change -1', 'change -2', 'change -3']],
  [{ path: '../outside' }, 'refused'],
  [{ path: '--output=/tmp/x' }, []],
])('%j', async (args, expected) => {
  const reply = await ask(open(repository()), 'git_changes', args);
  if (reply.kind === 'failure') expect(reply.reason).toBe(expected);
  else if (reply.rows.kind === 'changes')
    expect(reply.rows.changes.map(({ title }) => title)).toEqual(expected);
});

test.each([
  ['0000000000', 'not_found'],
  ['HEAD', 'bad_query'],
  ['--output=/tmp/x', 'bad_query'],
])('the commit %s is %s', async (commit, reason) => {
  expect(await ask(open(repository()), 'git_commit', { commit })).toMatchObject({ kind: 'failure', reason });
});

test('a commit from after the window is not known yet', async () => {
  const root = repository();
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  expect(await ask(open(root), 'git_commit', { commit: head })).toMatchObject({ reason: 'not_found' });
});

test('paths of a patch', () => {
  expect(
    pathsOfPatch('diff --git a/a b.txt b/a b.txt\n--- x\ndiff --git "a/\\303\\244" "b/\\303\\244"\n'),
  ).toEqual(['a b.txt', '\\303\\244']);
});
