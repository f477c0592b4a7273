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
import type { DefinedRun, Drive, RunEnd, RunTypes, Shape, TaskSetting } from '../../tasks/index.ts';
import type { ExitCode } from '../cli/exit-codes.ts';
import type { Configuration, SettingKey } from '../config/index.ts';
import type { KeptRun } from './kept-run.ts';
import type { Watch } from './watch.ts';

/** The caller's own model, taken where none is configured. */
export interface Offered {
  readonly sample: Sample;
  /** Most requests that the caller answers in one run. */
  readonly calls: number;
}

/** What a program brings along, where a person configures: nothing of it is closed by the run. */
export interface Brought {
  /** In place of the models that are configured. */
  readonly models?: { readonly planner: Model; readonly analyst: Model };
  /** Abilities beside those that a run has itself. */
  readonly tools?: readonly OwnTool[];
  /** Systems that an incident is looked at through, beside those that are configured. */
  readonly signals?: readonly Signal[];
  /** A research by grep and reading alone: what another way of looking is measured against. */
  readonly plain?: true;
  /** The file that the run is kept in, in place of that of the user. */
  readonly store?: string;
  /** Who goes from stage to stage of the run, in place of its own loop. */
  readonly drive?: Drive;
}

/** What every kind is asked with. */
export interface Asked extends Watch {
  /** The run's id, where whoever asks has promised one. */
  readonly id?: string;
  readonly brought?: Brought;
  /** Settings that come before the environment and all files, by the names of docs/configuration.md. */
  readonly settings?: Readonly<Partial<Record<SettingKey, unknown>>>;
  readonly offered?: Offered;
}

/** A run that is kept: gone on with, or replayed. */
export interface RunRequest extends Watch {
  /** A run's id, or the beginning of one. */
  readonly run: string;
  readonly offered?: Offered;
  /** As when the run began: what was brought along is not kept with it. */
  readonly brought?: Brought;
  /** Where its folder is on this machine, if that is another one. */
  readonly root?: string;
}

/** Something that was opened for a run, and is closed after it. */
export interface Opened<Value> {
  readonly value: Value;
  close(): unknown;
}

/** The types of one kind. */
export interface AppTypes {
  readonly run: RunTypes;
  readonly request: Asked;
  /** Where a run looks: all that its ports are opened by. */
  readonly place: unknown;
  /** With the ports that are a kind's own: its models are opened for it. */
  readonly open: { readonly ports: object; close(): unknown };
  /** What the library gives. */
  readonly value: unknown;
}

export interface Opening {
  readonly configuration: Configuration;
  readonly watch: Watch;
  readonly brought: Brought;
}

export interface Begin<Types extends AppTypes> {
  readonly place: Types['place'];
  readonly configuration: Configuration;
  readonly open: Types['open'];
  /** Most calls that the caller's own model answers; null for any other model. */
  readonly calls: number | null;
}

/** A conversation, as far as it offers its planner work. */
export interface Conversation {
  readonly configuration: Configuration;
  readonly workspace: string;
  /** The folder that its user lets it read. */
  readonly root?: string;
  /** What the program brought that opened it. */
  readonly brought?: Brought;
}

/** A flag of a setting takes its help from there. */
export type RunOption =
  | { readonly flag: string; readonly what: string }
  | { readonly setting: SettingKey; readonly placeholder: string; readonly conflicts?: readonly string[] };

export const scopeFlag = Object.freeze({
  flag: '--scope <glob>',
  what: 'only paths that match: comma-separated globs, ! excludes, a folder means all below it',
});

/** As they are given, by the names that commander gives them. */
export type GivenFlags = Readonly<Record<string, string | true | undefined>>;

/** `max_tokens`, `max_usd`, `max_time`, `model`, `--json` and `--debug` are flags of all of them. */
export interface RunCommand<Request> {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly what: string; readonly default?: string }[];
  readonly options: readonly RunOption[];
  /** Limits of its own, where they differ from those of the settings. Time in milliseconds. */
  readonly limits?: { readonly max_tokens: number; readonly max_time: number };
  /** What `--json` prints. */
  readonly json: string;
  /** Throws `bad_argument` and the like. */
  request(given: readonly (string | undefined)[], flags: GivenFlags): Request | Promise<Request>;
}

/** A tool of `sonde mcp PATH`. `debug` is a parameter of all of them. */
export interface RunTool<Request> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** For the model of the client, a sentence without its full stop. */
  readonly instructions: string;
  readonly input: z.ZodObject;
  /** `root`: the folder that is served. */
  request(input: z.output<z.ZodObject>, root: string): Request;
}

/** How an end is shown where that differs from how its result is. */
export interface Shown<End> {
  /** What `--json` prints. */
  json?(end: End): unknown;
  exitCode?(end: End): ExitCode;
  text?(end: End, evidence: readonly Evidence[]): string;
  /** The flag of `sonde show` that shows what it did; `--trace` by default. */
  readonly view?: '--trace' | '--cells';
  /** Of `sonde show`: null for the report that all kinds have. */
  report?(end: RunEnd, log: readonly LoggedEvent[]): string | null;
  /** Ids of what it read, where its evidence doesn't say so; null where it does. */
  reads?(end: RunEnd): readonly string[] | null;
  /** Fields of `sonde show --json`, beside those that all runs have. */
  fields?(end: RunEnd): Readonly<Record<string, unknown>>;
}

/** A question of a set whose answers are known. */
export interface SetQuestion {
  readonly question?: string | undefined;
  /** Where it looks. */
  readonly folder: string;
  readonly scope?: string | undefined;
}

/** How a question of a set is put to a kind of run. */
export interface Evaluated<Request> {
  readonly needsQuestion: boolean;
  request(question: SetQuestion): Request;
  /** The same on the command line, of this revision or an older one: the command, its arguments and its flags. */
  args(question: SetQuestion): readonly string[];
  /** By grep and reading alone, as a run of the shape that can. Absent where nothing compares. */
  plain?(question: SetQuestion): { readonly shape: string; readonly request: Asked };
}

/** What a request is but for what every kind is asked with. */
type Own<Request extends Asked> = Omit<Request, keyof Asked>;

export interface AppKind<Types extends AppTypes> {
  /** Loaded where it is used. */
  definition(): Promise<DefinedRun<Types['run']>>;
  /** Where the run is to look. Throws what is wrong about a request before anything is opened. */
  place(request: Types['request']): Types['place'];
  /** As when the run began; `project` and `open` complain about what is gone. */
  placeOf(kept: KeptRun): Types['place'];
  /** The folder whose `sonde.json` counts; null where none does. Throws where the folder is gone. */
  project(place: Types['place']): string | null;
  open(place: Types['place'], opening: Opening): Promise<Types['open']>;
  /** Its many small records need not reach the disk one by one. */
  readonly unsynced?: true;
  request(
    request: Types['request'],
    begin: Begin<Types>,
  ): Omit<Types['run']['request'], 'id' | 'storeArtifacts'>;
  /** What a replay needs beside the store. */
  openForReplay(
    place: Types['place'],
    configuration: Configuration,
    brought: Brought,
  ): Promise<Opened<Types['run']['given']>>;
  /** What is told of a replay. */
  notes?(replayed: Types['run']['replayed']): readonly string[];
  /** What is done once it has ended; gives lines for people. */
  after?(end: Types['run']['end'], request: Types['request'], root: string): Promise<readonly string[]>;
  /** What the library's function gives, and `--json` prints where `shown` doesn't say otherwise. */
  value(end: Types['run']['end']): Types['value'];
  readonly command: RunCommand<Own<Types['request']>>;
  readonly tool?: RunTool<Own<Types['request']> & Pick<Asked, 'settings'>>;
  readonly evaluated?: Evaluated<Own<Types['request']>>;
  readonly shown?: Shown<Types['run']['end']>;
  /** What a conversation's planner can hand to this kind; null where it has nothing to work on. */
  offer?(
    at: Conversation,
  ): Promise<(Opened<Types['run']['offer']> & { readonly notes?: readonly string[] }) | null>;
}

/** A run that has ended, as it is shown. */
export interface Finished<Value = unknown> {
  readonly result: RunResult;
  readonly root: string;
  readonly value: Value;
  readonly json: unknown;
  readonly exitCode: ExitCode;
  /** Printed before the result. */
  readonly lines: readonly string[];
  text(evidence: readonly Evidence[]): string;
}

export interface OfferedTask {
  readonly shape: Shape;
  readonly notes: readonly string[];
  close(): unknown;
}

/** A kind as the program uses it: its own types are known to its file alone. */
export interface Kind<Request extends Asked = Asked, Value = unknown> {
  readonly command: RunCommand<Own<Request>>;
  readonly tool?: RunTool<Own<Request> & Pick<Asked, 'settings'>>;
  readonly evaluated?: Evaluated<Own<Request>>;
  readonly shown: Pick<Shown<never>, 'report' | 'reads' | 'fields' | 'exitCode'>;
  /** Throws for wrong input, before anything is written; after that every end but a bug is a result. */
  start(request: Request): Promise<Finished<Value>>;
  /** Goes on with a run under the models and the limits it began with. Throws `not_found` and `run_state`. */
  resume(request: RunRequest): Promise<Finished<Value>>;
  /** Works a finished run through again from its records: nothing is asked. Throws as `resume` does. */
  replay(request: RunRequest): Promise<Finished<Value>>;
  /** Null where a conversation has nothing to do it with. */
  task(at: Conversation, setting: TaskSetting): Promise<OfferedTask | null>;
}

export function appKind<Types extends AppTypes>(
  kind: AppKind<Types>,
): Kind<Types['request'], Types['value']> {
  const { command, tool, evaluated, shown = {} } = kind;
  const lives = () => import('./run-lives.ts');
  return Object.freeze({
    command,
    ...(tool && { tool }),
    ...(evaluated && { evaluated }),
    shown,
    start: async (request: Types['request']) => (await lives()).startRun(kind, request),
    resume: async (request: RunRequest) => (await lives()).resumeRun(kind, request),
    replay: async (request: RunRequest) => (await lives()).replayRun(kind, request),
    task: async (at: Conversation, setting: TaskSetting) => (await lives()).taskFor(kind, at, setting),
  });
}

/** Used among other tools: only its schema knows its arguments. */
export function runTool<Input extends z.ZodObject, Request>(
  tool: Omit<RunTool<Request>, 'input' | 'request'> & {
    readonly input: Input;
    request(input: z.output<Input>, root: string): Request;
  },
): RunTool<Request> {
  return Object.freeze(tool) as unknown as RunTool<Request>;
}
