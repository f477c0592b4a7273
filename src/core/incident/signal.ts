/**
 * The contract of a signal: one system that shows something about an incident (metrics, logs, changes, objects), with
 * the questions it answers.
 *
 * The engine fixes the incident window, the caps and the deadline of every query; a question's arguments hold no time.
 * An implementer must not: change anything in the system it asks (the contract has no method for it), look outside the
 * window, return more than the caps without saying what was cut, throw because the system is away or slow (that is a
 * value), or let a credential into a text, a row or a message.
 */
import type { z } from 'zod';
import type { Completeness } from '../material.ts';
import type { SystemMask } from '../secrets/masker.ts';

/** Milliseconds since the Unix epoch; `from` inclusive, `to` exclusive. */
export interface IncidentWindow {
  readonly from: number;
  readonly to: number;
  /** The start of the calm time before the window, for comparison: `baseline_from` to `from`. */
  readonly baseline_from: number;
  /** How the window was derived, for people. */
  readonly derivation: string;
}

export interface SignalLimits {
  /** Maximum number of rows (points, lines, patterns, changes) in one reply. */
  readonly rows: number;
  /** Maximum number of bytes in the text of one reply. */
  readonly bytes: number;
  /** Milliseconds after which a query is abandoned. */
  readonly timeoutMs: number;
}

export interface Series {
  /** Metric name and labels; `name` is the metric. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Time in milliseconds, value; ascending in time. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

export interface LogLine {
  /** Null if the line has no readable time. */
  readonly at: number | null;
  readonly service: string | null;
  readonly level: string | null;
  readonly text: string;
}

/** Log lines of one shape, with `<*>` for the parts that vary. */
export interface LogPattern {
  readonly template: string;
  readonly service: string | null;
  readonly level: string | null;
  readonly count: number;
  /** How often the pattern occurred in the baseline, scaled to the length of the window; null without a baseline. */
  readonly baseline: number | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly example: string;
}

export interface Change {
  readonly kind: 'commit' | 'deploy' | 'flag' | 'rollout' | 'config';
  /** The commit's hash, the name of the flag, the id of the deploy. */
  readonly id: string;
  readonly at: number;
  readonly service: string | null;
  readonly author: string | null;
  readonly title: string;
  /** The commits that a deploy contains; the commit itself for a commit. */
  readonly commits: readonly string[];
  readonly paths: readonly string[];
  /** Unified diff of a commit, or the old and new value of a flag or setting. Null: not read. */
  readonly diff: string | null;
  /** The names that the diff touches. Absent if no syntax was read. */
  readonly names?: ChangedNames;
}

/** The definitions that a diff touches, by the syntax of its files. */
export interface ChangedNames {
  /** Functions, types and constants that hold an edited line, the innermost first. */
  readonly inside: readonly ChangedDefinition[];
}

export interface ChangedDefinition {
  readonly name: string;
  readonly kind: 'function' | 'type' | 'value';
}

/** Reads the names that a diff touches; null if no grammar reads its files. No content of the diff makes it throw. */
export type ReadChangedNames = (
  change: Pick<Change, 'paths' | 'diff'>,
  /** Maximum milliseconds to wait. */
  waitMs: number,
) => Promise<ChangedNames | null>;

export interface TraceSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly service: string;
  readonly name: string;
  readonly at: number;
  readonly duration_ms: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface AlertState {
  readonly name: string;
  readonly state: 'firing' | 'pending' | 'resolved';
  readonly since: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The expression of the rule; null if it is not known. */
  readonly query: string | null;
}

/** Rows in a form that code can use; `table` for all others. */
export type SignalRows =
  | { readonly kind: 'series'; readonly series: readonly Series[] }
  | { readonly kind: 'lines'; readonly lines: readonly LogLine[] }
  | { readonly kind: 'patterns'; readonly patterns: readonly LogPattern[]; readonly lines: number }
  | { readonly kind: 'changes'; readonly changes: readonly Change[] }
  | { readonly kind: 'spans'; readonly spans: readonly TraceSpan[] }
  | { readonly kind: 'alerts'; readonly alerts: readonly AlertState[] }
  | { readonly kind: 'table'; readonly rows: readonly Readonly<Record<string, unknown>>[] };

/** The result of one query. */
export interface Observation {
  readonly kind: 'observation';
  /** The query as it was sent, with its window. */
  readonly query: string;
  /** The system and instance: `prometheus http://127.0.0.1:9090`, without credentials. */
  readonly source: string;
  readonly window: IncidentWindow;
  /** When it was asked, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The rows as lines of text for a reader, within the caps. */
  readonly text: string;
  readonly rows: SignalRows;
  /** The numbers of shown and of all rows; null if nothing was cut. */
  readonly truncated: { readonly shown: number; readonly total: number | null } | null;
  readonly completeness: Completeness;
  readonly notes: readonly string[];
}

export interface SignalFailure {
  readonly kind: 'failure';
  readonly reason:
    | 'unreachable'
    | 'refused'
    | 'bad_query'
    /** The answer cannot be read. */
    | 'bad_reply'
    | 'timeout'
    | 'not_found'
    | 'too_large'
    | 'cancelled';
  /** One line, naming the system and the query. */
  readonly message: string;
}

export interface SignalRequest {
  readonly window: IncidentWindow;
  readonly limits: SignalLimits;
  readonly signal?: AbortSignal;
  /** Masks secrets in replies; if absent, all secrets get the same mark. */
  readonly mask?: SystemMask;
}

export const signalTopics = [
  'metrics',
  'logs',
  'changes',
  'traces',
  'objects',
  'alerts',
  'database',
  'errors',
] as const;
export type SignalTopic = (typeof signalTopics)[number];

/** One question that a system answers, for instance a range query. */
export interface SignalQuestion<Arguments = unknown> {
  /** Starts with the system: `prometheus_range`. Lower case with underscores. */
  readonly name: string;
  readonly topic: SignalTopic;
  /** For a model: what the question shows, and when to ask it. */
  readonly description: string;
  /** The arguments of the question. They hold no time, since the engine sets the window. */
  readonly parameters: z.ZodType<Arguments>;
  /** One line: the cost of a call in time and size. */
  readonly cost: string;
  ask(args: Arguments, request: SignalRequest): Promise<Observation | SignalFailure>;
}

export type Health =
  | { readonly kind: 'healthy'; readonly version: string | null }
  | { readonly kind: 'unhealthy'; readonly reason: string };

/**
 * Permissions that the questions need and the account lacks, and those that it has without need; unknown if the system
 * can't tell.
 */
export type Rights = 'unknown' | { readonly missing: readonly string[]; readonly excess: readonly string[] };

/** The result of an inspection, for the person who sets a system up. */
export interface Inspection {
  readonly rights: Rights;
  /** The clock of the system minus the clock here, in milliseconds; null if the system does not tell its time. */
  readonly clockMs: number | null;
}

/** One configured system. */
export interface Signal {
  /** The kind of system: `prometheus`, `logs`, `git`. */
  readonly system: string;
  /** Its address, without credentials. */
  readonly source: string;
  /** One line: what the system can show. */
  readonly offers: string;
  readonly questions: readonly SignalQuestion[];
  /**
   * A question without arguments that compares everything the system watches with the time before. It is used if no
   * particular query is given, and never in an incident. Absent if the system can't answer this in one reply.
   */
  readonly overview?: SignalQuestion;
  /** Parts of the source that are not read, and why; one line each, shown in the coverage of every incident. */
  readonly notes?: readonly string[];
  /** Whether the system answers. Called once before anything else; takes a few seconds, or as long as `signal` allows. */
  health(signal?: AbortSignal, mask?: SystemMask): Promise<Health>;
  /**
   * Called while a system is set up, and not in an investigation. Changes nothing. A fact that it can't find out is
   * unknown.
   */
  inspect?(signal: AbortSignal): Promise<Inspection>;
  /** Closes connections. */
  close(): Promise<void>;
}
