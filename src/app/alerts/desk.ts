/** Who works the queue off: so many investigations at once, one for each group, taken up again after a crash. */
import { messageOf, SondeError } from '../../core/index.ts';
import type { AlertQueue, Group } from './queue.ts';

export interface DeskOptions {
  readonly queue: AlertQueue;
  /** Most investigations at once. */
  readonly workers: number;
  /** Writes a run down for the group and gives its id; called in the transaction that takes the group. */
  readonly create: (group: Group) => string;
  /** Carries the run to its end. Throws where it failed and can be taken up again. */
  readonly work: (run: string, signal: AbortSignal) => Promise<void>;
  /** How long to wait after an alert before anything starts, so that a storm is kept first. Milliseconds; 0 by default. */
  readonly settleMs?: number;
  /** For people: what was started, finished, failed. */
  readonly tell: (line: string) => void;
}

export interface AlertDesk {
  /** Something may be waiting: starts what there is room for. Returns at once. */
  wake(): void;
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>;
  /** Starts nothing more, ends what runs with what it has, and waits for that. */
  close(): Promise<void>;
}

/** A group whose investigation failed so often is left, and counted. */
const mostAttempts = 3;

export function alertDesk(options: DeskOptions): AlertDesk {
  const { queue, workers, create, work, tell, settleMs = 0 } = options;
  let timer: NodeJS.Timeout | undefined;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let idlers: (() => void)[] = [];

  async function investigate(group: Group): Promise<void> {
    const run = group.run;
    if (run === null)
      throw new SondeError('internal', { message: `The group ${group.id} runs without a run` });
    tell(`${run} investigates ${group.name.replaceAll('\u0000', ' ').trim().slice(0, 120)}`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await work(run, stop.signal);
        // Cancelled by the end of the program: the next one takes it up.
        if (!stop.signal.aborted) queue.finish(group.id, 'done');
        return;
      } catch (thrown) {
        tell(`${run} failed: ${messageOf(thrown).slice(0, 200)}`);
        if (stop.signal.aborted) return;
        if (attempt >= mostAttempts) {
          queue.finish(group.id, 'failed');
          return;
        }
      }
    }
  }

  function start(group: Group): void {
    const done: Promise<void> = investigate(group)
      .catch((thrown: unknown) => tell(`an investigation could not be written down: ${messageOf(thrown)}`))
      .finally(() => {
        running.delete(done);
        fill();
      });
    running.add(done);
  }

  function fill(): void {
    while (!stop.signal.aborted && running.size < workers) {
      const group = queue.take(create);
      if (group === null) break;
      start(group);
    }
    if (running.size > 0) return;
    const waiting = idlers;
    idlers = [];
    for (const resolve of waiting) resolve();
  }

  // What a crash left is taken up first; beyond the number of workers, one after the other.
  const left = queue.interrupted();
  const resumed = Array.from({ length: Math.min(workers, left.length) }, async (_, lane) => {
    for (let n = lane; n < left.length && !stop.signal.aborted; n += workers) await investigate(left[n]!);
  });
  for (const lane of resumed) {
    const done: Promise<void> = lane
      .catch((thrown: unknown) => tell(`an investigation could not be taken up: ${messageOf(thrown)}`))
      .finally(() => {
        running.delete(done);
        fill();
      });
    running.add(done);
  }

  return {
    wake() {
      // Not put off again by each further alert: a storm that goes on is investigated, too.
      timer ??= setTimeout(() => {
        timer = undefined;
        fill();
      }, settleMs);
    },
    idle() {
      const { promise, resolve } = Promise.withResolvers<void>();
      idlers.push(resolve);
      setImmediate(fill);
      return promise;
    },
    async close() {
      clearTimeout(timer);
      stop.abort();
      await Promise.allSettled([...running]);
    },
  };
}
