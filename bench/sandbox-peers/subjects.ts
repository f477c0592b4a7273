/** What is compared, behind one small interface: a session runs cells, and may be opened on what is already there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.ts';

export interface SubjectSession {
  run(code: string): Promise<void>;
  close(): Promise<void>;
}

export interface Subject {
  readonly name: string;
  /** On a thread or process that is new. */
  cold(): Promise<SubjectSession>;
  /** On a thread or process that has served before; null where there is no such thing. */
  readonly warm: (() => Promise<SubjectSession>) | null;
  close(): Promise<void>;
}

const operations = { echo: async ({ x }: { x?: unknown }) => x as string };

/** Ours. A cold session gets a new worker, since none is kept. */
export function ours(name: string, options: SandboxOptions): Subject {
  const limits = { fuel: 1e12, wall_ms: 600_000, calls: 100_000 };
  const none = createSandbox({ ...options, limits, warm: 0 });
  const kept = createSandbox({ ...options, limits, warm: 2 });
  const open = (from: typeof none) => async () => {
    const session = await from.open({ operations: operations as never, seed: 'bench' });
    return {
      run: async (code: string) => {
        const result = await session.execute(code);
        if (result.kind !== 'ok') throw new Error(`${name}: ${JSON.stringify(result)}`);
      },
      close: () => session.close(),
    };
  };
  return {
    name,
    cold: open(none),
    warm: open(kept),
    close: async () => {
      await none.close();
      await kept.close();
    },
  };
}

export function pyodideInWorker(peers: string): Subject | null {
  const file = join(peers, 'node_modules/pyodide/pyodide.mjs');
  if (!existsSync(file)) return null;
  const start = async (worker: Worker) => {
    await command(worker, { do: 'open' });
    return {
      run: (code: string) => command(worker, { do: 'run', code }),
      close: async () => {
        await worker.terminate();
      },
    };
  };
  const newWorker = () => {
    const { port1, port2 } = new MessageChannel();
    const signal = new SharedArrayBuffer(4);
    const flag = new Int32Array(signal);
    port1.on('message', async (text: string) => {
      const [operation, args] = JSON.parse(text) as ['echo', { x: unknown }];
      port1.postMessage(JSON.stringify({ value: await operations[operation](args) }));
      Atomics.add(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
    port1.unref();
    return new Worker(new URL('./pyodide-worker.mjs', import.meta.url), {
      workerData: { pyodide: pathToFileURL(file).href, port: port2, signal },
      transferList: [port2],
    });
  };
  // A worker whose code is loaded and compiled; its interpreter is made anew for the session.
  let used: Worker | null = null;
  return {
    name: 'Pyodide in a worker',
    cold: () => start(newWorker()),
    warm: async () => {
      if (!used) {
        used = newWorker();
        await command(used, { do: 'open' });
      }
      return { ...(await start(used)), close: async () => {} };
    },
    close: async () => {
      await used?.terminate();
    },
  };
}

/** A worker that fails ends the bench: an error without a listener is thrown. */
async function command(worker: Worker, message: object): Promise<void> {
  const done = once(worker, 'message');
  worker.postMessage(message);
  await done;
}

export function denoWithPyodide(peers: string): Subject | null {
  const [deno] = globSync(join(peers, 'node_modules/@deno/*/deno'));
  if (!deno || !existsSync(join(peers, 'node_modules/pyodide'))) return null;
  // Deno looks for packages beside the program.
  const runner = join(peers, 'sonde-deno-runner.mjs');
  copyFileSync(join(import.meta.dirname, 'deno-runner.mjs'), runner);
  const cold = async () => {
    const flags = ['run', '--no-remote', '--node-modules-dir=manual', `--allow-read=${peers}`, runner];
    const child = spawn(deno, flags, { cwd: peers, stdio: ['pipe', 'pipe', 'inherit'] });
    const session = denoSession(child);
    await session.run('1');
    return session;
  };
  return { name: 'Deno with Pyodide', cold, warm: null, close: async () => {} };
}

function denoSession(child: ChildProcess): SubjectSession {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const send = (value: unknown) => child.stdin!.write(`${JSON.stringify(value)}\n`);
  return {
    run: async (code) => {
      send({ code });
      for (;;) {
        const line = await lines.next();
        if (line.done) throw new Error('Deno has ended');
        const message = JSON.parse(line.value) as { ask?: string; done?: boolean };
        if (message.done) return;
        const [operation, args] = JSON.parse(message.ask!) as ['echo', { x: unknown }];
        send({ value: await operations[operation](args) });
      }
    },
    close: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
