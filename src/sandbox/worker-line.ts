import { messageOf, SondeError } from '../core/index.ts';
import type { DriverReply } from './cell-result.ts';
import { type DoneReport, type Message, noBytes } from './inside/protocol.ts';
import type { Limits } from './limits.ts';
import { answerCall, type CallAnswer } from './operations.ts';
import type { Operations } from './sandbox.ts';
import { StopWish } from './stop-wish.ts';
import { Watchdog } from './watchdog.ts';
import type { WorkerConnection } from './worker-host.ts';

/** How a command ended. */
export interface DoneMessage {
  readonly report: DoneReport;
  readonly reply: DriverReply | null;
  readonly image: Uint8Array | null;
}

/** The limits and the stop request of a command that runs the guest's code. */
interface Running {
  readonly limits: Limits;
  readonly stop: StopWish;
}

/**
 * The commands of one session to its worker: one at a time, and each gets an answer or a typed error. Calls
 * of the guest meanwhile are answered here.
 */
export class WorkerLine {
  readonly #connection: WorkerConnection;
  readonly #operations: Operations;
  readonly #watchdog: Watchdog;
  /** Ends the cell that runs, and the operations it waits for. */
  #stop = new StopWish();
  /** Fails the command that is under way. */
  #fail: (error: SondeError) => void = () => {};
  #lost: SondeError | null = null;

  constructor(connection: WorkerConnection, operations: Operations) {
    this.#connection = connection;
    this.#operations = operations;
    this.#watchdog = new Watchdog(() => {
      void connection.end();
      this.lose('the worker stopped answering');
    });
    void connection.ended.then((reason) => this.lose(reason));
  }

  /** Why nothing can be asked any more; null while it can. */
  get lost(): SondeError | null {
    return this.#lost;
  }

  /** Fails the current command and every later one. The first reason is kept. */
  lose(reason: string): SondeError {
    this.#lost ??= sandboxEnded(reason);
    this.#stop.wish();
    this.#fail(this.#lost);
    this.#watchdog.stop();
    return this.#lost;
  }

  /**
   * Sends a command, answers the calls that the guest makes meanwhile, and waits for its end, at most the
   * time given.
   */
  command({ kind, text, bytes }: Message, patienceMs: number, running?: Running): Promise<DoneMessage> {
    if (this.#lost) return Promise.reject(this.#lost);
    this.#stop = running?.stop ?? new StopWish();
    return new Promise((resolve, reject) => {
      let image: Uint8Array | null = null;
      const settle = () => {
        this.#watchdog.pause();
        this.#fail = () => {};
      };
      this.#fail = (error) => {
        settle();
        reject(error);
      };
      this.#connection.listen((message) => {
        if (message.kind === 'image') image = message.bytes;
        else if (message.kind === 'call' && running) this.#answer(message.bytes, running);
        else if (message.kind === 'done') {
          const told = readDone(message, image);
          if (typeof told === 'string') {
            this.lose(`the worker sent a malformed report: ${told}`);
            return;
          }
          settle();
          resolve(told);
        }
      });
      this.#watchdog.start(patienceMs);
      this.#connection.send(kind, text, bytes);
    });
  }

  /** Answers a call of the guest; answers `stop` at once if a stop is requested meanwhile. */
  #answer(request: Uint8Array, { limits, stop }: Running): void {
    let answered = false;
    const send = (answer: CallAnswer) => {
      if (answered) return;
      answered = true;
      stop.whileWaiting(null);
      this.#watchdog.resume();
      if (answer === 'stop' || stop.wished) this.#connection.send('stop', '', noBytes);
      else this.#connection.send('answer', '', answer);
    };
    this.#watchdog.pause();
    const answer = answerCall(request, this.#operations, limits, stop);
    if (answer instanceof Promise) {
      stop.whileWaiting(() => send('stop'));
      void answer.then(send);
    } else send(answer);
  }
}

export function sandboxEnded(reason: string): SondeError {
  return new SondeError('sandbox_ended', {
    message: `the sandbox session has ended: ${reason}`,
    remedy: 'open a new session, or restore a checkpoint',
  });
}

/**
 * The contents of a message `done`, or what is wrong with it. The driver's reply may be anything, since the
 * guest can make it.
 */
function readDone({ text, bytes }: Message, image: Uint8Array | null): DoneMessage | string {
  try {
    const report = JSON.parse(text) as DoneReport;
    const reply = bytes.length === 0 ? null : (JSON.parse(textOf(bytes)) as DriverReply | null);
    return { report, reply, image };
  } catch (error) {
    return messageOf(error);
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
