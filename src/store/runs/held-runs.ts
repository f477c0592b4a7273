/** A run in its worker's memory: journal and log, with uncommitted additions. */
import { type Clock, type Journal, type LoggedEvent, type RunLog, SondeError } from '../../core/index.ts';
import { throwLeaseLost } from '../../core/pools.ts';
import type { LoadedRun } from '../engine.ts';
import type { Outbox, RunHold } from '../outbox.ts';
import type { Snapshots } from '../store.ts';

export interface HeldRun {
  readonly journal: Journal;
  readonly log: RunLog;
  readonly snapshots: Snapshots;
}

export interface HeldRunPorts {
  readonly outbox: Outbox;
  readonly clock: Clock;
  /** Reads a snapshot from the engine: snapshots are too large for memory, and rarely read. */
  readonly snapshot: Snapshots['load'];
}

export function createHeldRun(
  hold: RunHold,
  loaded: LoadedRun,
  { outbox, clock, snapshot }: HeldRunPorts,
): HeldRun {
  const { run } = hold;
  return {
    journal: createJournal(hold, loaded, outbox),
    log: createLog(hold, loaded, outbox, clock),
    snapshots: {
      save: (node, snapshot) =>
        outbox.add(hold, { kind: 'snapshot', run, node, snapshot: snapshot }, () => {}),
      load: snapshot,
      drop: (node) => outbox.add(hold, { kind: 'snapshot', run, node, snapshot: null }, () => {}),
    },
  };
}

function createJournal(hold: RunHold, loaded: LoadedRun, outbox: Outbox): Journal {
  const records = new Map(loaded.records);
  const recall = createRecall(records);
  return {
    recall,
    record(key, value) {
      const text = toJson(key, value ?? null);
      requireNotEnded(hold);
      if (!records.has(key)) {
        outbox.add(hold, { kind: 'record', run: hold.run, key, value: text }, () => records.delete(key));
        records.set(key, text);
      }
      // Returns the stored value, so that this process sees the same as a later one.
      return recall(key);
    },
  };
}

function createLog(hold: RunHold, loaded: LoadedRun, outbox: Outbox, clock: Clock): RunLog {
  const events: HeldEvent[] = loaded.events.map((logged) => ({ seq: logged.seq, read: () => logged }));
  const loggedKeys = new Set(loaded.events.map(({ key }) => key));
  return {
    append(key, event) {
      const text = toJson(key, event);
      requireNotEnded(hold);
      if (loggedKeys.has(key)) return false;
      const seq = (events.at(-1)?.seq ?? 0) + 1;
      const row = { seq, at: clock.now(), key };
      outbox.add(hold, { kind: 'append', run: hold.run, ...row, event: text }, () => {
        events.pop();
        loggedKeys.delete(key);
      });
      events.push(createHeldEvent(row, text));
      loggedKeys.add(key);
      return true;
    },
    read: (after = 0) => events.filter(({ seq }) => seq > after).map((event) => event.read()),
  };
}

/** An event in memory. A new one is parsed only when it is read, since most are read by other processes. */
interface HeldEvent {
  readonly seq: number;
  readonly read: () => LoggedEvent;
}

function createHeldEvent(row: Omit<LoggedEvent, 'event'>, text: string): HeldEvent {
  let logged: LoggedEvent | undefined;
  return {
    seq: row.seq,
    read() {
      logged ??= Object.freeze({ ...row, event: JSON.parse(text) });
      return logged;
    },
  };
}

function requireNotEnded({ ended, run, fence }: RunHold): void {
  if (ended) throwLeaseLost(run, fence);
}

export function createRecall(records: ReadonlyMap<string, string>): Journal['recall'] {
  return (key) => {
    const text = records.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  };
}

function toJson(key: string, value: unknown): string {
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch (cause) {
    throw notJsonError(key, cause);
  }
  throw notJsonError(key, undefined);
}

function notJsonError(key: string, cause: unknown): SondeError {
  return new SondeError('bad_argument', {
    message: `The value to record as ${key} is not JSON`,
    remedy: 'Record plain objects, lists, strings, numbers, booleans and null.',
    cause,
  });
}
