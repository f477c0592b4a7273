/** MCP servers to look at in an investigation, as people write them down in `sonde.json`. */
import { z } from 'zod';
import { setting } from './setting.ts';
import { address, plain } from './values.ts';

const variable = plain().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

const server = z
  .strictObject({
    /** A program and its arguments, spoken to over its standard streams. */
    command: z.array(plain()).min(1).max(50).optional(),
    /** Or where it listens. */
    url: address().optional(),
    /** Tools that may be used though they do not say that they only read. */
    allow: z.array(plain()).max(100).default([]),
    /** Variables that the program gets besides PATH and HOME, by their names. */
    env: z.array(variable).max(50).default([]),
    /** Holds what is sent as a bearer token to the address. */
    token_file: plain().optional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined))
  .readonly();

export type McpServerSetting = z.infer<typeof server>;

const asJson = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

export const mcpServers = setting(
  z.preprocess(asJson, z.record(z.string().regex(/^[A-Za-z][\w-]{0,30}$/), server)).default({}),
  {
    what: 'MCP servers to look at in an investigation; of their tools those that say that they only read, and those allowed.',
    allowed:
      'JSON, by name: {"NAME": {"command": ["PROGRAM", ...] or "url": ADDRESS, "allow": [TOOL, ...], "env": [VARIABLE, ...], "token_file": PATH}}',
    env: ['SONDE_MCP_SERVERS'],
    project: 'never',
  },
);
