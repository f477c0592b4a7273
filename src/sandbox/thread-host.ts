import { readFile } from 'node:fs/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { messageOf } from '../core/index.ts';
import type { Image } from './image.ts';
import { workerLimits } from './inside/child-protocol.ts';
import { type Message, signalWord, type WorkerStart } from './inside/protocol.ts';
import { baseMemory, shareBytes } from './inside/start-data.ts';
import { type WorkerConnection, type WorkerHost, waitUntilReady } from './worker-host.ts';

/** Workers as threads of this process: a little faster, but an exploit of V8 would reach the host's memory. */
export async function openThreadHost(image: Image): Promise<WorkerHost> {
  const bytes = await readFile(image.modulePath);
  const common = {
    module: new WebAssembly.Module(bytes),
    snapshot: image.snapshot,
    base: baseMemory(bytes),
    library: shareBytes(await readFile(image.libraryPath)),
  };
  const open = new Set<WorkerConnection>();
  return {
    connect: async () => {
      const connection = startThread(image.workerPath, common);
      open.add(connection);
      void connection.ended.then(() => open.delete(connection));
      await waitUntilReady(connection);
      return connection;
    },
    facts: () => [{ name: 'isolation', ok: true, detail: 'threads of this process' }],
    close: async () => {
      await Promise.all([...open].map((connection) => connection.end()));
    },
  };
}

function startThread(program: string, common: Omit<WorkerStart, 'signals' | 'connection'>): WorkerConnection {
  const { port1, port2 } = new MessageChannel();
  const signals = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(program, {
    workerData: { ...common, signals, connection: { port: port2 } } satisfies WorkerStart,
    transferList: [port2],
    env: {},
    execArgv: [],
    resourceLimits: workerLimits,
  });
  let problem = 'the worker thread ended';
  worker.on('error', (error) => {
    problem = `the worker thread failed: ${messageOf(error)}`;
  });
  const ended = new Promise<string>((resolve) => {
    worker.on('exit', () => {
      port1.close();
      resolve(problem);
    });
  });
  let serial = 0;
  let listener: (message: Message) => void = () => {};
  port1.on('message', (message: Message) => listener(message));
  return {
    send: (kind, text, content) => {
      // Copied, since a small Buffer is a view of a pool, and the whole pool would be sent.
      const bytes = new Uint8Array(content);
      port1.postMessage({ kind, text, bytes } satisfies Message, [bytes.buffer]);
      Atomics.add(signals, signalWord.mail, 1);
      Atomics.notify(signals, signalWord.mail);
    },
    listen: (next) => {
      listener = next;
    },
    ended,
    processNumber: 0,
    nextSerial: () => ++serial,
    cancel: (serial) => {
      Atomics.store(signals, signalWord.cancel, serial);
    },
    end: async () => {
      await worker.terminate();
    },
  };
}
