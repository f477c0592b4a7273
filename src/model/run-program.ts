import { type ChildProcess, spawn } from 'node:child_process';

export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the program and everything it started. */
  readonly signal: AbortSignal;
  /** Maximum bytes of standard output, and of standard error. */
  readonly maxOutputBytes: number;
}

export type ProgramEnd =
  | {
      readonly kind: 'ended';
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'not_started'; readonly why: string }
  | { readonly kind: 'too_much_output' }
  | { readonly kind: 'aborted' };

/** The time between SIGTERM and SIGKILL. Milliseconds. */
const graceMs = 1_000;

/**
 * Runs a program without a shell, in its own process group, so that its children end with it. Resolves when the program
 * has ended; any children left are killed then.
 */
export function runProgram(call: ProgramCall): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let programEnd: ProgramEnd | undefined;
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let child: ChildProcess;
    try {
      child = spawn(call.command, [...call.args], {
        cwd: call.cwd,
        env: { ...call.env },
        stdio: ['pipe', 'pipe', 'pipe'],
        shell: false,
        detached: true,
        windowsHide: true,
      });
    } catch (thrown) {
      resolve({ kind: 'not_started', why: String(thrown) });
      return;
    }
    const kill = () => killGroup(child, 'SIGKILL');
    // A program that ignores SIGTERM would outlive this process.
    process.once('exit', kill);
    const stop = (why: ProgramEnd) => {
      if (programEnd) return;
      programEnd = why;
      killGroup(child, 'SIGTERM');
      setTimeout(kill, graceMs).unref();
    };
    const onAbort = () => stop({ kind: 'aborted' });
    const collect = (chunks: Buffer[]) => {
      let size = 0;
      return (chunk: Buffer) => {
        size += chunk.length;
        if (size > call.maxOutputBytes) stop({ kind: 'too_much_output' });
        else chunks.push(chunk);
      };
    };
    // Registered before the streams are used: if the machine can't start the process, there are no streams.
    child.on('error', (thrown) => {
      process.off('exit', kill);
      call.signal.removeEventListener('abort', onAbort);
      resolve(programEnd ?? { kind: 'not_started', why: thrown.message });
    });
    child.stdout?.on('data', collect(stdout));
    child.stderr?.on('data', collect(stderr));
    // A program that ends without reading its input breaks the pipe. Its exit code reports the failure.
    child.stdin?.on('error', () => {});
    // Children may keep the pipes open, so this does not wait for the pipes to close.
    child.on('exit', (exitCode) => {
      process.off('exit', kill);
      kill();
      const finish = () => {
        call.signal.removeEventListener('abort', onAbort);
        const decode = (parts: readonly Buffer[]) => Buffer.concat(parts).toString('utf8');
        resolve(programEnd ?? { kind: 'ended', exitCode, stdout: decode(stdout), stderr: decode(stderr) });
      };
      const closeTimer = setTimeout(finish, graceMs);
      child.on('close', () => {
        clearTimeout(closeTimer);
        finish();
      });
    });
    if (call.signal.aborted) onAbort();
    else call.signal.addEventListener('abort', onAbort, { once: true });
    child.stdin?.end(call.stdin);
  });
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
