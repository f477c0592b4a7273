/** Connects to a host of tools. The protocol's packages are loaded with the first connection. */
import { SondeError } from '../../core/index.ts';
import type { ToolClient } from '../client.ts';
import type { ToolHost } from '../tools.ts';
import type { Connection } from './connection.ts';
import type { HttpOptions, HttpServer, McpHandler } from './http.ts';

const createClient = async (version: string) => {
  const { Client } = await import('@modelcontextprotocol/client');
  return new Client(
    { name: 'sonde', version },
    // By default a client speaks only the protocol of 2025, and lists no tools, without an error, if nobody answers.
    { versionNegotiation: { mode: 'auto' }, enforceStrictCapabilities: true },
  );
};

/** The server of one connection, for callers with their own transport. */
export const loadHostServer = () => import('./host-server.ts');

/** Serves the host to programs of this machine that have a token. Throws `tool_failed` if the port is taken. */
export async function serveHttp(options: HttpOptions, open?: McpHandler): Promise<HttpServer> {
  const { listenHttp } = await import('./http.ts');
  return listenHttp(options, open);
}

/** Answers requests for a server that listens already and has checked their origin. */
export async function mcpHandler(options: HttpOptions): Promise<McpHandler> {
  const { openMcpHandler } = await import('./http.ts');
  return openMcpHandler(options);
}

/** Connects within one process. Closing the client closes the connection, not the host. */
export async function connectInMemory(
  host: ToolHost,
  connection: Connection,
  version = '0',
): Promise<ToolClient> {
  const [{ InMemoryTransport }, { serveStdio }, { hostServer }, { mcpTools }, client] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
    import('./host-server.ts'),
    import('./mcp-client.ts'),
    createClient(version),
  ]);
  const [here, there] = InMemoryTransport.createLinkedPair();
  const served = serveStdio(() => hostServer(host, connection, version), { transport: there });
  await client.connect(here);
  const tools = mcpTools(client);
  return {
    ...tools,
    async close() {
      await tools.close();
      await served.close();
    },
  };
}

/** Connects an agent to a host in another process. Throws `tool_failed` if nobody answers, or the token is refused. */
export async function connectHttp(
  { url, token }: { readonly url: string; readonly token: string },
  version = '0',
): Promise<ToolClient> {
  const [{ StreamableHTTPClientTransport }, { mcpTools }, client] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('./mcp-client.ts'),
    createClient(version),
  ]);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  try {
    await client.connect(transport);
  } catch (thrown) {
    throw new SondeError('tool_failed', {
      message: `the host of tools at ${url} cannot be reached, or refuses the token`,
      remedy: 'Start it with sonde mcp --http, and use the token that it names.',
      cause: thrown,
    });
  }
  return mcpTools(client);
}
