import { spawn } from 'node:child_process';
import { messageOf, SondeError, toSystemError } from '../core/index.ts';

export interface ChildRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs: number;
  /** Standard output beyond this ends the child. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with standard output as it arrives; returning `enough` ends the child. If absent, the output is collected.
   */
  readonly onOutput?: (chunk: Buffer) => 'more' | 'enough';
}

export interface ChildReply {
  /** Null if the child was ended by a signal. */
  readonly code: number | null;
  /** Empty if `onOutput` received it. */
  readonly stdout: Buffer;
  /** Its first 8 KB. */
  readonly stderr: string;
  /** Why it ended. `too_much`: the output limit; `enough`: `onOutput` ended it, or the signal. */
  readonly ended: 'exit' | 'timeout' | 'too_much' | 'enough';
}

const stderrBytes = 8_192;

/** Runs a program without a shell. Throws `tool_missing` and `cancelled`; every other end is a value. */
export function runChild(request: ChildRequest): Promise<ChildReply> {
  return new Promise((resolve, reject) => {
    const createCancelledError = () =>
      new SondeError('cancelled', {
        message: `${request.command} was cancelled.`,
        remedy: 'Start it again.',
      });
    if (request.signal?.aborted) return reject(createCancelledError());
    const child = startChild(request);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    let ended: ChildReply['ended'] = 'exit';
    const stop = (why: ChildReply['ended']) => {
      if (ended !== 'exit') return;
      ended = why;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => stop('timeout'), request.timeoutMs);
    const abort = () => stop('enough');
    request.signal?.addEventListener('abort', abort, { once: true });
    const finish = () => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
    };
    // Registered first: if the process can't be started, the child has no streams.
    child.on('error', (thrown) => {
      finish();
      reject(toStartError(request.command, thrown));
    });
    if (child.stdout === null || child.stdout === undefined) return;
    child.stdout.on('data', (chunk: Buffer) => {
      if (ended !== 'exit') return;
      bytes += chunk.length;
      if (request.onOutput === undefined) chunks.push(chunk);
      else if (request.onOutput(chunk) === 'enough') return stop('enough');
      if (bytes > request.maxBytes) stop('too_much');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < stderrBytes) stderr = (stderr + text).slice(0, stderrBytes);
    });
    child.stdin.on('error', () => {}); // The process may exit before it has read its input.
    child.stdin.end(request.input ?? '');
    child.on('close', (code) => {
      finish();
      if (request.signal?.aborted) reject(createCancelledError());
      else resolve({ code, stdout: Buffer.concat(chunks), stderr: stderr.trim(), ended });
    });
  });
}

/** `spawn` throws at once if the arguments are too long for the system; here that rejects the promise. */
function startChild({ command, args, cwd, env }: ChildRequest) {
  try {
    return spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
  } catch (thrown) {
    throw toStartError(command, thrown as Error & { code?: string });
  }
}

function toStartError(command: string, thrown: Error & { code?: string }): SondeError {
  if (thrown.code === 'E2BIG')
    return new SondeError('bad_argument', {
      message: `The arguments are too long for ${command}`,
      remedy: 'Search for a few rare words of the text instead.',
      cause: thrown,
    });
  const systemError =
    thrown.code === 'ENOENT' ? null : toSystemError(thrown, `${command} could not be started`);
  return (
    systemError ??
    new SondeError('tool_missing', {
      message: `${command} could not be started: ${messageOf(thrown)}.`,
      remedy: `Install ${command}, or see that it is on the PATH.`,
      cause: thrown,
    })
  );
}
