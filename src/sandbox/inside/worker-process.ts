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
 * The interpreter's loop is compiled well from the start, as a hint in the snapshot asks. V8's later
 * optimisation must not rest on which functions were called through a pointer before: in an interpreter that
 * changes all the time, and its loop would fall back to its first, slow version for seconds. JavaScript is
 * compiled by the worker that runs it. A compiler thread that needs room in the worker's heap waits until the
 * worker collects its garbage, and a worker that waits for its host in a blocking read never does. All of
 * V8's compilation would wait behind it, and so would every worker that ends, until the host gives the
 * process up. Set here and not for the whole program, so that a V8 that no longer knows one of these flags
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
  let begun: Omit<WorkerStart, 'signals' | 'connection'>;
  let workerProgram: string;
  const tell = (report: ChildReport) => process.send?.(report);

  const commands = {
    begin: ({ program, module, library, snapshot }: Extract<ChildCommand, { kind: 'begin' }>) => {
      workerProgram = program;
      const bytes = readFileSync(module);
      begun = {
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
        workerData: { ...begun, signals, connection } satisfies WorkerStart,
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
