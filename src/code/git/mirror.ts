/**
 * Checks out commits of a remote repository: a local mirror, and next to it one folder for each requested commit. A
 * folder is either complete or absent.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SondeError } from '../../core/index.ts';
import { openFileLock } from '../../store/lock.ts';
import { firstErrorLine, type GitProgram, runGitOnMirror } from './git.ts';

export interface MirrorRequest {
  /** A path, or an address of https or ssh. */
  readonly from: string;
  /** The folder of mirror and checkouts, shared by processes. */
  readonly folder: string;
  /** A commit, a branch or a tag; null: the HEAD of the remote. */
  readonly commit: string | null;
  readonly git: GitProgram;
  /** Where ssh finds its keys. */
  readonly home: string;
  readonly signal?: AbortSignal;
}

export interface Checkout {
  readonly root: string;
  /** The full id. */
  readonly commit: string;
}

const fetchMs = 20 * 60_000;
const localMs = 5 * 60_000;

/** Throws `tool_failed` if the repository can't be reached, `not_found` where it has no such commit. */
export async function openCheckout(request: MirrorRequest): Promise<Checkout> {
  const { from, folder, commit, git, home, signal } = request;
  const mirror = join(folder, 'mirror.git');
  const run = (args: readonly string[], timeoutMs = localMs) =>
    runGitOnMirror(git, { args, home, timeoutMs, ...(signal && { signal }) });

  async function runOrThrow(args: readonly string[], timeoutMs?: number): Promise<void> {
    const { code, stderr } = await run(args, timeoutMs);
    if (code === 0) return;
    throw new SondeError('tool_failed', {
      message: `${from} can't be fetched: ${firstErrorLine(stderr)}`,
      remedy: 'Check that this machine can fetch it without a password prompt.',
    });
  }

  async function findCommit(name: string): Promise<string | null> {
    const args = [
      '--git-dir',
      mirror,
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${name}^{commit}`,
    ];
    const { code, stdout } = await run(args);
    return code === 0 ? stdout.toString('utf8').trim() : null;
  }

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return withLock(join(folder, 'lock'), signal, async () => {
    if (existsSync(join(mirror, 'HEAD'))) {
      const known =
        commit !== null && /^[0-9a-f]{40,64}$/.test(commit) && (await findCommit(commit)) !== null;
      if (!known) await runOrThrow(['--git-dir', mirror, 'fetch', '--quiet', '--prune', 'origin'], fetchMs);
    } else
      await makeAtomically(mirror, (part) =>
        runOrThrow(['clone', '--quiet', '--mirror', '--', from, part], fetchMs),
      );
    const id = await findCommit(commit ?? 'HEAD');
    if (id === null)
      throw new SondeError('not_found', {
        message: `${from} has no commit ${commit ?? 'yet'}`,
        remedy: 'Name one that is pushed there.',
      });
    const root = join(folder, id);
    if (!existsSync(root))
      await makeAtomically(root, async (part) => {
        await runOrThrow(['clone', '--quiet', '--no-checkout', '--', mirror, part]);
        await runOrThrow(['-C', part, 'checkout', '--quiet', '--detach', id]);
      });
    return { root, commit: id };
  });
}

async function makeAtomically(path: string, make: (part: string) => Promise<void>): Promise<void> {
  const part = `${path}.part`;
  rmSync(part, { recursive: true, force: true });
  await make(part);
  renameSync(part, path);
}

async function withLock<Value>(
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  const lock = openFileLock(path);
  try {
    while (!lock.tryTake()) await sleep(50, undefined, { ...(signal && { signal }) });
    return await work();
  } finally {
    lock.release();
  }
}
