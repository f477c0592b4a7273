/** A client of `sonde mcp` inside this process, over streams that are its standard ones. */
import type { Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Surroundings } from './run-sonde.ts';
import { type StartedInProcess, startInProcess } from './sonde-here.ts';

/** Closing the client closes standard input, as the end of a real client does, and waits for the server. */
export async function connectInProcess(
  client: Client,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<StartedInProcess> {
  const started = startInProcess(['mcp', ...args], surroundings);
  // It reads messages from one stream and writes them to another, whichever end it is.
  const transport = new StdioServerTransport(started.stdout, started.stdin);
  const close = transport.close.bind(transport);
  transport.close = async () => {
    started.stdin.end();
    await close();
    await started.ended;
  };
  await client.connect(transport);
  return started;
}
