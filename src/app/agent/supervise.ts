/**
 * Keeps an agent's process alive: one that dies is started again. If it dies at once, the wait before the next start
 * grows.
 */
import { messageOf } from '../../core/index.ts';
import { type AgentClient, agentClient } from './channel/channel-client.ts';
import type { Child } from './channel/child-wire.ts';

export interface SuperviseOptions {
  readonly start: () => Child;
  /** A new process takes messages. */
  readonly onUp: (client: AgentClient, pid: number) => void;
  /** Called when the process is gone, together with its work. `asked`: it was told to end. */
  readonly onDown: (why: string, asked: boolean) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Supervisor {
  /** Ends the process, which leaves its turns resumable. */
  close(): Promise<void>;
}

/** Milliseconds. */
const firstWait = 100;
const maxWait = 30_000;
/** A process that lived longer than this did not die at once. */
const longLife = 60_000;
/** An agent that does not answer for this long hangs. */
const patience = 60_000;
const pingEvery = 15_000;
const farewell = 5_000;

export function supervise({ start, onUp, onDown, sleep }: SuperviseOptions): Supervisor {
  const stop = new AbortController();
  let current: { readonly child: Child; readonly client: AgentClient } | undefined;

  async function live(): Promise<number> {
    const child = start();
    const client = agentClient(child.wire);
    current = { child, client };
    const began = performance.now();
    client.ready.then(() => onUp(client, child.pid)).catch(() => {});
    const heart = setInterval(() => {
      const late = setTimeout(() => child.kill('SIGKILL'), patience);
      client
        .request({ type: 'lifecycle', command: 'ping' })
        .catch(() => {})
        .finally(() => clearTimeout(late));
    }, pingEvery);
    const failed = await Promise.race([
      client.ready.then(() => null).catch((error: unknown) => messageOf(error)),
      child.gone.then(() => null),
    ]);
    const how = await child.gone;
    clearInterval(heart);
    current = undefined;
    client.endAll();
    onDown(failed ?? how, stop.signal.aborted);
    return performance.now() - began;
  }

  async function keep(): Promise<void> {
    for (let wait = firstWait; !stop.signal.aborted; wait = Math.min(maxWait, wait * 2)) {
      if ((await live()) > longLife) wait = firstWait;
      if (!stop.signal.aborted) await sleep(wait, stop.signal).catch(() => {});
    }
  }

  const kept = keep();
  return {
    async close() {
      stop.abort();
      const now = current;
      if (now !== undefined) {
        now.client.request({ type: 'lifecycle', command: 'shutdown' }).catch(() => {});
        const late = setTimeout(() => now.child.kill('SIGKILL'), farewell);
        await now.child.gone;
        clearTimeout(late);
      }
      await kept;
    },
  };
}
