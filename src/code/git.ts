/**
 * Git's command line over a repository that is not trusted. The repository's own configuration is never in
 * force: each call runs in a git directory of its own that lends the objects and nothing else, so no hook,
 * fsmonitor, filter, textconv, external diff, pager, alias, signature program or remote of it can be started.
 * Nothing is fetched: an object that is not here is missing.
 */
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type ChildReply, runChild } from './child.ts';

/** Which git to run. */
export interface GitProgram {
  readonly command?: string;
  /** A PATH to look for it on; relative entries are passed over. */
  readonly searchPath?: string;
}

/** A repository that a root lies in. A value: nothing is held open. */
export interface Repository {
  readonly kind: 'repository';
  readonly objects: string;
  /** Of a shallow clone: the file that says where its past ends. */
  readonly shallow: string | null;
  readonly gitDir: string;
  readonly top: string;
  /** The root within the repository: empty, or a path with `/` at its end. */
  readonly prefix: string;
  /** Null where there is no commit yet. */
  readonly head: string | null;
  readonly program: GitProgram;
}

export interface NoRepository {
  readonly kind: 'none';
  /** One line for people. */
  readonly reason: string;
}

export interface GitRequest {
  readonly args: readonly string[];
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: (chunk: Buffer) => 'more' | 'enough';
  /** Lets the command read the files of the working tree. Filters and drivers stay undefined. */
  readonly workTree?: boolean;
}

const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 64 * 1024 * 1024;
const usualPath = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/opt/local/bin'];

/** Finds the repository around a root. Throws `tool_missing` where there is one and git is not installed. */
export async function findRepository(
  root: string,
  program: GitProgram = {},
): Promise<Repository | NoRepository> {
  const place = await realpath(root);
  for (let top = place; ; top = dirname(top)) {
    const gitDir = await gitDirOf(top);
    if (gitDir !== null) return describeRepository(place, top, gitDir, program);
    if (dirname(top) === top) return { kind: 'none', reason: `${root} is not in a git repository.` };
  }
}

/** Runs one git command against the objects of a repository. Every end but a missing git is a value. */
export async function runGit(repository: Repository, request: GitRequest): Promise<ChildReply> {
  const own = await mkdtemp(join(tmpdir(), 'sonde-git-'));
  try {
    await mkdir(join(own, 'refs'));
    await writeFile(join(own, 'HEAD'), `${repository.head ?? 'ref: refs/heads/none'}\n`);
    await writeFile(join(own, 'config'), configFor(repository));
    if (repository.shallow !== null) {
      const boundary = await readFile(repository.shallow).catch(() => null);
      if (boundary !== null) await writeFile(join(own, 'shallow'), boundary);
    }
    return await runChild({
      command: repository.program.command ?? 'git',
      args: ['--no-pager', '--literal-pathspecs', '--no-optional-locks', ...request.args],
      cwd: own,
      env: {
        ...gitEnvironment(repository.program, own),
        GIT_DIR: own,
        GIT_OBJECT_DIRECTORY: repository.objects,
        ...(request.workTree === true && { GIT_WORK_TREE: repository.top }),
      },
      timeoutMs: request.timeoutMs ?? defaultTimeoutMs,
      maxBytes: request.maxBytes ?? defaultMaxBytes,
      signal: request.signal,
      ...(request.input !== undefined && { input: request.input }),
      ...(request.onOutput !== undefined && { onOutput: request.onOutput }),
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** The full id of a commit given by its id, its first digits, or a name such as `v1.2`. Null where unknown. */
export async function resolveCommit(repository: Repository, name: string): Promise<string | null> {
  const query = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  if (!/^[\w][\w./@~^+-]{0,250}$/.test(name)) return null;
  const reply = /^[0-9a-f]{4,64}$/i.test(name)
    ? await runGit(repository, { args: query })
    : await askNames(repository.gitDir, repository.program, query);
  const id = reply.stdout.toString('utf8').trim();
  return reply.code === 0 && /^[0-9a-f]{40,64}$/.test(id) ? id : null;
}

/** `.git` as a folder, or as the file that a worktree or a submodule has. */
async function gitDirOf(top: string): Promise<string | null> {
  const path = join(top, '.git');
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return path;
  if (!found?.isFile() || found.size > 4_096) return null;
  const pointer = /^gitdir: (.+)$/m.exec(await readFile(path, 'utf8'))?.[1];
  return pointer === undefined ? null : resolve(top, pointer.trim());
}

async function describeRepository(
  place: string,
  top: string,
  gitDir: string,
  program: GitProgram,
): Promise<Repository | NoRepository> {
  const pointer = await readFile(join(gitDir, 'commondir'), 'utf8').catch(() => null);
  const common = pointer === null ? gitDir : resolve(gitDir, pointer.trim());
  const objects = join(common, 'objects');
  if (!(await isFolder(objects)))
    return { kind: 'none', reason: `${join(top, '.git')} is damaged: it has no objects.` };
  const reply = await askNames(gitDir, program, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const head = reply.stdout.toString('utf8').trim();
  if (reply.code !== 0 && reply.stderr !== '')
    return { kind: 'none', reason: `Git cannot read ${join(top, '.git')}: ${firstLine(reply.stderr)}.` };
  const prefix = relative(top, place).split(sep).join('/');
  const shallow = join(common, 'shallow');
  return Object.freeze({
    kind: 'repository',
    objects,
    shallow: (await stat(shallow).catch(() => null))?.isFile() ? shallow : null,
    gitDir,
    top,
    prefix: prefix === '' ? '' : `${prefix}/`,
    head: reply.code === 0 && /^[0-9a-f]{40,64}$/.test(head) ? head : null,
    program,
  });
}

/**
 * Asks the repository itself what a name stands for. Here its configuration is read, since it says how names
 * are stored; `rev-parse` of a name starts no program, whatever the configuration holds. Naming the directory
 * outright also avoids the ownership check, which is about configuration coming into force.
 */
async function askNames(gitDir: string, program: GitProgram, args: readonly string[]): Promise<ChildReply> {
  return runChild({
    command: program.command ?? 'git',
    args: ['--no-pager', '-c', 'core.fsmonitor=false', '-c', `core.hooksPath=${devNull}`, ...args],
    cwd: gitDir,
    env: { ...gitEnvironment(program, gitDir), GIT_DIR: gitDir },
    timeoutMs: defaultTimeoutMs,
    maxBytes: 65_536,
  });
}

/** The whole environment of git: no variable of the user's shell, such as GIT_DIR in a hook, reaches it. */
function gitEnvironment(program: GitProgram, home: string): Record<string, string> {
  const path = (program.searchPath?.split(delimiter) ?? usualPath).filter((entry) => isAbsolute(entry));
  return {
    PATH: path.join(delimiter),
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

function configFor(repository: Repository): string {
  const sha256 = (repository.head?.length ?? 40) > 40;
  return [
    '[core]',
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    '\tfsmonitor = false',
    '\tquotePath = false',
    ...(sha256 ? ['[extensions]', '\tobjectformat = sha256'] : []),
    '',
  ].join('\n');
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** What git said, on one line, for a note. */
export function firstLine(stderr: string): string {
  return (stderr.split('\n').find((line) => line.trim() !== '') ?? 'no reason given')
    .replace(/^fatal: /, '')
    .replace(/\.$/, '');
}
