import { Client } from '@modelcontextprotocol/client';

/** Milliseconds. */
const timeout = 600_000;

const calls = [
  'connect',
  'listTools',
  'callTool',
  'listResources',
  'listResourceTemplates',
  'readResource',
] as const;

/** A client of MCP that waits as long as a test does: on a busy machine an answer takes minutes, and the usual is one. */
export function createPatientClient(...clientArgs: ConstructorParameters<typeof Client>): Client {
  const client = new Client(...clientArgs);
  for (const name of calls) {
    const call = client[name].bind(client) as (params: unknown, options?: object) => Promise<unknown>;
    Object.assign(client, {
      [name]: (params: unknown, options?: object) => call(params, { timeout, ...options }),
    });
  }
  return client;
}
