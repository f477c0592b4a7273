import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { type ChildCommand, type ChildReport, firstPipe, workerLimits } from './child-protocol.ts';
import { signalWord, type WorkerStart } from './protocol.ts';
import { baseMemory, shareBytes } from './start-data.ts';

/**
 * The process of the workers. It starts and ends them on request and does nothing else, since each worker has its own
 * pipe to the host. It ends with the host.
 */

/**
 * The first flag makes V8 follow the hint in the snapshot to optimise the interpreter's loop from the start. The second
 * forbids inlining by which functions were called through a pointer before: in an interpreter these change all the
 * time, and the loop would fall back to unoptimised code for seconds. The others make each worker compile its own
 * JavaScript: a compiler thread that needs room in a worker's heap waits until the worker collects its garbage, and a
 * worker that waits for its host in a blocking read never does. All other compilation, and every worker that ends,
 * would wait for that thread. The flags are set here and not on the command line, so that a V8 that no longer knows one
 * ignores it.
 */
const compilerFlags = [
  '--experimental-wasm-compilation-hints',
  '--no-wasm-inlining-call-indirect',
  '--no-concurrent-sparkplug',
  '--no-concurrent-recompilation',
  '--no-concurrent-osr',
];

interface Slot {
  readonly worker: Worker;
  readonly signals: Int32Array;
}

function serve(): void {
  for (const flag of compilerFlags) setFlagsFromString(flag);
  const slots = new Map<number, Slot>();
  let startData: Omit<WorkerStart, 'signals' | 'connection'>;
  let workerProgram: string;
  const tell = (report: ChildReport) => process.send?.(report);

  const commands = {
    begin: ({ program, module, library, snapshot }: Extract<ChildCommand, { kind: 'begin' }>) => {
      workerProgram = program;
      const bytes = readFileSync(module);
      startData = {
        module: new WebAssembly.Module(bytes),
        snapshot,
        base: baseMemory(bytes),
        library: shareBytes(readFileSync(library)),
      };
      tell({ kind: 'begun' });
    },
    start: ({ slot }: { slot: number }) => {
      const signals = new Int32Array(new SharedArrayBuffer(8));
      const connection = { descriptor: firstPipe + slot };
      const worker = new Worker(workerProgram, {
        workerData: { ...startData, signals, connection } satisfies WorkerStart,
        env: {},
        resourceLimits: workerLimits,
      });
      let problem: string | null = null;
      worker.on('error', (error) => {
        problem = error instanceof Error ? error.message : String(error);
      });
      worker.on('exit', () => {
        slots.delete(slot);
        tell({ kind: 'ended', slot, problem });
      });
      slots.set(slot, { worker, signals });
    },
    cancel: ({ slot, serial }: { slot: number; serial: number }) => {
      const signals = slots.get(slot)?.signals;
      if (signals) Atomics.store(signals, signalWord.cancel, serial);
    },
    end: ({ slot }: { slot: number }) => slots.get(slot)?.worker.terminate(),
  };
  process.on('message', (command: ChildCommand) => {
    commands[command.kind](command as never);
  });
  process.on('disconnect', () => process.exit(0));
}

serve();
