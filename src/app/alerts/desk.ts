/** Who works the groups off: so many investigations at once, one for each group, taken up again after a crash. */
import { isSondeError, messageOf } from '../../core/index.ts';
import type { AlertGroups, Begun, Group } from './groups.ts';

export interface DeskOptions {
  readonly groups: AlertGroups;
  /** Most investigations at once. */
  readonly workers: number;
  /** An id for a run. */
  readonly newRun: () => string;
  /** Writes the group's run down where that has not happened yet. */
  readonly create: (group: Begun) => void;
  /** Carries the run to its end. Throws where it failed and can be taken up again. */
  readonly work: (run: string, signal: AbortSignal) => Promise<void>;
  /** How long to wait after an alert before anything starts, so that a storm is kept first. Milliseconds; 0 by default. */
  readonly settleMs?: number;
  /** How often to look for what other processes left, or had wait again. Milliseconds. */
  readonly lookMs?: number;
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

/** A group whose investigation failed so often, or whose process died so often, is left, and counted. */
const mostAttempts = 3;
const mostDeaths = 5;

/** No group is to blame for it: it may go better later. */
const isStoreTrouble = (thrown: unknown): boolean => isSondeError(thrown) && thrown.code.startsWith('store_');

/** Another process works on the run: the group is looked at again when that is over. */
const isBusy = (thrown: unknown): boolean =>
  isSondeError(thrown, 'run_state') && thrown.details['pid'] !== undefined;

/** Nothing that it is called with can end its process: what goes wrong with a group is told, and kept with it. */
export function alertDesk(options: DeskOptions): AlertDesk {
  const { groups, workers, newRun, create, work, tell, settleMs = 0, lookMs = 2_000 } = options;
  let settling: NodeJS.Timeout | undefined;
  const stop = new AbortController();
  const running = new Map<number, { readonly group: Group; readonly done: Promise<void> }>();
  let idlers: (() => void)[] = [];
  const looking = setInterval(fill, lookMs);

  async function investigate(group: Group, run: string): Promise<void> {
    tell(`${run} investigates ${group.title.slice(0, 120)}`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await work(run, stop.signal);
        // Cancelled by the end of the program: the next one takes it up.
        if (stop.signal.aborted) return groups.release(group.id);
        return groups.finish(group.id);
      } catch (thrown) {
        tell(`${run} failed: ${messageOf(thrown).slice(0, 200)}`);
        if (stop.signal.aborted || isBusy(thrown)) return groups.release(group.id);
        if (attempt >= mostAttempts && !isStoreTrouble(thrown))
          return groups.fail(group.id, messageOf(thrown));
        if (attempt >= mostAttempts) return groups.release(group.id);
      }
    }
  }

  /** One that was taken; what cannot be begun is failed, and whoever comes next is not held up by it. */
  function begin(group: Begun): void {
    try {
      create(group);
    } catch (thrown) {
      if (isStoreTrouble(thrown)) {
        groups.release(group.id);
        throw thrown;
      }
      tell(`group ${group.id} cannot be investigated: ${messageOf(thrown).slice(0, 200)}`);
      groups.fail(group.id, messageOf(thrown));
      return;
    }
    const done: Promise<void> = investigate(group, group.run)
      .catch((thrown: unknown) =>
        tell(`how ${group.run} ended could not be written down: ${messageOf(thrown)}`),
      )
      .finally(() => {
        running.delete(group.id);
        setImmediate(fill);
      });
    running.set(group.id, { group, done });
  }

  /** Of several that a process died over one alone may be to blame: they are taken up one after another. */
  const suspects = (): boolean => [...running.values()].some(({ group }) => group.deaths > 0);

  /** What is to be done next, taken; false where there is nothing. */
  function beginNext(): boolean {
    for (const group of groups.left()) {
      if (running.has(group.id) || (group.deaths > 0 && suspects())) continue;
      const taken = groups.takeUp(group, newRun());
      if (taken === null) continue;
      if (taken.deaths > mostDeaths)
        groups.fail(taken.id, `Its process died ${taken.deaths} times while it was investigated.`);
      else begin(taken);
      return true;
    }
    const group = groups.oldest();
    const taken = group === null ? null : groups.start(group, newRun());
    if (taken !== null) begin(taken);
    return group !== null;
  }

  function fill(): void {
    try {
      while (!stop.signal.aborted && running.size < workers && beginNext());
    } catch (thrown) {
      // Nothing can be read or written now; `looking` comes again.
      tell(`alerts wait: ${messageOf(thrown).slice(0, 200)}`);
      return;
    }
    if (running.size > 0) return;
    const waiting = idlers;
    idlers = [];
    for (const resolve of waiting) resolve();
  }

  return {
    wake() {
      // Not put off again by each further alert: a storm that goes on is investigated, too.
      settling ??= setTimeout(() => {
        settling = undefined;
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
      clearTimeout(settling);
      clearInterval(looking);
      stop.abort();
      await Promise.allSettled([...running.values()].map(({ done }) => done));
    },
  };
}
