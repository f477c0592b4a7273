/**
 * How a signal runs a program. Which program, its environment and its folder are fixed by whoever makes this; the
 * signal only reads the output.
 */
export interface CommandRequest {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  /** Output beyond this ends the program. Bytes. */
  readonly maxBytes: number;
  /** Sees the output as it comes; `enough` ends the program. Without it the output is collected. */
  readonly onOutput?: (chunk: Buffer) => 'more' | 'enough';
}

export interface CommandReply {
  /** Null if it was ended by a signal. */
  readonly code: number | null;
  /** Empty where `onOutput` took it. */
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly ended: 'exit' | 'timeout' | 'too_much' | 'enough';
}

/** Throws where the program is not there; every other end is a value. */
export type RunCommand = (request: CommandRequest) => Promise<CommandReply>;
