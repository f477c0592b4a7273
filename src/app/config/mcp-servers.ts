/** MCP servers that investigations may use, as `sonde.json` configures them. */
import type { McpServerSetting } from '../../core/index.ts';
import { address, fields, form, many, plain, record } from './values.ts';

const forms = {
  /** A program with its arguments, used over its standard input and output. */
  command: many(plain(), 1, 50).optional(),
  /** Or the address of a server. */
  url: address().optional(),
  /** Tools that may be used although they do not declare that they only read. */
  allow: many(plain(), 0, 100).default([]),
  /** Names of environment variables that the program gets besides PATH and HOME. */
  env: many(plain(/^[A-Za-z_][A-Za-z0-9_]*$/), 0, 50).default([]),
  /** A file with the bearer token for the address. */
  token_file: plain().optional(),
  /** Other headers, each with a file that holds its value. */
  header_files: record(plain(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), plain()).optional(),
};

const server = form((given) => {
  const found = fields<McpServerSetting>(given, forms);
  return found !== undefined && (found.command === undefined) !== (found.url === undefined)
    ? found
    : undefined;
});

const asJson = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const servers = record(plain(/^[A-Za-z][\w-]{0,30}$/), server);

export const mcpServers = form((given) => servers.read(asJson(given))?.value).default({});
