/**
 * Runs git on a repository that is not trusted: the only place in Sonde that starts git. The repository's
 * configuration never applies: each call uses a temporary git directory that borrows the objects and nothing else, so
 * no hook, fsmonitor, filter, textconv, external diff, pager, alias, signature program or remote of it can run.
 * Nothing is fetched (a missing object stays missing) and nothing is written. The exception are Sonde's own mirrors
 * (`mirror.ts`), which are fetched and checked out.
 */
import { realpath } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { type ChildReply, runChild } from '../child.ts';
import {
  type ConfigValue,
  findBarePlace,
  findPlace,
  type GitPlace,
  maxConfig,
  type NoRepository,
  readSmallFile,
} from './git-place.ts';
import { withTemporaryGitDir } from './temporary-git-dir.ts';

/** Which git to run. */
export interface GitProgram {
  readonly command?: string;
  /** The PATH on which git is looked up; relative entries are skipped. */
  readonly searchPath?: string;
}

/** The repository that contains a root. A plain value: nothing stays open. */
export interface Repository {
  readonly kind: 'repository';
  readonly place: GitPlace;
  readonly shallow: boolean;
  /** The path of the root within the repository: empty, or ending with `/`. */
  readonly prefix: string;
  /** Null before the first commit. */
  readonly head: string | null;
  readonly format: 'sha1' | 'sha256';
  readonly program: GitProgram;
}

export interface GitRequest {
  readonly args: readonly string[];
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: (chunk: Buffer) => 'more' | 'enough';
  /** An index file for the command to read; if absent, it has no index. */
  readonly index?: string;
  /**
   * The command may read the working tree, with paths from the top of the repository (`top`) or from the root
   * (`root`). Filters and drivers stay undefined.
   */
  readonly workTree?: 'top' | 'root';
  /** The command can name branches and tags. */
  readonly names?: boolean;
}

export interface FindOptions extends GitProgram {
  /** The root may be a bare repository itself. */
  readonly bare?: boolean;
}

const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 64 * 1024 * 1024;
const usualPath = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/opt/local/bin'];

/** Finds the repository around a root. Throws `tool_missing` if there is one and git is not installed. */
export async function findRepository(
  root: string,
  options: FindOptions = {},
): Promise<Repository | NoRepository> {
  const place = await realpath(root);
  const { bare = false, ...program } = options;
  for (let top = place; ; top = dirname(top)) {
    let found = await findPlace(top, configReader(program));
    if (found === null && bare && top === place) found = await findBarePlace(top);
    if (found?.kind === 'none') return found;
    if (found !== null) return describeRepository(place, found, program);
    if (dirname(top) === top)
      return { kind: 'none', reason: `${root} is not in a git repository.`, isThere: false };
  }
}

/** Runs one git command against the objects of a repository. Every end but a missing git is a value. */
export async function runGit(repository: Repository, request: GitRequest): Promise<ChildReply> {
  const { place, head, format, program } = repository;
  const tree = place.top === null ? undefined : request.workTree;
  return withTemporaryGitDir(
    { place, head: head ?? noCommit, names: request.names === true, format },
    (own) =>
      runChild({
        command: program.command ?? 'git',
        args: ['--no-pager', '--literal-pathspecs', '--no-optional-locks', ...request.args],
        cwd: tree === 'root' ? join(place.top!, repository.prefix) : own,
        env: {
          ...gitEnvironment(program, own),
          GIT_DIR: own,
          GIT_OBJECT_DIRECTORY: join(place.common, 'objects'),
          ...(request.index !== undefined && { GIT_INDEX_FILE: request.index }),
          ...(tree !== undefined && { GIT_WORK_TREE: place.top! }),
        },
        timeoutMs: request.timeoutMs ?? defaultTimeoutMs,
        maxBytes: request.maxBytes ?? defaultMaxBytes,
        signal: request.signal,
        ...(request.input !== undefined && { input: request.input }),
        ...(request.onOutput !== undefined && { onOutput: request.onOutput }),
      }),
  );
}

const noCommit = 'ref: refs/heads/none';

/** The full id of a commit that is given by its id, its first digits, or a name such as `v1.2`. Null if unknown. */
export async function resolveCommit(repository: Repository, name: string): Promise<string | null> {
  if (!/^[\w][\w./@~^+-]{0,250}$/.test(name)) return null;
  const names = !/^[0-9a-f]{4,64}$/i.test(name);
  const reply = await runGit(repository, {
    args: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
    names,
  });
  return parseCommitId(reply);
}

/** Runs git on a repository that Sonde made itself; may fetch. The user's configuration does not apply. */
export function runGitOnMirror(
  program: GitProgram,
  {
    args,
    home,
    timeoutMs,
    signal,
  }: Pick<GitRequest, 'args' | 'signal'> & { readonly home: string; readonly timeoutMs: number },
): Promise<ChildReply> {
  return runChild({
    command: program.command ?? 'git',
    args: ['--no-pager', '-c', 'core.hooksPath=/dev/null', '-c', 'safe.directory=*', ...args],
    cwd: tmpdir(),
    env: { ...gitEnvironment(program, home), GIT_ALLOW_PROTOCOL: 'file:https:ssh' },
    timeoutMs,
    maxBytes: 65_536,
    signal,
  });
}

/** The version line of git. Throws `tool_missing`. */
export async function gitVersion(program: GitProgram = {}): Promise<string> {
  const reply = await runOutside(program, ['--version']);
  return reply.stdout.toString('utf8').split('\n')[0]?.trim() || 'installed';
}

async function describeRepository(
  root: string,
  place: GitPlace,
  program: GitProgram,
): Promise<Repository | NoRepository> {
  const shown = place.top === null ? place.gitDir : join(place.top, '.git');
  const format = await readFormat(place, program);
  if (format === null)
    return { kind: 'none', reason: `Git cannot read ${join(shown, 'config')}.`, isThere: true };
  const reply = await withTemporaryGitDir({ place, head: null, names: false, format }, (own) =>
    runChild({
      command: program.command ?? 'git',
      args: ['--no-pager', 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}'],
      cwd: own,
      env: {
        ...gitEnvironment(program, own),
        GIT_DIR: own,
        GIT_OBJECT_DIRECTORY: join(place.common, 'objects'),
      },
      timeoutMs: defaultTimeoutMs,
      maxBytes: 65_536,
    }),
  );
  if (reply.code !== 0 && reply.stderr !== '')
    return {
      kind: 'none',
      reason: `Git cannot read ${shown}: ${firstErrorLine(reply.stderr)}.`,
      isThere: true,
    };
  const prefix = place.top === null ? '' : relative(place.top, root).split(sep).join('/');
  return Object.freeze({
    kind: 'repository',
    place,
    shallow: (await readSmallFile(join(place.common, 'shallow'), Number.MAX_SAFE_INTEGER)) !== null,
    prefix: prefix === '' ? '' : `${prefix}/`,
    head: parseCommitId(reply),
    format,
    program,
  });
}

/** The hash function of the objects, which is set only in the configuration. Null if it can't be read. */
async function readFormat(place: GitPlace, program: GitProgram): Promise<Repository['format'] | null> {
  const file = join(place.common, 'config');
  const text = await readSmallFile(file, maxConfig);
  if (text === null || !/objectformat/i.test(text)) return 'sha1';
  const format = (await configReader(program)(file, 'extensions.objectformat')) ?? 'sha1';
  return format === 'sha1' || format === 'sha256' ? format : null;
}

/** Git parses the file as data: its settings don't apply, and files that it includes are not read. */
function configReader(program: GitProgram): ConfigValue {
  return async (file, key) => {
    const reply = await runOutside(program, [
      'config',
      '--file',
      file,
      '--no-includes',
      '--null',
      '--get',
      key,
    ]);
    return reply.code === 0 ? reply.stdout.toString('utf8').replace(/\0$/, '') : null;
  };
}

/** Runs git outside of any repository, whatever the working directory of this process. */
function runOutside(program: GitProgram, args: readonly string[]): Promise<ChildReply> {
  return runChild({
    command: program.command ?? 'git',
    args,
    cwd: tmpdir(),
    env: { ...gitEnvironment(program, tmpdir()), GIT_DIR: join(tmpdir(), 'sonde-no-repository') },
    timeoutMs: defaultTimeoutMs,
    maxBytes: 65_536,
  });
}

function parseCommitId(reply: ChildReply): string | null {
  const id = reply.stdout.toString('utf8').trim();
  return reply.code === 0 && /^[0-9a-f]{40,64}$/.test(id) ? id : null;
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

/** The first line of git's error output, for a note. */
export function firstErrorLine(stderr: string): string {
  return (stderr.split('\n').find((line) => line.trim() !== '') ?? 'no reason given')
    .replace(/^fatal: /, '')
    .replace(/\.$/, '');
}
