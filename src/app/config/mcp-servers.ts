/** MCP servers that investigations may use, as `sonde.json` configures them. */
import type { McpServerSetting } from '../../core/index.ts';
import { address, arrayOf, makeParser, parseFields, plainText, recordOf } from './values.ts';

const fieldParsers = {
  /** A program with its arguments, used over its standard input and output. */
  command: arrayOf(plainText(), 1, 50).optional(),
  /** Or the address of a server. */
  url: address().optional(),
  /** Tools that may be used although the server does not declare them read-only. */
  allow: arrayOf(plainText(), 0, 100).default([]),
  /** Names of environment variables that the program gets besides PATH and HOME. */
  env: arrayOf(plainText(/^[A-Za-z_][A-Za-z0-9_]*$/), 0, 50).default([]),
  /** A file with the bearer token for the address. */
  token_file: plainText().optional(),
  /** Other headers, each with a file that holds its value. */
  header_files: recordOf(plainText(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), plainText()).optional(),
};

const serverParser = makeParser((given) => {
  const server = parseFields<McpServerSetting>(given, fieldParsers);
  return server !== undefined && (server.command === undefined) !== (server.url === undefined)
    ? server
    : undefined;
});

const parseJsonText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const serversParser = recordOf(plainText(/^[A-Za-z][\w-]{0,30}$/), serverParser);

export const mcpServersParser = makeParser(
  (given) => serversParser.read(parseJsonText(given))?.value,
).default({});
