/**
 * Restarts an agent's process whenever it dies. If a process dies soon after its start, the wait before the next start
 * doubles.
 */
import { messageOf } from '../../core/index.ts';
import { type AgentClient, agentClient } from './channel/channel-client.ts';
import type { Child } from './channel/child-wire.ts';

export interface SuperviseOptions {
  readonly start: () => Child;
  /** Called when a new process accepts messages. */
  readonly onUp: (client: AgentClient, pid: number) => void;
  /** Called when the process is gone, together with its work. `asked`: it was told to end. */
  readonly onDown: (why: string, asked: boolean) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Supervisor {
  /** Ends the process, which leaves its turns resumable. */
  close(): Promise<void>;
}

const firstWaitMs = 100;
const maxWaitMs = 30_000;
/** After a process that lived longer than this, the wait is short again. */
const longLifeMs = 60_000;
/** An agent that does not answer a ping within this time is killed. */
const maxSilenceMs = 60_000;
const pingIntervalMs = 15_000;
const shutdownMs = 5_000;

export function supervise({ start, onUp, onDown, sleep }: SuperviseOptions): Supervisor {
  const stop = new AbortController();
  let current: { readonly child: Child; readonly client: AgentClient } | undefined;

  async function runChild(): Promise<number> {
    const child = start();
    const client = agentClient(child.wire);
    current = { child, client };
    const startedAt = performance.now();
    client.ready.then(() => onUp(client, child.pid)).catch(() => {});
    const heartbeat = setInterval(() => {
      const killTimer = setTimeout(() => child.kill('SIGKILL'), maxSilenceMs);
      client
        .request({ type: 'lifecycle', command: 'ping' })
        .catch(() => {})
        .finally(() => clearTimeout(killTimer));
    }, pingIntervalMs);
    const startError = await Promise.race([
      client.ready.then(() => null).catch((error: unknown) => messageOf(error)),
      child.gone.then(() => null),
    ]);
    const exitReason = await child.gone;
    clearInterval(heartbeat);
    current = undefined;
    client.endAll();
    onDown(startError ?? exitReason, stop.signal.aborted);
    return performance.now() - startedAt;
  }

  async function keepRunning(): Promise<void> {
    for (let wait = firstWaitMs; !stop.signal.aborted; wait = Math.min(maxWaitMs, wait * 2)) {
      if ((await runChild()) > longLifeMs) wait = firstWaitMs;
      if (!stop.signal.aborted) await sleep(wait, stop.signal).catch(() => {});
    }
  }

  const loop = keepRunning();
  return {
    async close() {
      stop.abort();
      const running = current;
      if (running !== undefined) {
        running.client.request({ type: 'lifecycle', command: 'shutdown' }).catch(() => {});
        const killTimer = setTimeout(() => running.child.kill('SIGKILL'), shutdownMs);
        await running.child.gone;
        clearTimeout(killTimer);
      }
      await loop;
    },
  };
}
