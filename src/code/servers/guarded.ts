/**
 * Runs a program that is killed together with all its children: on request, when it exits, and when this process ends
 * for any reason.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../core/index.ts';
import { isProcessThere } from '../../store/lock.ts';

export interface GuardedRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Its working directory, outside of any tree. */
  readonly folder: string;
}

export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves with the reason when it has ended. */
  readonly gone: Promise<string>;
  /** Without a reason, it is reported as the program's own exit. */
  end(reason?: string): void;
}

/**
 * The shell starts a process group and passes its streams to the program. Only this process holds the other end of
 * pipe 3, so the pipe closes when this process ends. Then, and when the program exits, the whole group is killed.
 */
const guard = [
  'exec 4<&0 </dev/null',
  '"$@" <&4 3<&- 4<&- &',
  'server=$!',
  'exec 4<&- >/dev/null 2>&1',
  '{ read -r _ <&3; kill -s KILL 0; } &',
  'exec 3<&-',
  'wait "$server"',
  'kill -s KILL 0',
].join('\n');

const maxErrorCharacters = 2_000;

export function startGuarded({ command, args, env, folder }: GuardedRequest): ServerProcess {
  const temporary = makeTemporaryFolder(folder);
  const child = spawn('/bin/sh', ['-c', guard, 'sonde-guard', command, ...args], {
    cwd: folder,
    env: { ...env, TMPDIR: temporary },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  let cause: string | null = null;
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrorCharacters);
  });
  const gone = new Promise<string>((resolve) => {
    child.on('error', (thrown) => resolve(messageOf(thrown)));
    child.on('close', () => {
      const said = errors.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
      removeFolder(temporary);
      resolve(cause ?? (said === '' ? 'it ended' : `it ended: ${said}`));
    });
  });
  // The child must not keep this process alive.
  child.unref();
  for (const stream of child.stdio) {
    stream?.on('error', () => {});
    (stream as { unref?: () => void } | null)?.unref?.();
  }
  return {
    input: child.stdin!,
    output: child.stdout!,
    gone,
    end(reason) {
      cause ??= reason ?? null;
      // Waits until its streams have ended too.
      child.ref();
      for (const stream of child.stdio) (stream as { ref?: () => void } | null)?.ref?.();
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    },
  };
}

let started = 0;

/**
 * A folder for the temporary files of one program: a killed one leaves them. It is removed when the program has ended;
 * those of processes that no longer live are removed here.
 */
function makeTemporaryFolder(folder: string): string {
  const all = join(folder, 'tmp');
  mkdirSync(all, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(all))
    if (!isProcessThere(Number(name.split('.')[0]))) removeFolder(join(all, name));
  started += 1;
  const own = join(all, `${process.pid}.${started}`);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  return own;
}

/** Files that an ending program still writes are removed at the next start. */
function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {}
}
