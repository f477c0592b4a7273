/**
 * MCP servers that a program hands in: a connected client, a transport, a command, or an address. Tools are offered if
 * they declare that they only read, or are named in `allow`.
 */
import { homedir } from 'node:os';
import { z } from 'zod';
import { type OwnTool, ownTool, type ToolOutcome } from '../../catalogue/index.ts';
import { messageOf, SondeError, shortLine } from '../../core/index.ts';
import type { McpClient } from '../../signals/index.ts';
import { processEnvironment } from '../config/index.ts';
import { version } from '../version.ts';

/** The part of an MCP transport that is used. Those of the official library fit. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: never, options?: never): Promise<void>;
  close(): Promise<void>;
}

interface ServerOptions {
  /** A short name that begins the names of its tools; absent: the name that the server gives itself. */
  readonly name?: string;
  /** Tools that may be used although they do not declare that they only read. */
  readonly allow?: readonly string[];
}

/** A client stays open. Anything else is opened for the run and closed with it. */
export type McpServer =
  | McpClient
  | McpTransport
  | (ServerOptions & { readonly server: McpClient | McpTransport })
  | (ServerOptions & {
      readonly command: string;
      readonly args?: readonly string[];
      /** Environment variables besides PATH and HOME. */
      readonly env?: Readonly<Record<string, string>>;
      /** The folder in which it starts. Default: the working directory of your program. */
      readonly cwd?: string;
    })
  | (ServerOptions & { readonly url: string | URL; readonly headers?: Readonly<Record<string, string>> });

export interface OpenServer {
  readonly name: string;
  readonly client: McpClient;
  readonly allow: readonly string[];
  /** Does nothing if the program opened the server. */
  close(): Promise<void>;
}

/** How long a server may take to start. Milliseconds. */
const startTimeoutMs = 20_000;

const isClient = (value: object): value is McpClient => 'listTools' in value && 'callTool' in value;
const isTransport = (value: object): value is McpTransport => 'start' in value && 'send' in value;

/** Throws `tool_failed` if the server does not answer. */
export async function openServer(mcpServer: McpServer): Promise<OpenServer> {
  const { name, allow = [] } = mcpServer as ServerOptions;
  const target = 'server' in mcpServer ? mcpServer.server : mcpServer;
  if (isClient(target))
    return { name: chooseName(name, target), client: target, allow, close: async () => {} };
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client(
    { name: 'sonde', version: version() },
    { versionNegotiation: { mode: 'auto' }, enforceStrictCapabilities: true },
  );
  const { transport, lastErrors } = isTransport(target)
    ? { transport: target, lastErrors: noErrors }
    : await open(target);
  try {
    await client.connect(transport as never, { timeout: startTimeoutMs });
  } catch (thrown) {
    await client.close().catch(() => {});
    const why = `${shortLine(messageOf(thrown), 200)}${lastErrors()}`;
    throw new SondeError('tool_failed', {
      message: `The MCP server ${name ?? formatAddress(target)} does not answer: ${why}`,
      remedy:
        'Start it in a terminal to see its errors. It has to speak MCP on its standard streams or at its address.',
      cause: thrown,
    });
  }
  const mcpClient = client as unknown as McpClient;
  return { name: chooseName(name, mcpClient), client: mcpClient, allow, close: () => mcpClient.close() };
}

type AddressedServer = Extract<McpServer, { readonly command: string } | { readonly url: string | URL }>;

/** Leaves out what may hold a key. */
function formatAddress(at: Exclude<McpServer, McpClient | { readonly server: unknown }>): string {
  if ('command' in at) return at.command;
  return 'url' in at ? new URL(at.url).host : 'behind the transport';
}

const noErrors = (): string => '';

async function open(at: AddressedServer) {
  if ('url' in at) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const transport = new StreamableHTTPClientTransport(new URL(at.url), {
      ...(at.headers && { requestInit: { headers: { ...at.headers } } }),
    });
    return { transport, lastErrors: noErrors };
  }
  const { openProgramTransport: programTransport } = await import('../mcp/program-transport.ts');
  const { PATH = '', HOME = homedir() } = processEnvironment();
  const { command, args = [], env, cwd = process.cwd() } = at;
  return programTransport({ command, args, env: { PATH, HOME, ...env }, cwd });
}

interface SelfNamed {
  getServerVersion?(): { readonly name?: string } | undefined;
}

function chooseName(name: string | undefined, client: McpClient): string {
  return name ?? (client as SelfNamed).getServerVersion?.()?.name ?? 'mcp';
}

/** The result of a call. */
const reply = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

const plainName = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
    .replace(/^_+|_+$/g, '');

const maxTools = 100;

export interface ServerTools {
  readonly tools: readonly OwnTool[];
  /** Names of tools that are not offered, since they do not say that they only read. */
  readonly withheld: readonly string[];
}

/** The tools of a server with its name in front, such as `files_read_text`. Throws what the client throws. */
export async function toolsOfServer({ name, client, allow }: OpenServer): Promise<ServerTools> {
  const tools: OwnTool[] = [];
  const withheld: string[] = [];
  for (const tool of await listTools(client)) {
    const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
    if (!allow.includes(tool.name) && (readOnlyHint !== true || destructiveHint === true)) {
      withheld.push(tool.name);
      continue;
    }
    const toolName = `${plainName(name) || 'mcp'}_${plainName(tool.name)}`
      .replace(/^(?=\d)/, 'mcp_')
      .slice(0, 60);
    const sameNameCount = tools.filter((other) => other.name.startsWith(toolName)).length;
    tools.push(
      ownTool({
        name: sameNameCount === 0 ? toolName : `${toolName}_${sameNameCount + 1}`,
        description: (tool.description ?? tool.name).slice(0, 1_000),
        parameters: toParameters(tool.inputSchema),
        cost: 'one call of another server',
        run: async (args, { signal }) => callServer(client, tool.name, args, signal),
      }),
    );
  }
  return { tools: tools, withheld };
}

type McpTool = Awaited<ReturnType<McpClient['listTools']>>['tools'][number];

async function listTools(client: McpClient): Promise<readonly McpTool[]> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < maxTools);
  return tools.slice(0, maxTools);
}

function toParameters(schema: unknown): z.ZodObject {
  try {
    const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    if (parsed instanceof z.ZodObject) return parsed;
  } catch {
    // The server itself checks what the schema cannot express.
  }
  return z.looseObject({});
}

async function callServer(
  client: McpClient,
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal | undefined,
): Promise<ToolOutcome> {
  const { content, structuredContent, isError } = reply.parse(
    await client.callTool({ name, arguments: { ...args } }, signal && { signal }),
  );
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
  if (isError === true) throw new Error(texts.join(' ') || 'the server says that it failed');
  if (texts.length === 0 && structuredContent !== undefined) return { data: structuredContent };
  const otherParts = content.length - texts.length;
  return [...texts, ...(otherParts > 0 ? [`(${otherParts} parts that are no text are left out.)`] : [])];
}
