/**
 * A program that is ended with everything it has started: on request, when it exits by itself, and when this process
 * is gone, for whatever reason.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../core/index.ts';

export interface GuardedRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Its working directory, outside of any tree. */
  readonly folder: string;
}

export interface Guarded {
  readonly input: Writable;
  readonly output: Readable;
  /** Settles with the reason when it is gone. */
  readonly gone: Promise<string>;
  /** Without a reason it is told as its own end. */
  end(reason?: string): void;
}

/**
 * The shell leads a group of its own and lends the program its streams. Pipe 3 is held by this process alone, so that it
 * closes whenever that ends; then, as when the program ends, the whole group is killed.
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

const keptOfErrors = 2_000;

export function startGuarded({ command, args, env, folder }: GuardedRequest): Guarded {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const child = spawn('/bin/sh', ['-c', guard, 'sonde-guard', command, ...args], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  let cause: string | null = null;
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptOfErrors);
  });
  const gone = new Promise<string>((resolve) => {
    child.on('error', (thrown) => resolve(messageOf(thrown)));
    child.on('close', () => {
      const said = errors.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
      resolve(cause ?? (said === '' ? 'it ended' : `it ended: ${said}`));
    });
  });
  // It does not keep this process alive.
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
      // Its end is waited for, which comes with that of its streams.
      child.ref();
      for (const stream of child.stdio) (stream as { ref?: () => void } | null)?.ref?.();
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It is gone already.
      }
    },
  };
}
