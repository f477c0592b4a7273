/** A repository that is set up to start programs, fetch and write wherever git could be made to. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface HostileRepository {
  readonly root: string;
  readonly commits: readonly string[];
  /** What a shell in which it lies in wait would hand on. */
  readonly env: Readonly<Record<string, string>>;
  /** The programs that were started and the addresses that were reached, if any. */
  listTriggered(): readonly string[];
  /** Every file below the root with its bytes and times. */
  state(): readonly string[];
  remove(): Promise<void>;
}

/** Keys of a repository's configuration that name a program, or that reach out. */
const listTrapKeys = (trap: string, folder: string, url: string): readonly (readonly [string, string])[] => [
  ['core.fsmonitor', trap],
  ['core.hooksPath', join(folder, 'hooks')],
  ['core.pager', trap],
  ['core.editor', trap],
  ['core.sshCommand', trap],
  ['core.askPass', trap],
  ['core.alternateRefsCommand', trap],
  ['core.gitProxy', trap],
  ['core.attributesFile', join(folder, 'attributes')],
  ['core.excludesFile', join(folder, 'excludes')],
  ['core.worktree', folder],
  ['core.preloadIndex', 'true'],
  ['core.untrackedCache', 'true'],
  ['pager.log', trap],
  ['pager.show', trap],
  ['pager.blame', trap],
  ['diff.external', trap],
  ['diff.evil.textconv', trap],
  ['diff.evil.cachetextconv', 'true'],
  ['diff.evil.command', trap],
  ['filter.evil.clean', trap],
  ['filter.evil.smudge', trap],
  ['filter.evil.process', trap],
  ['filter.evil.required', 'true'],
  ['merge.evil.driver', trap],
  ['gpg.program', trap],
  ['gpg.ssh.program', trap],
  ['log.showSignature', 'true'],
  ['log.mailmap', 'true'],
  ['mailmap.file', join(folder, 'mailmap')],
  ['credential.helper', `!${trap}`],
  ['alias.log', `!${trap}`],
  ['alias.show', `!${trap}`],
  ['alias.rev-parse', `!${trap}`],
  ['sequence.editor', trap],
  ['interactive.diffFilter', trap],
  ['uploadpack.packObjectsHook', trap],
  ['remote.origin.url', url],
  ['remote.origin.promisor', 'true'],
  ['remote.origin.partialclonefilter', 'blob:none'],
  ['remote.origin.uploadpack', trap],
  ['remote.origin.proxy', url],
  ['url.ext::sh.insteadOf', 'https:'],
  ['protocol.allow', 'always'],
  ['protocol.ext.allow', 'always'],
  ['protocol.file.allow', 'always'],
  ['submodule.recurse', 'true'],
  ['submodule.evil.update', `!${trap}`],
  ['gc.auto', '1'],
  ['gc.recentObjectsHook', trap],
  ['maintenance.auto', 'true'],
  ['fetch.writeCommitGraph', 'true'],
  ['include.path', join(folder, 'included')],
  [`includeIf.gitdir:/**.path`, join(folder, 'included')],
  ['trace2.eventTarget', join(folder, 'traced')],
  ['extensions.partialClone', 'origin'],
  ['core.repositoryFormatVersion', '1'],
];

const hooks = ['post-checkout', 'pre-commit', 'post-index-change', 'reference-transaction', 'pre-auto-gc'];

/** Found by the PATH before the real one: lets through what the runner starts, and tells of all else. */
const runnerOnly =
  'case "$GIT_DIR" in */sonde-git-*|*/sonde-no-repository) PATH=/usr/local/bin:/usr/bin:/bin exec git "$@";; esac';

/** How the blobs that are missing could be fetched: a program, this machine, another folder. */
const remotes = {
  ext: (trap: string) => `ext::${trap}`,
  ssh: () => 'ssh://git@127.0.0.1:9/x',
  http: (_: string, port: number) => `http://127.0.0.1:${port}/x.git`,
  file: (_trap: string, _port: number, whole: string) => `file://${whole}`,
} as const;

export type Remote = keyof typeof remotes;
export const remoteKinds = Object.keys(remotes) as readonly Remote[];

export async function hostileRepository(kind: Remote): Promise<HostileRepository> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sonde-hostile-')));
  const [root, folder] = [join(base, 'root'), join(base, 'beside')];
  mkdirSync(join(root, 'src'), { recursive: true });
  mkdirSync(join(folder, 'hooks'), { recursive: true });
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Eve',
        GIT_AUTHOR_EMAIL: 'e@x',
        GIT_COMMITTER_NAME: 'Eve',
        GIT_COMMITTER_EMAIL: 'e@x',
      },
    }).trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  git('init', '-q', '-b', 'main');
  write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
  write('.gitmodules', '[submodule "evil"]\n\tpath = sub\n\turl = ext::false\n\tupdate = none\n');
  write('.mailmap', 'Owned <e@x>\n');
  const commits: string[] = [];
  for (const [n, text] of ['retry = 1\n', 'retry = 2\n', 'retry = 2\nlimit = 5\n'].entries()) {
    write('src/delivery.py', `# a failed delivery is tried again\n${text}`);
    git('add', '-A');
    git('commit', '-q', '-m', `Delivery: change ${n}`);
    commits.push(git('rev-parse', 'HEAD'));
  }
  git('tag', '-a', '-m', 'out', 'deploy/1');
  const fullClone = join(base, 'whole.git');
  git('clone', '-q', '--bare', root, fullClone);
  git('replace', commits[2]!, commits[0]!);
  mkdirSync(join(root, '.git/info'), { recursive: true });
  writeFileSync(join(root, '.git/info/grafts'), `${commits[2]!}\n`);
  writeFileSync(join(root, '.git/info/attributes'), '* filter=evil diff=evil\n');

  const log = join(base, 'sprung');
  const trap = join(folder, 'trap');
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> '${log}'\nexit 1\n`);
  chmodSync(trap, 0o755);
  mkdirSync(join(folder, 'bin'));
  for (const [name, extraLine] of Object.entries({
    git: runnerOnly,
    ssh: '',
    'git-remote-ext': '',
    less: '',
  })) {
    const text = `#!/bin/sh\n${extraLine}\necho "${name} $*" >> '${log}'\nexit 1\n`;
    writeFileSync(join(folder, 'bin', name), text, { mode: 0o755 });
  }
  for (const hook of hooks)
    for (const place of [join(folder, 'hooks'), join(root, '.git/hooks')]) {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, hook), `#!/bin/sh\nexec '${trap}' ${hook}\n`);
      chmodSync(join(place, hook), 0o755);
    }
  writeFileSync(join(folder, 'included'), `[core]\n\tfsmonitor = ${trap}\n\tsshCommand = ${trap}\n`);
  const server = await openListener((remotePort) =>
    writeFileSync(log, `a connection from ${remotePort}\n`, { flag: 'a' }),
  );
  const url = remotes[kind](trap, (server.address() as AddressInfo).port, fullClone);
  for (const [key, value] of listTrapKeys(trap, folder, url)) git('config', '--add', key, value);
  // Blobs that only a fetch could bring.
  for (const spec of [`${commits[0]}:src/delivery.py`, `${commits[1]}:src/delivery.py`]) {
    const blob = execFileSync('git', ['rev-parse', spec], {
      cwd: fullClone,
      encoding: 'utf8',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    }).trim();
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });
  }
  rmSync(log, { force: true });

  return {
    root,
    commits,
    env: {
      PATH: `${join(folder, 'bin')}:/usr/local/bin:/usr/bin:/bin`,
      GIT_DIR: fullClone,
      GIT_WORK_TREE: folder,
      GIT_OBJECT_DIRECTORY: join(fullClone, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(fullClone, 'objects'),
      GIT_EXEC_PATH: join(folder, 'bin'),
      GIT_EXTERNAL_DIFF: trap,
      GIT_SSH: trap,
      GIT_SSH_COMMAND: trap,
      GIT_PROXY_COMMAND: trap,
      GIT_ASKPASS: trap,
      GIT_PAGER: trap,
      PAGER: trap,
      GIT_EDITOR: trap,
      GIT_CONFIG_GLOBAL: join(folder, 'included'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: trap,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${trap}'`,
      GIT_TRACE: join(folder, 'traced'),
      GIT_TRACE2_EVENT: join(folder, 'traced'),
      GIT_ALLOW_PROTOCOL: 'ext:file:http:ssh',
      GIT_TEMPLATE_DIR: folder,
    },
    listTriggered: () => [
      ...(existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
      ...(existsSync(join(folder, 'traced')) ? ['a trace was written'] : []),
    ],
    state: () => readState(root),
    async remove() {
      await new Promise((done) => server.close(done));
      rmSync(base, { recursive: true, force: true });
    },
  };
}

async function openListener(onConnection: (remotePort: string) => void): Promise<Server> {
  const server = createServer((socket) => {
    onConnection(String(socket.remotePort));
    socket.destroy();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return server;
}

function readState(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const { mode, mtimeMs, ctimeMs, size } = lstatSync(path);
      const kind = lstatSync(path);
      const bytes = kind.isFile() ? readFileSync(path) : kind.isSymbolicLink() ? readlinkSync(path) : '';
      const hash = createHash('sha256').update(bytes).digest('hex');
      return [name, mode, size, mtimeMs, ctimeMs, hash].join(' ');
    });
}
