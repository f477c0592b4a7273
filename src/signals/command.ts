/**
 * Runs one fixed program for a signal. Whoever makes a `RunCommand` fixes the program, its environment and its folder; the
 * signal gives arguments and reads the output.
 */
export interface CommandRequest {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  /** Maximum output in bytes; more ends the program. */
  readonly maxBytes: number;
  /** Called with each chunk of output; the return value `enough` ends the program. Without it `stdout` collects the output. */
  readonly onOutput?: (chunk: Buffer) => 'more' | 'enough';
}

export interface CommandReply {
  /** The exit code; null if a signal ended the program. */
  readonly code: number | null;
  /** Empty if there was an `onOutput`. */
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly ended: 'exit' | 'timeout' | 'too_much' | 'enough';
}

/** Throws if the program does not exist; every other end is a value. */
export type RunCommand = (request: CommandRequest) => Promise<CommandReply>;
