/**
 * The contract of a kind of run: its material, its ports, its command and MCP tool, and how its end is shown. The command,
 * the MCP tool, the library function, delegation by conversations, `resume`, `replay` and `show` are derived from it.
 *
 * An implementation must not write anything before `place` has checked the request, keep anything open after `close`, or
 * import at load time what opens ports, since every command loads every kind.
 */
import type { z } from 'zod';
import type { OwnTool } from '../../catalogue/index.ts';
import type { Evidence, LoggedEvent, RunResult, Signal } from '../../core/index.ts';
import type { Model, Sample } from '../../model/index.ts';
import type { Actor } from '../../store/index.ts';
import type { DefinedRun, Drive, RunEnd, RunTypes, TaskSetting, TaskShape } from '../../tasks/index.ts';
import type { ExitCode } from '../cli/exit-codes.ts';
import type { Configuration, SettingKey } from '../config/index.ts';
import type { KeptRun } from './kept-run.ts';
import type { Watch } from './watch.ts';

/** The model of the caller, used if none is configured. */
export interface OfferedModel {
  readonly sample: Sample;
  /** Maximum requests that the caller answers in one run. */
  readonly calls: number;
}

/** Models, tools and systems that the calling program passes in. The run closes none of them. */
export interface CallerParts {
  /** Models that are used instead of the configured ones. */
  readonly models?: { readonly planner: Model; readonly analyst: Model };
  /** Tools in addition to those that a run has. */
  readonly tools?: readonly OwnTool[];
  /** Systems for incidents, in addition to those that are configured. */
  readonly signals?: readonly Signal[];
  /** True: research has only grep and file reading, as a baseline for measurements. */
  readonly plain?: true;
  /** True: research has no syntax tools and no diffs of commits, to measure what these are worth. */
  readonly unparsed?: true;
  /** The file that stores the run, instead of the user's. */
  readonly store?: string;
  /** Runs the stages of the run, instead of its own loop. */
  readonly drive?: Drive;
}

/** The fields of every request. */
export interface KindRequest extends Watch {
  /** The id of the run; absent: a new one is made. */
  readonly id?: string;
  /** The user who starts it, for the audit log. */
  readonly by?: Actor;
  readonly callerParts?: CallerParts;
  /** Settings that override the environment and all files, by their names in docs/configuration.md. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly offered?: OfferedModel;
}

/** A stored run that is to be resumed or replayed. */
export interface RunRequest extends Watch {
  /** A run's id, or the beginning of one. */
  readonly run: string;
  readonly offered?: OfferedModel;
  /** The parts that the program passes in; they are not stored with the run. */
  readonly callerParts?: CallerParts;
  /** The run's folder on this machine, if it has moved since the run began. */
  readonly root?: string;
}

/** A value that was opened for a run and is closed after it. */
export interface Closable<Value> {
  readonly value: Value;
  close(): unknown;
}

/** The types of one kind. */
export interface AppTypes {
  readonly run: RunTypes;
  readonly request: KindRequest;
  /** The material of the run, such as a folder or a workspace. */
  readonly place: unknown;
  /** The ports of this kind. Models are opened separately. */
  readonly open: { readonly ports: object; close(): unknown };
  /** The result of the library's function. */
  readonly value: unknown;
}

export interface Opening {
  readonly configuration: Configuration;
  readonly watch: Watch;
  readonly callerParts: CallerParts;
}

export interface Begin<Types extends AppTypes> {
  readonly place: Types['place'];
  readonly configuration: Configuration;
  readonly open: Types['open'];
  /** Maximum calls that the caller's own model answers; null for other models. */
  readonly calls: number | null;
}

/** The parts of a conversation that decide which work it can delegate. */
export interface Conversation {
  readonly configuration: Configuration;
  readonly workspace: string;
  /** The folder that its user allows it to read. */
  readonly root?: string;
  /** The parts that the calling program passed to the conversation. */
  readonly callerParts?: CallerParts;
}

/** A flag of a run's command. A flag for a setting takes its help from the setting. */
export type RunOption =
  | { readonly flag: string; readonly what: string }
  | { readonly setting: SettingKey; readonly placeholder: string; readonly conflicts?: readonly string[] };

export const scopeFlag = Object.freeze({
  flag: '--scope <glob>',
  what: "only these paths: globs or folders, separated by commas; ! excludes, as in 'src,!**/*.test.ts'",
});

/** Flags by the names that commander gives them. */
export type GivenFlags = Readonly<Record<string, string | true | undefined>>;

/** The command of a kind of run. Every command also has `--max-tokens`, `--max-usd`, `--max-time`, `--model`, `--json`. */
export interface RunCommand<Request> {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly what: string; readonly default?: string }[];
  readonly options: readonly RunOption[];
  /** Default limits of this kind, if they differ from the settings. Time in milliseconds. */
  readonly limits?: { readonly max_tokens: number; readonly max_time: number };
  /** A description of the output of `--json`. */
  readonly json: string;
  /** Makes the request from arguments and flags. Throws `bad_argument` for wrong ones. */
  request(given: readonly (string | undefined)[], flags: GivenFlags): Request | Promise<Request>;
}

/** A tool of `sonde mcp PATH`. Every tool also has the parameter `debug`. */
export interface RunTool<Request> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** When to use the tool, for the client's model: a sentence without its full stop. */
  readonly instructions: string;
  readonly input: z.ZodObject;
  /** `root`: the folder that is served. */
  request(input: z.output<z.ZodObject>, root: string): Request;
}

/** Views of the end of a run. Absent ones show its result. */
export interface EndViews<End> {
  /** The output of `--json`. */
  json?(end: End): unknown;
  exitCode?(end: End): ExitCode;
  text?(end: End, evidence: readonly Evidence[]): string;
  /** The flag of `sonde show` that shows the steps of the run; `--trace` by default. */
  readonly view?: '--trace' | '--cells';
  /** The Markdown report for `sonde show`; null: the report that all kinds have. */
  report?(end: RunEnd, log: readonly LoggedEvent[]): string | null;
  /** Ids of the pages that the run read; null: its evidence names them. */
  reads?(end: RunEnd): readonly string[] | null;
  /** Further fields of `sonde show --json`. */
  fields?(end: RunEnd): Readonly<Record<string, unknown>>;
}

/** A question of an evaluation set, with its expected answer. */
export interface SetQuestion {
  readonly question?: string | undefined;
  /** The folder that the question is about. */
  readonly folder: string;
  readonly scope?: string | undefined;
}

/** How a kind of run answers questions of an evaluation set. */
export interface EvalAdapter<Request> {
  readonly needsQuestion: boolean;
  request(question: SetQuestion): Request;
  /** The question as a command line of this or an older version: command, arguments and flags. */
  args(question: SetQuestion): readonly string[];
  /** The comparison run that only has grep and file reading. Absent if there is none. */
  plain?(question: SetQuestion): { readonly shape: string; readonly request: KindRequest };
}

/** A request without the fields that every request has. */
type OwnFields<Request extends KindRequest> = Omit<Request, keyof KindRequest>;

export interface AppKind<Types extends AppTypes> {
  /** Loads the definition of the run when it is needed. */
  definition(): Promise<DefinedRun<Types['run']>>;
  /** Returns the material of the run. Throws for a wrong request, before anything is opened. */
  place(request: Types['request']): Types['place'];
  /** Returns the material that a stored run began with. If it is gone, `project` and `open` throw. */
  placeOf(kept: KeptRun): Types['place'];
  /** Returns the folder whose `sonde.json` is read; null: none. Throws if the folder is gone. */
  project(place: Types['place']): string | null;
  open(place: Types['place'], opening: Opening): Promise<Types['open']>;
  /** True: the run asks no model, so none is opened. */
  readonly asksNoModel?: true;
  /** True: its many small records need not be synced to the disk one by one. */
  readonly unsynced?: true;
  request(
    request: Types['request'],
    begin: Begin<Types>,
  ): Omit<Types['run']['request'], 'id' | 'storeArtifacts'>;
  /** The ports of a replay, besides the store. */
  openForReplay(
    place: Types['place'],
    configuration: Configuration,
    callerParts: CallerParts,
  ): Promise<Closable<Types['run']['given']>>;
  /** Notes for people about a replay. */
  notes?(replayed: Types['run']['replayed']): readonly string[];
  /** Does work after the end of a run. Returns lines for people. */
  after?(end: Types['run']['end'], request: Types['request'], root: string): Promise<readonly string[]>;
  /** The return value of the library's function. `--json` prints it unless `shown.json` is given. */
  value(end: Types['run']['end']): Types['value'];
  readonly command: RunCommand<OwnFields<Types['request']>>;
  readonly tool?: RunTool<OwnFields<Types['request']> & Pick<KindRequest, 'settings'>>;
  readonly evaluated?: EvalAdapter<OwnFields<Types['request']>>;
  readonly shown?: EndViews<Types['run']['end']>;
  /** Opens the material for a task of this kind that a conversation delegates; null if there is none. */
  offer?(
    at: Conversation,
  ): Promise<(Closable<Types['run']['offer']> & { readonly notes?: readonly string[] }) | null>;
}

/** A run that has ended, with its output in each format. */
export interface FinishedRun<Value = unknown> {
  readonly result: RunResult;
  readonly root: string;
  readonly value: Value;
  readonly json: unknown;
  readonly exitCode: ExitCode;
  /** Lines that are printed before the result. */
  readonly lines: readonly string[];
  text(evidence: readonly Evidence[]): string;
}

export interface OfferedTask {
  readonly shape: TaskShape;
  readonly notes: readonly string[];
  close(): unknown;
}

/** A kind of run as callers see it: the methods of `AppKind` are hidden behind start, resume, replay and task. */
export interface RunKind<Request extends KindRequest = KindRequest, Value = unknown> {
  readonly command: RunCommand<OwnFields<Request>>;
  readonly tool?: RunTool<OwnFields<Request> & Pick<KindRequest, 'settings'>>;
  readonly evaluated?: EvalAdapter<OwnFields<Request>>;
  readonly shown: Pick<EndViews<never>, 'report' | 'reads' | 'fields' | 'exitCode'>;
  /** True: it asks no model, so its help shows no flags for models. */
  readonly asksNoModel?: true;
  /** Throws for wrong input before anything is written. After that every end is a result, except for bugs. */
  start(request: Request): Promise<FinishedRun<Value>>;
  /** Resumes a run with the models and limits it began with. Throws `not_found` and `run_state`. */
  resume(request: RunRequest): Promise<FinishedRun<Value>>;
  /** Repeats a finished run from its log, without a model. Throws as `resume` does. */
  replay(request: RunRequest): Promise<FinishedRun<Value>>;
  /** Opens a task for a conversation; null if the conversation has no material for this kind. */
  task(at: Conversation, setting: TaskSetting): Promise<OfferedTask | null>;
}

export function appKind<Types extends AppTypes>(
  kind: AppKind<Types>,
): RunKind<Types['request'], Types['value']> {
  const { command, tool, evaluated, asksNoModel, shown = {} } = kind;
  const lives = () => import('./run-lives.ts');
  return Object.freeze({
    command,
    ...(asksNoModel && { asksNoModel }),
    ...(tool && { tool }),
    ...(evaluated && { evaluated }),
    shown,
    start: async (request: Types['request']) => (await lives()).startRun(kind, request),
    resume: async (request: RunRequest) => (await lives()).resumeRun(kind, request),
    replay: async (request: RunRequest) => (await lives()).replayRun(kind, request),
    task: async (at: Conversation, setting: TaskSetting) => (await lives()).openTask(kind, at, setting),
  });
}

/** Erases the type of a tool's input, so that tools fit in one list. */
export function runTool<Input extends z.ZodObject, Request>(
  tool: Omit<RunTool<Request>, 'input' | 'request'> & {
    readonly input: Input;
    request(input: z.output<Input>, root: string): Request;
  },
): RunTool<Request> {
  return Object.freeze(tool) as unknown as RunTool<Request>;
}
