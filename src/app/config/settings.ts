/**
 * All settings in one schema, from which the loader, the error messages, `sonde config` and docs/configuration.md are
 * derived.
 */
import { providerForms, providerSettings } from '../../model/providers/settings.ts';
import { convertSettings } from './declared.ts';
import { incidentSettings } from './incident-settings.ts';
import { languageServerSetting } from './language-servers.ts';
import { baseUrlSetting, keySetting, type Setting, type SettingSpec, setting } from './setting.ts';
import {
  address,
  duration,
  formatDuration,
  makeParser,
  numberBetween,
  oneOf,
  parseFields,
  parseSeparatedList,
  plainText,
  recordOf,
  wholeNumber,
  wordOr,
  yesOrNo,
} from './values.ts';

/** Names of models for help texts, from a part of the folder `model` that loads quickly. */
export const modelNames = ['auto', 'extractive', ...providerForms.map(({ form }) => form)].join(', ');

const minute = 60_000;

/** If a cache price is missing, the price of uncached input is used, which is never too low for cache reads. */
const priceParser = makeParser((given) => {
  const price = parseFields<{ input: number; output: number; cacheRead?: number; cacheWrite?: number }>(
    given,
    {
      input: numberBetween(0, 1e6),
      output: numberBetween(0, 1e6),
      cacheRead: numberBetween(0, 1e6).optional(),
      cacheWrite: numberBetween(0, 1e6).optional(),
    },
  );
  if (price === undefined) return undefined;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  return { input, output, cacheRead, cacheWrite };
});

const postgresAddressParser = makeParser((given) => {
  if (typeof given !== 'string' || !URL.canParse(given)) return undefined;
  const { protocol, hostname, pathname } = new URL(given);
  return /^postgres(ql)?:$/.test(protocol) && hostname !== '' && pathname.length > 1 ? given : undefined;
});

export const settings = {
  model: setting(plainText().default('auto'), {
    what: 'The language model that does the work. `auto`: the first one that is configured. If there is none, or with `extractive`, Sonde works without a model: it searches, and answers with the lines that it found. `mcp`: the model of the MCP client (only in sonde mcp). `scripted:FILE`: replies from a file, for tests.',
    help: 'language model, such as anthropic, openai:MODEL or ollama:MODEL; extractive: use no model, and answer with the lines that a search finds; docs/cli.md lists all (default: auto, the first one that is configured)',
    allowed: modelNames,
    env: ['SONDE_MODEL', 'RESEARCH_MODEL'],
    flag: '--model',
    project: { only: 'extractive' },
  }),
  analyst: setting(plainText().optional(), {
    what:
      'The cheaper model, for summaries and for questions asked by the code of an investigation. Without it: the usual ' +
      'cheaper model of the same provider, if its price is known to be lower; else the planning model.',
    allowed: 'as for model',
    env: ['SONDE_ANALYST'],
    project: { only: 'extractive' },
  }),
  steps: setting(wholeNumber(1, 20).default(10), {
    what: 'Maximum number of actions of a run, such as searches and file reads.',
    help: 'maximum number of actions, such as searches and file reads, from 1 to 20',
    allowed: 'a whole number from 1 to 20',
    env: ['SONDE_STEPS'],
    flag: '--steps',
    project: 'lower',
  }),
  max_tokens: setting(wholeNumber(1, 1e9).default(200_000), {
    what:
      'Maximum number of tokens of a run, input and output of all model calls together; input that the provider says it ' +
      'read from its cache counts a tenth, as it costs. The default is for `sonde ask` and ' +
      'a turn of a conversation; an investigation has 400000, an incident 600000. For the final answer 15 % are ' +
      'reserved (at least 2000 or a quarter, whichever is less; at most 16000), in an incident 20 % (4000 to 70000).',
    allowed: 'a whole number from 1',
    env: ['SONDE_MAX_TOKENS'],
    flag: '--max-tokens',
    project: 'lower',
  }),
  max_usd: setting(numberBetween(0, 1e6).default(1), {
    what: 'Maximum cost of a run, in US dollars. For the final answer 15 % are reserved, in an incident 20 %.',
    allowed: 'a number from 0',
    env: ['SONDE_MAX_USD'],
    flag: '--max-usd',
    project: 'lower',
  }),
  max_time: setting(duration(100, 24 * 60 * minute).default(2 * minute), {
    what:
      'Maximum time of a run, not counting the update of the index. The default is for `sonde ask`; an investigation and ' +
      'an incident have 5m, and a turn of a conversation 10m.',
    allowed: 'a duration from 100ms to 24h, such as 90s or 2m (a bare number is seconds)',
    env: ['SONDE_MAX_TIME'],
    flag: '--max-time',
    project: 'lower',
    duration: true,
  }),
  action_timeout: setting(duration(100, 60 * minute).default(30_000), {
    what: 'Maximum time of one action.',
    allowed: 'a duration from 100ms to 1h, such as 30s',
    env: ['SONDE_ACTION_TIMEOUT'],
    project: 'lower',
    duration: true,
  }),
  investigation_turns: setting(wholeNumber(1, 1000).optional(), {
    what:
      'Maximum number of model turns in an investigation, nested investigations included; `--steps` overrides it. ' +
      'Without it: one for each 2000 tokens of its budget, and at least 20.',
    allowed: 'a whole number from 1 to 1000',
    env: ['SONDE_INVESTIGATION_TURNS'],
    project: 'never',
  }),
  ask_width: setting(wholeNumber(1, 256).optional(), {
    what:
      'How many questions the code of an investigation may ask a model at the same time. A quarter as many nested ' +
      'investigations run at the same time. Without it: one for each 25000 tokens of its budget, from 4 to 64.',
    allowed: 'a whole number from 1 to 256',
    env: ['SONDE_ASK_WIDTH'],
    project: 'never',
  }),
  wide_hits: setting(wholeNumber(1, 2_000).default(400), {
    what: 'Maximum number of hits of a wide search by the code of an investigation.',
    allowed: 'a whole number from 1 to 2000',
    env: ['SONDE_WIDE_HITS'],
    project: 'never',
  }),
  reply_tokens: setting(wholeNumber(100, 128_000).optional(), {
    what:
      'Maximum number of tokens of one reply with code in an investigation, thinking not included. A reply that is cut ' +
      'off is asked for again with twice as many. Without it: a twentieth of the token budget, from 600 to 8000; of a ' +
      'budget over 400000 a fiftieth, up to 32000.',
    allowed: 'a whole number from 100 to 128000',
    env: ['SONDE_REPLY_TOKENS'],
    project: 'never',
  }),
  call_timeout: setting(duration(100, 60 * minute).optional(), {
    what:
      'How long a model may be silent in an investigation before the call is repeated once. Without it: half of the ' +
      'time of the run, from 1s to 1h; for a model on this machine at least 30m.',
    allowed: 'a duration from 100ms to 1h, such as 2m',
    env: ['SONDE_CALL_TIMEOUT'],
    project: 'never',
    duration: true,
  }),
  reader: setting(oneOf('on', 'off').default('on'), {
    what:
      'Let a model decide the claims of an answer that Sonde can neither confirm nor refute without one: one call of the ' +
      'analyst, paid from a tenth of the budget that is reserved for it. When off, or without a model, such claims stay `unclear`.',
    allowed: 'on or off',
    env: ['SONDE_READER'],
    project: 'never',
  }),
  rerank: setting(oneOf('on', 'off').default('off'), {
    what:
      'Let the analyst put the first 30 definitions that `sonde ask` finds for a question in order, best first: one call ' +
      'within the budget of the run, some 10,000 tokens. It also works with `model: extractive`, which then quotes lines ' +
      'of the definitions that the analyst put first. If the call fails, the order of the search stays, and a note says so.',
    allowed: 'on or off',
    env: ['SONDE_RERANK'],
    project: { only: 'off' },
  }),
  store_artifacts: setting(yesOrNo().default(true), {
    what: 'Keep the trace and the evidence of a finished run; false: only its answer.',
    allowed: 'true or false',
    env: ['SONDE_STORE_ARTIFACTS'],
    project: { only: false },
  }),
  retention: setting(wordOr('off', duration(24 * 60 * minute, 3650 * 24 * 60 * minute)).default('off'), {
    what:
      'How long finished runs and unused indexes are kept. Older ones are removed as by `sonde prune --older-than`, after ' +
      'a run or by `sonde serve`, at most once a day; of a shared store by `sonde worker`. `off`: nothing is removed automatically.',
    allowed: 'off, or a duration from 1d, such as 30d',
    env: ['SONDE_RETENTION'],
    project: 'never',
  }),
  embeddings: setting(plainText().default('off'), {
    what: 'The embedding model for the search. `off`: the search uses words only.',
    allowed:
      'off, openai:MODEL, openai-compatible:MODEL, ollama:MODEL, or local:MODEL with the package ' +
      '@huggingface/transformers installed',
    env: ['SONDE_EMBEDDINGS'],
    project: { only: 'off' },
  }),
  language_servers: languageServerSetting,
  ...convertSettings(providerSettings),
  embeddings_api_key: keySetting(
    'the embeddings, if it is not the one for OpenAI',
    'SONDE_EMBEDDINGS_API_KEY',
  ),
  embeddings_base_url: baseUrlSetting(
    'Address of the embeddings, with its /v1, if it is not that of the models.',
    'SONDE_EMBEDDINGS_URL',
  ),
  cli_agents: setting(yesOrNo().default(false), {
    what: 'Let `auto` use an installed command-line agent (claude, codex) with its own login.',
    allowed: 'true or false',
    env: ['SONDE_CLI_AGENTS'],
    project: { only: false },
  }),
  context_window: setting(wholeNumber(1024, 1e8).optional(), {
    what: 'Context window, input and output together, of a model that Sonde does not know. Tokens.',
    allowed: 'a whole number from 1024',
    env: ['SONDE_CONTEXT_WINDOW'],
    project: 'never',
  }),
  max_output: setting(wholeNumber(16, 1e7).optional(), {
    what: 'Maximum length of one reply of a model that Sonde does not know. Tokens.',
    allowed: 'a whole number from 16',
    env: ['SONDE_MAX_OUTPUT'],
    project: 'never',
  }),
  thinking: setting(wordOr('default', wholeNumber(1024, 200_000)).default('default'), {
    what: 'How many tokens a model may think before each reply, in addition to its output. Models that take a level instead (OpenAI, Chat Completions) get low below 4,000, medium below 16,000, high above.',
    allowed: 'default (as the provider has it), or tokens from 1024 to 200000',
    env: ['SONDE_THINKING'],
    project: 'never',
  }),
  prices: setting(recordOf(plainText(), priceParser).default({}), {
    what: 'Prices of models, in US dollars per million tokens. They override those of the built-in table.',
    allowed: 'an object of model name to {input, output, cacheRead, cacheWrite}, the last two optional',
    env: [],
    project: 'never',
  }),
  ...incidentSettings,
  workspace: setting(plainText().default('main'), {
    what: 'The workspace to use: a name, or the path of its file.',
    help: 'the workspace: its name, or the path of its .db file (default: main)',
    allowed: 'a name of letters, digits, space, _ and -, or a path with / in it or .db at its end',
    env: ['SONDE_WORKSPACE'],
    flag: '--workspace',
    path: true,
    project: 'never',
  }),
  backup_folder: setting(plainText().optional(), {
    what:
      'Where `sonde serve` and hosts (`sonde worker --workspaces`) put copies of their workspaces, each in a folder of its ' +
      'own. Use a folder of another disk or machine. `sonde world restore` takes them. Without it no copies are made.',
    allowed: 'path of a folder',
    env: ['SONDE_BACKUP_FOLDER'],
    path: true,
    project: 'never',
  }),
  backup_every: setting(duration(1_000, 30 * 24 * 60 * minute).default(60 * minute), {
    what: 'Time between two of these copies. If the machine is lost, so is everything written after the last copy.',
    allowed: 'a duration from 1s to 30d, such as 15m',
    env: ['SONDE_BACKUP_EVERY'],
    project: 'never',
    duration: true,
  }),
  backup_keep: setting(wholeNumber(1, 10_000).default(48), {
    what: 'How many of these copies are kept for each workspace. Older ones are removed.',
    allowed: 'a whole number from 1 to 10000',
    env: ['SONDE_BACKUP_KEEP'],
    project: 'never',
  }),
  store: setting(oneOf('sqlite', 'postgres').default('sqlite'), {
    what:
      'Where runs are kept. `sqlite`: in a file of this user. `postgres`: in the database that `store_url` names, which ' +
      'many machines may share. Conversations, workspaces, alerts and schedules stay in files of this machine.',
    allowed: 'sqlite or postgres',
    env: ['SONDE_STORE'],
    project: 'never',
  }),
  store_url: setting(postgresAddressParser.optional(), {
    what: 'The database of `store: postgres`, with its user and password.',
    allowed: 'an address like postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    env: ['SONDE_STORE_URL'],
    project: 'never',
    secret: true,
  }),
  metrics_teams: setting(yesOrNo().default(false), {
    what:
      'Let `/metrics` of workers show the spending of each team by name, to everybody who can reach the port of a worker; ' +
      'false: only the sum over all teams.',
    allowed: 'true or false',
    env: ['SONDE_METRICS_TEAMS'],
    project: 'never',
  }),
  traces_url: setting(address().optional(), {
    what:
      'Where traces of runs go: a collector of OpenTelemetry, with its path (OTLP over HTTP, as JSON). They contain names of ' +
      'models and tools, times and tokens, but no text. Without it nothing is sent.',
    allowed: 'an http or https address without credentials, such as http://127.0.0.1:4318/v1/traces',
    env: ['SONDE_TRACES_URL'],
    project: 'never',
  }),
  traces_token: keySetting('the collector of traces, sent as a bearer token', 'SONDE_TRACES_TOKEN'),
  traces_content: setting(yesOrNo().default(false), {
    what: 'Let traces also contain questions, replies of models and results of tools, with secrets masked.',
    allowed: 'true or false',
    env: ['SONDE_TRACES_CONTENT'],
    project: 'never',
  }),
  roles: setting(oneOf('blocks', 'stacks').default('blocks'), {
    what:
      'Which roles apply in a conversation. `blocks`: only the most specific, in the order call, thread, channel, ' +
      'workspace, account. `stacks`: all of them; the most specific wins.',
    allowed: 'blocks or stacks',
    env: ['SONDE_ROLES'],
    project: 'never',
  }),
  auto_compact: setting(wordOr('off', numberBetween(0.1, 0.95)).default('off'), {
    what:
      "The share of the planner's context window at which the oldest turns of a conversation are compacted automatically. " +
      'The conversation shows when it happens. `off`: only the planner itself compacts them.',
    allowed: 'off, or a number from 0.1 to 0.95, such as 0.8',
    env: ['SONDE_AUTO_COMPACT'],
    project: 'never',
  }),
  project_config: setting(yesOrNo().default(true), {
    what: 'Read the `sonde.json` of projects.',
    allowed: 'true or false',
    env: ['SONDE_PROJECT_CONFIG'],
    project: 'never',
  }),
  trusted_projects: setting(parseSeparatedList(':').default([]), {
    what: 'Folders whose `sonde.json` files, also in folders below, may set everything but secrets.',
    allowed: 'a list of absolute folders',
    env: ['SONDE_TRUSTED_PROJECTS'],
    path: true,
    project: 'never',
  }),
} satisfies Readonly<Record<string, Setting>>;

type ValueOf<AnySetting> = AnySetting extends Setting<infer Value> ? Value : never;

export type SettingKey = keyof typeof settings;
type Value<Key extends SettingKey> = ValueOf<(typeof settings)[Key]>;
type OptionalKey = { [Key in SettingKey]: undefined extends Value<Key> ? Key : never }[SettingKey];
/** A length of time as people write it: `90s`, `2m`, `1.5h`. */
type DurationText = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A value as a program passes it: a duration is a text like `2m`, or a number of seconds. */
type ProgramValue<Value> = Value extends number
  ? number | DurationText
  : Value extends readonly unknown[]
    ? Readonly<Value> | string
    : Value;

/** What a model costs: US dollars for a million tokens. */
interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Settings by their names, as a program gives them. */
export type SettingValues = {
  readonly [Key in Exclude<SettingKey, 'prices'>]?: ProgramValue<Exclude<Settings[Key], undefined>>;
} & { readonly prices?: Readonly<Record<string, ModelPrice>> };

export type Settings = { readonly [Key in Exclude<SettingKey, OptionalKey>]: Value<Key> } & {
  readonly [Key in OptionalKey]?: Value<Key>;
};

export const settingKeys = Object.keys(settings) as readonly SettingKey[];

export const specOf = (name: SettingKey): SettingSpec => settings[name];

/** Parses the value of a setting; null if it is not allowed. */
export const parseSetting = (name: SettingKey, given: unknown): { readonly value: unknown } | null =>
  settings[name].parser.read(given);

/** The default as the documentation shows it; empty if there is none. */
export function formatDefault(name: SettingKey): string {
  const { value } = parseSetting(name, undefined)!;
  if (value === undefined) return '';
  return specOf(name).duration === true
    ? formatDuration(Number(value))
    : JSON.stringify(value).replaceAll('"', '');
}
