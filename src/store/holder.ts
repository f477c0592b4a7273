/**
 * Identifies the holder of a lease, so that others can check whether it is alive. A pid alone is not enough: pids are
 * reused, and have no meaning on another machine, after a reboot or in another container.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface Holder {
  /** The scope in which the pid is valid: machine, boot and process namespace. */
  readonly host: string;
  readonly pid: number;
  /** When the process started, in clock ticks since boot; empty if unknown. */
  readonly started: string;
}

export function thisProcess(): Holder {
  const { pid } = process;
  return Object.freeze({ host: thisHost(), pid, started: readStart(pid)?.started ?? '' });
}

/** `unknown`: the holder is on another host, so only an expired lease shows that it is gone. */
export function checkLiveness(holder: Holder): 'alive' | 'dead' | 'unknown' {
  if (holder.host !== thisHost()) return 'unknown';
  if (!isProcessAlive(holder.pid)) return 'dead';
  const current = readStart(holder.pid);
  if (current === null || holder.started === '') return 'alive';
  return current.started === holder.started && !current.ended ? 'alive' : 'dead';
}

/** Whether a process with this pid runs on this machine, as far as this process can see. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function thisHost(): string {
  try {
    // Containers of a machine have the same boot id, and different pid namespaces.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** From Linux's /proc/PID/stat (see proc_pid_stat(5)); null on other systems and for a process that is gone. */
function readStart(pid: number): { readonly started: string; readonly ended: boolean } | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name in parentheses may hold spaces and parentheses; state is field 3, start time field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0]!;
  // A zombie (Z) has ended, although its parent has not collected the exit status.
  return { started: fields[19]!, ended: state === 'Z' || state === 'X' };
}
