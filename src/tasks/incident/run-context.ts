import type {
  Clock,
  Journal,
  LogOnce,
  Pool,
  ReadChangedNames,
  Signal,
  Step,
  SystemMask,
} from '../../core/index.ts';
import type { Model, Prices, RetryPolicy } from '../../model/index.ts';
import type { Sink } from './deliver/sink.ts';
import type { Library } from './library/library.ts';
import type { Limits } from './limits.ts';

/** The model of an investigation. `extractive`: none is called, and the code writes the brief. */
export interface Models {
  readonly planner: Model;
  /** The model for claims that code leaves open; absent: the planner. */
  readonly analyst?: Model;
  readonly prices?: Prices;
  readonly retry?: RetryPolicy;
}

/** Receives failures of the pipeline itself: Sentry, OpenTelemetry, a file. Must not throw. */
export interface ErrorSink {
  report(error: unknown, about: Readonly<Record<string, string>>): void;
}

/** Everything that an investigation uses besides its state, passed as arguments so that tests can replace it. */
export interface RunContext {
  readonly run: string;
  readonly models: Models;
  readonly signals: readonly Signal[];
  /** Masks secrets in answers of systems; absent: all secrets get the same mark. */
  readonly mask?: SystemMask;
  /** Finds the definitions that a diff touches, when a change is recorded. */
  readonly changedNames?: ReadChangedNames;
  readonly sinks: readonly Sink[];
  /** The reference of the alert group's thread in a sink. Absent: reports begin no threads. */
  readonly thread?: (sink: string) => Promise<string | null>;
  /** Another run that is investigating the same alert now; null if there is none. */
  readonly otherRun: (fingerprint: string) => Promise<string | null>;
  /** Runbooks and earlier reports; absent in runs without them. */
  readonly library?: Library;
  readonly limits: Limits;
  readonly pool: Pick<
    Pool,
    | 'account'
    | 'reserve'
    | 'whenFreed'
    | 'remaining'
    | 'timeLeft'
    | 'timeRefusal'
    | 'deadlineMs'
    | 'recordTime'
    | 'spent'
  >;
  /** The budget for open claims; null if no model reads them. */
  readonly readerPool: Pool | null;
  readonly step: Step;
  /** Writes events that belong to no step. */
  readonly tell: LogOnce;
  /** The recorded steps of the run, read only. */
  readonly recorded: Pick<Journal, 'recall'>;
  readonly clock: Clock;
  /** Aborts when the person stops the run. */
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}
