/** The channel between two processes, over Node's IPC with JSON. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../config/index.ts';
import type { Wire } from './channel.ts';

const isBuilt = import.meta.url.endsWith('.js');
/** The programs that a host starts. `keys.ts` says which keys each gets. */
const programs = {
  agent: '../child',
  investigator: '../../alerts/investigator',
  runner: '../../runs/runner',
  runs: '../../worker/run-process',
} as const;

/** The settings that the host passes to the agent's process. */
export interface ChildSetting {
  /** The file of the workspace. */
  readonly workspace: string;
  /** The name of the workspace. */
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** A folder that the agent's work may read as well. */
  readonly root?: string;
  /** The schema of its conversations in the store of a team; absent: they are in the file of the workspace. */
  readonly schema?: string;
}

export interface Child {
  readonly wire: Wire;
  readonly pid: number;
  /** Resolves when the process has ended, with its exit code or signal. */
  readonly gone: Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a process with exactly this environment. */
export function startChild(
  setting: object,
  env: Environment,
  program: keyof typeof programs = 'agent',
): Child {
  const file = fileURLToPath(new URL(`${programs[program]}${isBuilt ? '.js' : '.ts'}`, import.meta.url));
  const child = fork(file, [JSON.stringify(setting)], {
    env: { ...env },
    serialization: 'json',
    // Redirects standard output to standard error, since only the host writes to standard output.
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [],
  });
  return {
    wire: childWire(child),
    pid: child.pid ?? -1,
    gone: new Promise((done) => {
      child.once('error', (error) => done(error.message));
      child.once('exit', (code, signal) => done(signal ?? `exit ${code}`));
    }),
    kill: (signal) => void child.kill(signal),
  };
}

function childWire(child: ChildProcess): Wire {
  return {
    send(value) {
      // A child that has just ended is reported by `gone`, so a failed send is ignored.
      if (child.connected) child.send(value as object, () => {});
    },
    onMessage: (listener) => void child.on('message', listener),
  };
}

/** The wire from a child process to its parent. */
export function parentWire(): Wire {
  return {
    send(value) {
      if (process.connected) process.send?.(value, undefined, undefined, () => {});
    },
    onMessage: (listener) => void process.on('message', listener),
  };
}
