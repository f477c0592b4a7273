/**
 * Doubles of the servers in docs/mcp-servers.md: names and arguments of some of their tools as their makers publish them.
 * Run as a program, with the name of one, it speaks over its standard streams.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

interface Tool {
  readonly name: string;
  readonly reads: boolean;
  readonly shape: z.ZodRawShape;
}

const text = z.string();
const time = text.optional();

export const published: Readonly<Record<string, readonly Tool[]>> = {
  grafana: [
    {
      name: 'query_loki_logs',
      reads: true,
      shape: {
        datasourceUid: text,
        logql: text,
        startRfc3339: time,
        endRfc3339: time,
        limit: z.number().optional(),
      },
    },
    {
      name: 'query_prometheus',
      reads: true,
      shape: {
        datasourceUid: text,
        expr: text,
        startTime: time,
        endTime: text,
        stepSeconds: z.number().optional(),
      },
    },
    {
      name: 'list_pyroscope_label_names',
      reads: true,
      shape: { data_source_uid: text, start_rfc_3339: time, end_rfc_3339: time },
    },
    {
      name: 'get_panel_image',
      reads: true,
      shape: { dashboardUid: text, timeRange: z.object({ from: text, to: text }).optional() },
    },
    { name: 'create_incident', reads: false, shape: { title: text } },
  ],
  honeycomb: [
    { name: 'get_workspace_context', reads: true, shape: {} },
    {
      name: 'run_query',
      reads: true,
      shape: { dataset_slug: text, query_spec: z.object({ time_range: z.number() }) },
    },
    { name: 'create_board', reads: false, shape: { name: text } },
  ],
  newrelic: [
    { name: 'execute_nrql_query', reads: true, shape: { nrql_query: text, account_id: z.number() } },
    {
      name: 'list_recent_logs',
      reads: true,
      shape: {
        entity_guid: text,
        start_time_ms: z.number().describe('Begin of the stretch'),
        end_time_ms: z.number().describe('End of the stretch'),
      },
    },
  ],
  datadog: [{ name: 'search_datadog_logs', reads: true, shape: { query: text, from: time, to: time } }],
};

export type Called = (tool: string, args: unknown) => string;

export function recipeServer(name: string, called: Called): McpServer {
  const server = new McpServer({ name, version: '1' });
  for (const tool of published[name]!)
    server.registerTool(
      tool.name,
      {
        description: `Tool ${tool.name} of ${name}.`,
        inputSchema: z.object(tool.shape),
        annotations: { readOnlyHint: tool.reads },
      },
      async (args: unknown) => ({ content: [{ type: 'text' as const, text: called(tool.name, args) }] }),
    );
  return server;
}

if (process.argv[1] === import.meta.filename) {
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const seen = Object.keys(process.env).sort().join(' ');
  const server = recipeServer(
    process.argv[2]!,
    (tool, args) => `${tool} ${JSON.stringify(args)}\nvariables ${seen}`,
  );
  await server.connect(new StdioServerTransport());
}
