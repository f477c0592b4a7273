/**
 * The first Ctrl-C ends the run with what it has found, the second ends the process. Either way the run can be resumed.
 */

import { currentProcess } from '../current-process.ts';
import { tell } from './terminal.ts';

export interface Interrupt {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** Milliseconds. Signals within this time count as one Ctrl-C: `timeout`, for example, signals a process and its group. */
export const sameSignalMs = 300;

const signalNames = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForInterrupt(): Interrupt {
  const controller = new AbortController();
  const thisProcess = currentProcess();
  let firstSignalAt = 0;
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      if (performance.now() - firstSignalAt > sameSignalMs) thisProcess.exit(130);
      return;
    }
    controller.abort();
    firstSignalAt = performance.now();
    if (thisProcess.stderr.isTTY)
      void tell('\nEnding with what was found. Press Ctrl-C again to quit immediately.');
  };
  for (const name of signalNames) thisProcess.on(name, onSignal);
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of signalNames) thisProcess.off(name, onSignal);
    },
  };
}
