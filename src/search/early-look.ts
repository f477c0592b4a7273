/**
 * Looks at the files of an index in a second thread, while this one still loads what a search needs, and until both meet.
 * Entry point of its own, since it is there to be loaded before the rest of the room.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { LookStart, LookTask } from './lexical/early-look-worker.ts';
import { startThread } from './lexical/start-thread.ts';
import { type Manifest, readManifest } from './manifest.ts';

/** Fewer files than this are looked at sooner than a thread is started. */
const fewFiles = 4_000;

/** What the other thread has found so far. Only that something is as before: whatever else is looked at here. */
export interface LookedAhead {
  /** Milliseconds since the Unix epoch, before its first look. */
  readonly seen: number;
  /** Whether a folder, or a file by the number of the folders plus its own, was found as the index knows it. */
  isSame(number: number): boolean;
  /** Tells the other thread how far this one is. */
  reach(number: number): void;
}

export class EarlyLook {
  readonly #manifest: Manifest;
  readonly #front: Int32Array;
  readonly #port: MessagePort;

  constructor(manifest: Manifest, front: Int32Array, port: MessagePort) {
    this.#manifest = manifest;
    this.#front = front;
    this.#port = port;
  }

  /**
   * Null if the look is at another state than the manifest's, or has not begun. `count`: of folders and files, which
   * are numbered alike only where they are the same.
   */
  over({ tree, segments }: Manifest, count: number): LookedAhead | null {
    const own = this.#manifest;
    if (own.tree !== tree || JSON.stringify(own.segments) !== JSON.stringify(segments)) return null;
    const start = receiveMessageOnPort(this.#port)?.message as LookStart | undefined;
    if (start === undefined || start.same.byteLength !== count) return null;
    const same = new Uint8Array(start.same);
    return {
      seen: start.seen,
      isSame: (number) => Atomics.load(same, number) === 1,
      reach: (number) => {
        Atomics.store(this.#front, 0, number);
      },
    };
  }

  /** The thread ends soon after. */
  close(): void {
    Atomics.store(this.#front, 0, 0x7f_ff_ff_ff);
    this.#port.close();
  }
}

/** Undefined where there is no index yet, or a second thread would gain nothing. */
export function startLook(
  root: string,
  directory: string,
  { worthwhile = fewFiles }: { readonly worthwhile?: number } = {},
): EarlyLook | undefined {
  const manifest = readManifest(directory);
  const files = manifest?.segments.reduce((sum, segment) => sum + segment.files, 0) ?? 0;
  if (manifest === null || manifest.tree === '' || files < worthwhile || availableParallelism() < 2)
    return undefined;
  const { port1, port2 } = new MessageChannel();
  const front = new SharedArrayBuffer(4);
  const { tree, segments } = manifest;
  const task: LookTask = { root, directory, tree, segments, front, port: port2 };
  try {
    const thread = startThread('early-look-worker', task, { transferList: [port2] });
    // Where it fails, everything is looked at here.
    thread.on('error', () => {});
    thread.unref();
  } catch {
    return undefined;
  }
  port1.unref();
  return new EarlyLook(manifest, new Int32Array(front), port1);
}
