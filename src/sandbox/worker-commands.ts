import { messageOf, SondeError } from '../core/index.ts';
import type { DriverReply } from './cell-result.ts';
import { type DoneReport, type Message, noBytes } from './inside/protocol.ts';
import type { Limits } from './limits.ts';
import { answerCall, type CallAnswer } from './operations.ts';
import type { Operations } from './sandbox.ts';
import { StopRequest } from './stop-request.ts';
import { Watchdog } from './watchdog.ts';
import type { WorkerConnection } from './worker-host.ts';

/** How a command ended. */
export interface DoneMessage {
  readonly report: DoneReport;
  readonly reply: DriverReply | null;
  readonly image: Uint8Array | null;
}

/** The limits and the stop request of a command that runs the guest's code. */
interface GuestRun {
  readonly limits: Limits;
  readonly stop: StopRequest;
}

/**
 * Sends the commands of one session to its worker, one at a time; each gets an answer or a typed error. Also answers
 * the calls that the guest makes meanwhile.
 */
export class WorkerCommands {
  readonly #connection: WorkerConnection;
  readonly #operations: Operations;
  readonly #watchdog: Watchdog;
  /** Stops the running cell, and the operations that it waits for. */
  #stop = new StopRequest();
  /** Rejects the current command. */
  #fail: (error: SondeError) => void = () => {};
  #lost: SondeError | null = null;

  constructor(connection: WorkerConnection, operations: Operations) {
    this.#connection = connection;
    this.#operations = operations;
    this.#watchdog = new Watchdog(() => {
      void connection.end();
      this.markLost('the worker stopped answering');
    });
    void connection.ended.then((reason) => this.markLost(reason));
  }

  /** Why no further command can be sent; null while it can. */
  get lost(): SondeError | null {
    return this.#lost;
  }

  /** Fails the current command and every later one. The first reason is kept. */
  markLost(reason: string): SondeError {
    this.#lost ??= createEndedError(reason);
    this.#stop.request();
    this.#fail(this.#lost);
    this.#watchdog.stop();
    return this.#lost;
  }

  /**
   * Sends a command, answers the calls that the guest makes meanwhile, and waits for the end of the command, at most
   * `timeoutMs`.
   */
  command({ kind, text, bytes }: Message, timeoutMs: number, running?: GuestRun): Promise<DoneMessage> {
    if (this.#lost) return Promise.reject(this.#lost);
    this.#stop = running?.stop ?? new StopRequest();
    return new Promise((resolve, reject) => {
      let image: Uint8Array | null = null;
      const finish = () => {
        this.#watchdog.pause();
        this.#fail = () => {};
      };
      this.#fail = (error) => {
        finish();
        reject(error);
      };
      this.#connection.listen((message) => {
        if (message.kind === 'image') image = message.bytes;
        else if (message.kind === 'call' && running) this.#answer(message.bytes, running);
        else if (message.kind === 'done') {
          const done = readDone(message, image);
          if (typeof done === 'string') {
            this.markLost(`the worker sent a malformed report: ${done}`);
            return;
          }
          finish();
          resolve(done);
        }
      });
      this.#watchdog.start(timeoutMs);
      this.#connection.send(kind, text, bytes);
    });
  }

  /** Answers a call of the guest; answers `stop` at once if a stop is requested meanwhile. */
  #answer(request: Uint8Array, { limits, stop }: GuestRun): void {
    let answered = false;
    const send = (answer: CallAnswer) => {
      if (answered) return;
      answered = true;
      stop.onRequest(null);
      this.#watchdog.resume();
      if (answer === 'stop' || stop.requested) this.#connection.send('stop', '', noBytes);
      else this.#connection.send('answer', '', answer);
    };
    this.#watchdog.pause();
    const answer = answerCall(request, this.#operations, limits, stop);
    if (answer instanceof Promise) {
      stop.onRequest(() => send('stop'));
      void answer.then(send);
    } else send(answer);
  }
}

export function createEndedError(reason: string): SondeError {
  return new SondeError('sandbox_ended', {
    message: `the sandbox session has ended: ${reason}`,
    remedy: 'open a new session, or restore a checkpoint',
  });
}

/**
 * The contents of a message `done`, or why it can't be read. The guest can forge the driver's reply, so it may be
 * anything.
 */
function readDone({ text, bytes }: Message, image: Uint8Array | null): DoneMessage | string {
  try {
    const report = JSON.parse(text) as DoneReport;
    const reply = bytes.length === 0 ? null : (JSON.parse(decodeText(bytes)) as DriverReply | null);
    return { report, reply, image };
  } catch (error) {
    return messageOf(error);
  }
}

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
