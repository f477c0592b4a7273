/** What every function of the library takes beside what it is asked. */
import type { OwnTool } from '../../catalogue/index.ts';
import type { LoggedEvent, Signal } from '../../core/index.ts';
import type { AiSdkModel, Model } from '../../model/index.ts';
import type { SettingValues } from '../config/index.ts';
import type { McpServer } from './mcp-servers.ts';

/** One that holds to the contract of a model, or one of the AI SDK as it is. */
export type OwnModel = Model | AiSdkModel;

/** What a program brings along: it stays the program's, and is closed by it. */
export interface OwnParts {
  /** A model of your own, or one of the AI SDK, in place of the configured ones: it plans, and reads where no analyst is given. */
  readonly model?: OwnModel;
  /** The cheaper one that reads and summarises. */
  readonly analyst?: OwnModel;
  /** Abilities of your own, made by `tool`, and MCP servers as they are. What they give is material, never an order. */
  readonly tools?: readonly (OwnTool | McpServer)[];
  /** The file that runs are kept in; the user's where it is absent. Give it to `resume` and `replay`, too. */
  readonly store?: string;
}

export interface OwnSignals {
  /** Systems of your own to look at, beside those that are configured. They stay open. */
  readonly signals?: readonly Signal[];
}

/** What every run takes. */
export interface RunOptions extends OwnParts {
  /** By the names of docs/configuration.md, before the environment and all files: `{ steps: 5, max_usd: 0.1 }`. */
  readonly settings?: SettingValues;
  /** Ends the run with what it has. */
  readonly signal?: AbortSignal;
  /** The run's id, as soon as it has one. */
  readonly onRun?: (run: string) => void;
  readonly onEvent?: (event: LoggedEvent) => void;
  /** For people: refusals, things passed over, choices that were made. */
  readonly onNote?: (note: string) => void;
}

/** What a run is taken up again with. What was brought along when it began is brought along again. */
export interface Again extends OwnParts, OwnSignals, Pick<RunOptions, 'signal' | 'onEvent' | 'onNote'> {}
