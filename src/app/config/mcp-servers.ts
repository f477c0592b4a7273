/** MCP servers to look at in an investigation, as people write them down in `sonde.json`. */
import type { McpServerSetting } from '../../core/index.ts';
import { address, fields, form, many, plain, record } from './values.ts';

const forms = {
  /** A program and its arguments, spoken to over its standard streams. */
  command: many(plain(), 1, 50).optional(),
  /** Or where it listens. */
  url: address().optional(),
  /** Tools that may be used though they do not say that they only read. */
  allow: many(plain(), 0, 100).default([]),
  /** Variables that the program gets besides PATH and HOME, by their names. */
  env: many(plain(/^[A-Za-z_][A-Za-z0-9_]*$/), 0, 50).default([]),
  /** Holds what is sent as a bearer token to the address. */
  token_file: plain().optional(),
  /** Headers of the service's own, each with the file that holds its value. */
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
