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
export function patientClient(...given: ConstructorParameters<typeof Client>): Client {
  const client = new Client(...given);
  for (const name of calls) {
    const call = client[name].bind(client) as (about: unknown, options?: object) => Promise<unknown>;
    Object.assign(client, {
      [name]: (about: unknown, options?: object) => call(about, { timeout, ...options }),
    });
  }
  return client;
}
