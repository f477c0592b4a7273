/**
 * The setting `language_servers`: a list of languages, or an object with a program for each language.
 */
import { setting } from './setting.ts';
import { arrayOf, makeParser, oneOf, parseFields, plainText, recordOf } from './values.ts';

/**
 * Languages by all of their names. Repeated from the folder `code`, which takes too long to load for a help text.
 */
const languageByName: Readonly<Record<string, string>> = {
  typescript: 'typescript',
  ts: 'typescript',
  javascript: 'typescript',
  js: 'typescript',
  python: 'python',
  py: 'python',
  c: 'c',
  cpp: 'c',
  'c++': 'c',
  go: 'go',
  rust: 'rust',
  rs: 'rust',
};

const languages = ['typescript', 'python', 'c', 'go', 'rust'] as const;

export interface ServerSetting {
  /** The name or path of a program, and its arguments. */
  readonly command?: readonly string[];
  /** By section: the settings that the server receives when it requests them (`workspace/configuration`). */
  readonly settings?: Readonly<Record<string, unknown>>;
}

const anyValue = makeParser<unknown>((given) => given);

const serverParser = makeParser((given) =>
  parseFields<ServerSetting>(given, {
    command: arrayOf(plainText(), 1, 50).optional(),
    settings: recordOf(
      makeParser((name) => (typeof name === 'string' ? name : undefined)),
      anyValue,
    ).optional(),
  }),
);

type ServerSettings = Readonly<Partial<Record<(typeof languages)[number], ServerSetting>>>;

const serversParser = recordOf(oneOf(...languages), serverParser);

/** Accepts `ts,python` or JSON. */
function parseServerList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '' || text === 'off') return {};
  if (!text.startsWith('{')) return Object.fromEntries(text.split(',').map((name) => [name.trim(), {}]));
  try {
    return JSON.parse(text);
  } catch {
    return value;
  }
}

const normalizeNames = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, serverSetting]) => [
          languageByName[name.toLowerCase()] ?? name,
          serverSetting,
        ]),
      )
    : value;

export const languageServerSetting = setting(
  makeParser<ServerSettings>(
    (given) => serversParser.read(normalizeNames(parseServerList(given)))?.value,
  ).default({}),
  {
    help: 'language servers to start, comma-separated: typescript, python, c, go, rust; or off. Language servers are programs on this machine that find more uses (default: the setting language_servers)',
    what:
      'Language servers to start, which find more uses and types of a name than Sonde’s own parser does. They are programs of this ' +
      'machine that read the folder. Only those named here are started; no project can add one.',
    allowed:
      'off, a comma-separated list of typescript, python, c, go and rust, or JSON: {"LANGUAGE": {"command": [PROGRAM, ...], "settings": {...}}}; command and settings are both optional',
    env: ['SONDE_LANGUAGE_SERVERS'],
    flag: '--servers',
    project: 'never',
  },
);
