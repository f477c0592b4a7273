/**
 * The MCP server with a tool for each kind of run that has one, and the results of runs as resources. Serves both
 * versions of the protocol.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { version } from '../version.ts';
import { registerRunResources } from './resources.ts';
import type { ServedTools } from './run-tools.ts';
import type { SymbolTool } from './symbol-tools.ts';
import { registerVerifyTool } from './verify-tool.ts';

const sharedInstructions =
  'verify_answer checks an answer against the lines that it cites; the trace, the evidence and the report of a run are resources under research://runs/.';

/** Whether the client offers its model. In the protocol of 2026 each request says so; in older ones the connection. */
function offersSampling(server: McpServer, context: ServerContext): boolean {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const clientCapabilities = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ??
    server.server.getClientCapabilities()) as ClientCapabilities | undefined;
  return clientCapabilities?.sampling !== undefined;
}

/** A server for one connection, over one folder. All connections share the tools and their runs. */
export function runsServer(
  { tools, verify, settings }: ServedTools,
  root: string,
  redact: (text: string) => string,
  symbols: readonly SymbolTool[] = [],
): McpServer {
  const server = new McpServer(
    { name: 'sonde', version: version() },
    {
      instructions: [...tools.map(({ definition }) => definition.instructions), sharedInstructions].join(
        '; ',
      ),
      requestState: { verify },
      // More rounds than clients of the new protocol make by default.
      inputRequired: { maxRounds: 32 },
    },
  );
  for (const { definition, input, output, call } of tools)
    server.registerTool(
      definition.name,
      {
        title: definition.title,
        description: definition.description,
        inputSchema: input.strict(),
        outputSchema: output,
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      },
      (given, context) => call(given, context, offersSampling(server, context)),
    );
  registerVerifyTool(server, { root, settings, redact });
  for (const { name, title, description, input, call } of symbols)
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input.strict(),
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      },
      (given, context) => call(given, context.mcpReq.signal),
    );
  registerRunResources(
    server,
    root,
    tools.map(({ definition }) => definition.name),
  );
  return server;
}
