/**
 * What a kind of run is to the program: where it looks, how its ports are opened, how it is asked for and how its end
 * is shown. Command, MCP tool, library function, what a conversation hands on, `resume`, `replay` and `show` follow.
 *
 * Its author must not: write anything before `place` has judged the request, keep what was opened beyond `close`, or
 * import what opens things where the file is loaded, since every command loads every kind.
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
  /** Instead of the configured models. */
  readonly models?: { readonly planner: Model; readonly analyst: Model };
  /** Tools in addition to those that a run has. */
  readonly tools?: readonly OwnTool[];
  /** Systems for incidents, in addition to those that are configured. */
  readonly signals?: readonly Signal[];
  /** Research with grep and reading only: the baseline that others are measured against. */
  readonly plain?: true;
  /** Research without what syntax knows of code, and without the diffs of commits: to measure what these are worth. */
  readonly unparsed?: true;
  /** The file that stores the run, instead of the user's. */
  readonly store?: string;
  /** Goes from stage to stage of the run, instead of its own loop. */
  readonly drive?: Drive;
}

/** The fields of every request. */
export interface KindRequest extends Watch {
  /** The id of the run, if the caller has announced one. */
  readonly id?: string;
  /** Who starts it, for the audit. */
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
  /** The run's folder on this machine, if it was another one when the run began. */
  readonly root?: string;
}

/** Something that was opened for a run and is closed after it. */
export interface Closable<Value> {
  readonly value: Value;
  close(): unknown;
}

/** The types of one kind. */
export interface AppTypes {
  readonly run: RunTypes;
  readonly request: KindRequest;
  /** The material of the run. Its ports are opened with it. */
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
  /** The folder that its user lets it read. */
  readonly root?: string;
  /** The parts that the calling program passed to the conversation. */
  readonly callerParts?: CallerParts;
}

/** The help of a flag for a setting comes from the setting. */
export type RunOption =
  | { readonly flag: string; readonly what: string }
  | { readonly setting: SettingKey; readonly placeholder: string; readonly conflicts?: readonly string[] };

export const scopeFlag = Object.freeze({
  flag: '--scope <glob>',
  what: "only these paths: globs or folders, separated by commas; ! excludes, as in 'src,!**/*.test.ts'",
});

/** Flags by the names that commander gives them. */
export type GivenFlags = Readonly<Record<string, string | true | undefined>>;

/** `max_tokens`, `max_usd`, `max_time`, `model`, `--json` and `--debug` are flags of all of them. */
export interface RunCommand<Request> {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly what: string; readonly default?: string }[];
  readonly options: readonly RunOption[];
  /** Default limits of this kind, if they differ from the settings. Time in milliseconds. */
  readonly limits?: { readonly max_tokens: number; readonly max_time: number };
  /** A description of the output of `--json`. */
  readonly json: string;
  /** Throws `bad_argument` and the like. */
  request(given: readonly (string | undefined)[], flags: GivenFlags): Request | Promise<Request>;
}

/** A tool of `sonde mcp PATH`. `debug` is a parameter of all of them. */
export interface RunTool<Request> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** For the model of the client: a sentence without its full stop. */
  readonly instructions: string;
  readonly input: z.ZodObject;
  /** `root`: the folder that is served. */
  request(input: z.output<z.ZodObject>, root: string): Request;
}

/** How an end is shown, if not as its result. */
export interface EndViews<End> {
  /** The output of `--json`. */
  json?(end: End): unknown;
  exitCode?(end: End): ExitCode;
  text?(end: End, evidence: readonly Evidence[]): string;
  /** The flag of `sonde show` that shows what it did; `--trace` by default. */
  readonly view?: '--trace' | '--cells';
  /** For `sonde show`; null: the report that all kinds have. */
  report?(end: RunEnd, log: readonly LoggedEvent[]): string | null;
  /** Ids of the content that it read; null if its evidence tells. */
  reads?(end: RunEnd): readonly string[] | null;
  /** Further fields of `sonde show --json`. */
  fields?(end: RunEnd): Readonly<Record<string, unknown>>;
}

/** A question of an evaluation set, with its expected answer. */
export interface SetQuestion {
  readonly question?: string | undefined;
  /** The folder that it is about. */
  readonly folder: string;
  readonly scope?: string | undefined;
}

/** How a kind of run answers questions of an evaluation set. */
export interface EvalAdapter<Request> {
  readonly needsQuestion: boolean;
  request(question: SetQuestion): Request;
  /** The same as a command line of this or an older version: command, arguments and flags. */
  args(question: SetQuestion): readonly string[];
  /** The comparison run that only has grep and file reading. Absent if there is none. */
  plain?(question: SetQuestion): { readonly shape: string; readonly request: KindRequest };
}

/** A request without the fields that every request has. */
type OwnFields<Request extends KindRequest> = Omit<Request, keyof KindRequest>;

export interface AppKind<Types extends AppTypes> {
  /** Loaded when it is used. */
  definition(): Promise<DefinedRun<Types['run']>>;
  /** The material of the run. Throws for a wrong request, before anything is opened. */
  place(request: Types['request']): Types['place'];
  /** The material of the run when it began. If it is gone, `project` and `open` throw. */
  placeOf(kept: KeptRun): Types['place'];
  /** The folder whose `sonde.json` counts; null: none. Throws if the folder is gone. */
  project(place: Types['place']): string | null;
  open(place: Types['place'], opening: Opening): Promise<Types['open']>;
  /** True: it asks no model, so that none is chosen for it. */
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
  /** Work after the end of a run. Gives lines for people. */
  after?(end: Types['run']['end'], request: Types['request'], root: string): Promise<readonly string[]>;
  /** The result of the library's function. `--json` prints it unless `shown` has another form. */
  value(end: Types['run']['end']): Types['value'];
  readonly command: RunCommand<OwnFields<Types['request']>>;
  readonly tool?: RunTool<OwnFields<Types['request']> & Pick<KindRequest, 'settings'>>;
  readonly evaluated?: EvalAdapter<OwnFields<Types['request']>>;
  readonly shown?: EndViews<Types['run']['end']>;
  /** The task of this kind that a conversation can delegate; null if there is no material for it. */
  offer?(
    at: Conversation,
  ): Promise<(Closable<Types['run']['offer']> & { readonly notes?: readonly string[] }) | null>;
}

/** A run that has ended, in the form in which it is shown. */
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

/** A kind with its types erased: only its own file knows them. */
export interface RunKind<Request extends KindRequest = KindRequest, Value = unknown> {
  readonly command: RunCommand<OwnFields<Request>>;
  readonly tool?: RunTool<OwnFields<Request> & Pick<KindRequest, 'settings'>>;
  readonly evaluated?: EvalAdapter<OwnFields<Request>>;
  readonly shown: Pick<EndViews<never>, 'report' | 'reads' | 'fields' | 'exitCode'>;
  /** True: it asks no model, so that its help shows no flag of models. */
  readonly asksNoModel?: true;
  /** Throws for wrong input before anything is written. After that every end is a result, unless there is a bug. */
  start(request: Request): Promise<FinishedRun<Value>>;
  /** Resumes a run with the models and limits it began with. Throws `not_found` and `run_state`. */
  resume(request: RunRequest): Promise<FinishedRun<Value>>;
  /** Runs a finished run again from its log, without a model. Throws as `resume` does. */
  replay(request: RunRequest): Promise<FinishedRun<Value>>;
  /** Null if the conversation has nothing that this kind could work on. */
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
    task: async (at: Conversation, setting: TaskSetting) => (await lives()).taskFor(kind, at, setting),
  });
}

/** For a list of tools: only the schema of a tool knows its arguments. */
export function runTool<Input extends z.ZodObject, Request>(
  tool: Omit<RunTool<Request>, 'input' | 'request'> & {
    readonly input: Input;
    request(input: z.output<Input>, root: string): Request;
  },
): RunTool<Request> {
  return Object.freeze(tool) as unknown as RunTool<Request>;
}
