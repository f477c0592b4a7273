import type { Clock, SettingValues } from '../core/index.ts';
import type { Sample } from './providers/mcp/sampling.ts';
import type { providerSettings } from './providers/settings.ts';
import type { LearnedStore } from './tokens/input-ceiling.ts';

/** The user's values of the settings that providers declare. */
export type ProviderValues = Partial<SettingValues<typeof providerSettings>>;

/** The user's settings for models as plain values, collected from flags, environment and files. */
export interface ModelSettings<Values = ProviderValues> {
  /** For both tiers: a model name in one of the notations of `modelForms`, such as `openai:MODEL`, or `auto`. */
  readonly model?: string;
  /** For one tier, in preference to `model`. */
  readonly planner?: string;
  readonly analyst?: string;
  readonly values: Values;
  /** Whether `auto` may use command-line agents. By name they can always be used. */
  readonly agents?: boolean;
  /** Tokens; for models that the table of known models does not have. */
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  /** Thinking tokens before each reply of a dialogue; absent: the provider's default. */
  readonly thinking?: number;
}

/** Access to the world outside of this folder. */
export interface ModelPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The user's environment, passed on in part to command-line agents. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The full path of a program, or undefined if it is not installed. */
  readonly which: (program: string) => string | undefined;
  /** The text of a file; throws where it cannot be read. */
  readonly readFile: (path: string) => string;
  /** The MCP client's own model, where the client offers sampling. */
  readonly sample?: Sample;
  /** Stores facts learned about tokenizers; without it each process learns them again. */
  readonly learned?: LearnedStore;
}
