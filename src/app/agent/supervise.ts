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
  /** Called when the process has ended, and its running turns with it. `asked`: it was told to end. */
  readonly onDown: (why: string, asked: boolean) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Supervisor {
  /** Ends the process. Its turns can be resumed. */
  close(): Promise<void>;
}

const firstWaitMs = 100;
const maxWaitMs = 30_000;
/** If a process lived longer than this, the wait before its restart is the shortest one again. Milliseconds. */
const longLifeMs = 60_000;
/** An agent that does not answer a ping within this time is killed. Milliseconds. */
const maxSilenceMs = 60_000;
const pingIntervalMs = 15_000;
const shutdownMs = 5_000;

export function supervise({ start, onUp, onDown, sleep }: SuperviseOptions): Supervisor {
  const closing = new AbortController();
  let currentAgent: { readonly child: Child; readonly client: AgentClient } | undefined;

  async function runChild(): Promise<number> {
    const child = start();
    const client = agentClient(child.wire);
    currentAgent = { child, client };
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
    currentAgent = undefined;
    client.endAll();
    onDown(startError ?? exitReason, closing.signal.aborted);
    return performance.now() - startedAt;
  }

  async function keepRunning(): Promise<void> {
    for (let waitMs = firstWaitMs; !closing.signal.aborted; waitMs = Math.min(maxWaitMs, waitMs * 2)) {
      if ((await runChild()) > longLifeMs) waitMs = firstWaitMs;
      if (!closing.signal.aborted) await sleep(waitMs, closing.signal).catch(() => {});
    }
  }

  const supervision = keepRunning();
  return {
    async close() {
      closing.abort();
      const runningAgent = currentAgent;
      if (runningAgent !== undefined) {
        runningAgent.client.request({ type: 'lifecycle', command: 'shutdown' }).catch(() => {});
        const killTimer = setTimeout(() => runningAgent.child.kill('SIGKILL'), shutdownMs);
        await runningAgent.child.gone;
        clearTimeout(killTimer);
      }
      await supervision;
    },
  };
}
