import { isSondeError } from '../../core/index.ts';
import { findRepository, type GitProgram, runGit } from './git.ts';

interface Command {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  /** Output beyond this ends the command. Bytes. */
  readonly maxBytes: number;
  readonly onOutput?: (chunk: Buffer) => 'more' | 'enough';
}

interface Ending {
  /** Null if it was ended by a signal. */
  readonly code: number | null;
  /** Empty if `onOutput` received it. */
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly ended: 'exit' | 'timeout' | 'too_much' | 'enough';
}

/** Used if the caller passes no signal. Milliseconds. */
const maxMs = 10 * 60_000;

/**
 * Runs git commands of a caller in the repository of a folder, or in a bare repository. Only commands that read are
 * allowed. Paths are relative to the folder. Throws `tool_missing`; if there is no repository, the reply is git's
 * error.
 */
export function gitCommands(root: string, program: GitProgram = {}): (command: Command) => Promise<Ending> {
  return async ({ args, signal, maxBytes, onOutput }) => {
    try {
      const repository = await findRepository(root, { ...program, bare: true });
      if (repository.kind === 'none')
        return { code: 128, stdout: Buffer.alloc(0), stderr: repository.reason, ended: 'exit' };
      return await runGit(repository, {
        args,
        signal,
        maxBytes,
        timeoutMs: maxMs,
        names: true,
        workTree: 'root',
        ...(onOutput !== undefined && { onOutput }),
      });
    } catch (thrown) {
      if (!isSondeError(thrown, 'cancelled')) throw thrown;
      return { code: null, stdout: Buffer.alloc(0), stderr: '', ended: 'timeout' };
    }
  };
}
