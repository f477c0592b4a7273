import type { Clock } from '../core/index.ts';
import type { Sample } from './sampling.ts';
import type { LearnedStore } from './tokens/input-ceiling.ts';

/** Where a provider is and how to enter. A name in `keySetting` is what a remedy tells the user to check. */
export interface Access {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Used where only the provider is named. */
  readonly model?: string;
  readonly keySetting?: string;
}

/** What a user may set about models: a plain value, filled by the composition from flags, environment and files. */
export interface ModelSettings {
  /** For both tiers: a form of `modelForms`, or `auto`. */
  readonly model?: string;
  /** For one tier, in preference to `model`. */
  readonly planner?: string;
  readonly analyst?: string;
  readonly anthropic?: Access;
  readonly openai?: Access;
  readonly ollama?: Access;
  readonly lmstudio?: Access;
  readonly vllm?: Access;
  readonly compatible?: Access;
  /** Command-line agents: `auto` uses them only where allowed; by name they are always there. */
  readonly cli?: { readonly allowed?: boolean; readonly claude?: string; readonly codex?: string };
  /** Tokens; for models that the table of known models does not have. */
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  /** Tokens that a model may think before each reply of a loop; absent: as its provider has it. */
  readonly thinking?: number;
}

/** What the room needs of the world. */
export interface ModelPorts {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The user's environment, passed on in part to command-line agents. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The full path of a program, or undefined where it is not installed. */
  readonly which: (program: string) => string | undefined;
  /** The text of a file; throws where it cannot be read. */
  readonly readFile: (path: string) => string;
  /** The MCP client's own model, where the client offers sampling. */
  readonly sample?: Sample;
  /** Where what was learned about tokenizers is kept; without it each process learns again. */
  readonly learned?: LearnedStore;
}

/** The environment variables that providers' own tools read, as settings. */
export function settingsFromEnv(env: Readonly<Record<string, string | undefined>>): ModelSettings {
  const ollama = env['OLLAMA_HOST'] && ollamaAddress(env['OLLAMA_HOST']);
  const compatible = env['OPENAI_BASE_URL'];
  return {
    ...set('model', env['RESEARCH_MODEL']),
    ...group('anthropic', {
      ...set('apiKey', env['ANTHROPIC_API_KEY']),
      ...set('baseUrl', env['ANTHROPIC_BASE_URL']),
      ...set('model', env['ANTHROPIC_MODEL']),
      keySetting: 'ANTHROPIC_API_KEY',
    }),
    // The key beside a base URL belongs to that server and must not be sent to another.
    ...group(compatible ? 'compatible' : 'openai', {
      ...set('apiKey', env['OPENAI_API_KEY']),
      ...set('baseUrl', compatible),
      ...set('model', env['OPENAI_MODEL']),
      keySetting: 'OPENAI_API_KEY',
    }),
    ...group('ollama', { ...set('baseUrl', ollama), ...set('model', env['OLLAMA_MODEL']) }),
  };
}

/** `0.0.0.0:11434`, `host`, `http://host:1`: what Ollama itself accepts, as the address of its `/v1`. */
export function ollamaAddress(host: string): string {
  const url = new URL(/^https?:\/\//.test(host) ? host : `http://${host}`);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.port === '' && !/:\d+/.test(host) && url.protocol === 'http:') url.port = '11434';
  return `${url.origin}/v1`;
}

function set<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return (value ? { [key]: value } : {}) as { readonly [P in K]?: string };
}

function group<K extends string>(key: K, access: Access): { readonly [P in K]?: Access } {
  const given = Object.keys(access).some((name) => name !== 'keySetting');
  return (given ? { [key]: access } : {}) as { readonly [P in K]?: Access };
}
