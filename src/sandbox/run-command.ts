import type { RunCommand } from './inside/protocol.ts';
import { graceFuel, type Limits } from './limits.ts';
import type { WorkerConnection } from './worker-host.ts';

/** Like `graceFuel`, in milliseconds: the time that a cell gets after it was interrupted. */
const graceMs = 500;

/** The command sent before a request to the guest's driver. `discard`: see `RunCommand`. */
export function runCommand(
  connection: WorkerConnection,
  limits: Limits,
  { discard = false, clock }: Pick<Partial<RunCommand>, 'discard' | 'clock'> = {},
): RunCommand {
  return {
    serial: connection.nextSerial(),
    discard,
    ...(clock !== undefined && { clock }),
    limits: {
      fuel: limits.fuel,
      graceFuel: Math.min(graceFuel, limits.fuel),
      memoryBytes: limits.memory_bytes,
      wallMs: limits.wall_ms,
      graceMs,
      outputBytes: limits.output_bytes,
      calls: limits.calls,
      callBytes: limits.call_bytes,
    },
  };
}
