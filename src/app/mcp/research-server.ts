/** The MCP server: `code_deep_research`, and what its runs leave behind as resources. Serves both eras. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { version } from '../version.ts';
import { researchOutput } from './research-output.ts';
import { type ResearchTool, researchInput } from './research-tool.ts';
import { registerRunResources } from './resources.ts';

const instructions =
  'Ask code_deep_research one question about the code base at a time. The answer is short and its citations ' +
  'were re-read; the trace, the evidence and the report of a run are resources under research://runs/.';

/** In the protocol of 2026 each request says what the client can do, before it a connection does once. */
function offersSampling(server: McpServer, context: ServerContext): boolean {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const declared = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined;
  return declared?.sampling !== undefined;
}

/** A server for one connection, over one folder. The tool, with the runs in it, is shared by all of them. */
export function researchServer(tool: ResearchTool, root: string): McpServer {
  const server = new McpServer(
    { name: 'sonde', version: version() },
    {
      instructions,
      requestState: { verify: tool.verify },
      // As many rounds as a client of the new protocol would take by itself, and some to spare.
      inputRequired: { maxRounds: 32 },
    },
  );
  server.registerTool(
    'code_deep_research',
    {
      title: 'Research a code base',
      description:
        'Investigate a question about the code base in several steps: search, read, follow definitions and git ' +
        'history. Use this when a question needs many files or the history, and a search or two of your own would ' +
        'not do; for one known file, read it yourself. Takes seconds without a model and usually half a minute to ' +
        'two minutes with one; the first call also indexes the folder. Returns a short answer whose citations were ' +
        're-read, the id of the run, and a status: verified, partial, unverified, quotes (lines that search found, ' +
        'nobody wrote an answer) or not_found (what the question names occurs nowhere here).',
      inputSchema: researchInput,
      outputSchema: researchOutput,
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    },
    (input, context) => tool.call(input, context, offersSampling(server, context)),
  );
  registerRunResources(server, root);
  return server;
}
