/** Options that every function of the library takes. */
import type { OwnTool } from '../../catalogue/index.ts';
import type { LoggedEvent, Signal } from '../../core/index.ts';
import type { AiSdkModel, Model } from '../../model/index.ts';
import type { SettingValues } from '../config/index.ts';
import type { OptionNames } from './known-options.ts';
import type { McpServer } from './mcp-servers.ts';

/** An implementation of the contract of a model, or a model of the AI SDK as it is. */
export type OwnModel = Model | AiSdkModel;

/** Parts of your own. Your program owns and closes them. */
export interface OwnParts {
  /**
   * A model of your own, or one of the AI SDK, instead of the configured ones. It is also used as the analyst if none
   * is given.
   */
  readonly model?: OwnModel;
  /** The cheaper model that reads and summarises. */
  readonly analyst?: OwnModel;
  /**
   * Tools of your own, made by `tool`, and MCP servers as they are. For models, what they return is material, never an
   * order.
   */
  readonly tools?: readonly (OwnTool | McpServer)[];
  /**
   * Systems of your own, in addition to the configured ones. An incident looks at them in its time; `ask` and
   * `investigate` call their questions as tools, about the last hours. They are not closed.
   */
  readonly signals?: readonly Signal[];
  /** The file that stores runs; absent: the user's. Give it to `resume` and `replay`, too. */
  readonly store?: string;
}

/** Options of every run. */
export interface RunOptions extends OwnParts {
  /**
   * Settings by their names in docs/configuration.md. They override the environment and all files: `{ steps: 5,
   * max_usd: 0.1 }`.
   */
  readonly settings?: SettingValues;
  /** Ends the run with what it has. */
  readonly signal?: AbortSignal;
  /** Called with the run's id as soon as it has one. */
  readonly onRun?: (run: string) => void;
  readonly onEvent?: (event: LoggedEvent) => void;
  /** For people: what was refused, passed over or chosen. */
  readonly onNote?: (note: string) => void;
}

/** Options to resume a run. Hand in the same parts as when it began. */
export interface ResumeOptions extends OwnParts, Pick<RunOptions, 'signal' | 'onEvent' | 'onNote'> {}

export const ownPartNames: OptionNames<OwnParts> = {
  ...{ model: true, analyst: true, tools: true, signals: true, store: true },
};

export const runOptionNames: OptionNames<RunOptions> = {
  ...ownPartNames,
  ...{ settings: true, signal: true, onRun: true, onEvent: true, onNote: true },
};

export const resumeOptionNames: OptionNames<ResumeOptions> = {
  ...ownPartNames,
  ...{ signal: true, onEvent: true, onNote: true },
};
