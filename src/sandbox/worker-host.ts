import { SondeError } from '../core/index.ts';
import { type Message, type MessageKind, noBytes } from './inside/protocol.ts';

/** The host's end of the connection to one worker. */
export interface WorkerConnection {
  send(kind: MessageKind, text: string, bytes: Uint8Array): void;
  /** Sets the listener for the worker's messages. There is one at a time. */
  listen(listener: (message: Message) => void): void;
  /** Resolves once the worker is gone, with the reason in one line. */
  readonly ended: Promise<string>;
  /** Numbers a command, so that a late `cancel` can't kill the next command, or one of the next session. */
  nextSerial(): number;
  /** Kills the command with this serial number, if it is the one that runs. */
  cancel(serial: number): void;
  /** Number of the process that the worker is in, in the order of their starts; 0 for this process. */
  readonly processNumber: number;
  /** Ends the worker. */
  end(): Promise<void>;
}

/** Starts workers, as threads of this process or in another. */
export interface WorkerHost {
  /** Starts a worker, and waits until it is ready. Throws `tool_failed`. */
  connect(): Promise<WorkerConnection>;
  /** Facts about the isolation, for `health`. */
  facts(): readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  close(): Promise<void>;
}

/** Waits for a worker's first message. */
export async function waitUntilReady(connection: WorkerConnection): Promise<void> {
  const ready = new Promise<null>((resolve) => {
    connection.listen(() => resolve(null));
  });
  const problem = await Promise.race([ready, connection.ended]);
  if (problem !== null) throw createStartError(problem);
}

/**
 * Makes a new worker run sample cells, so that V8 has compiled the code. Also resolves if the worker ends meanwhile.
 */
export async function warmUp(connection: WorkerConnection): Promise<void> {
  const done = new Promise<void>((resolve) => {
    connection.listen(() => resolve());
  });
  connection.send('warm', '', noBytes);
  await Promise.race([done, connection.ended]);
}

function createStartError(problem: string): SondeError {
  return new SondeError('tool_failed', {
    message: `a worker of the sandbox did not start: ${problem}`,
    remedy: 'run `sonde doctor`',
  });
}
