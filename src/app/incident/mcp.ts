/** Opens the configured MCP servers, each as a system that investigations can read. */
import { homedir } from 'node:os';
import {
  formatCount,
  type McpServerSetting,
  messageOf,
  type Signal,
  shortLine,
  systemClock,
} from '../../core/index.ts';
import { processEnvironment, readSecretFile } from '../config/index.ts';
import { version } from '../version.ts';

/** How long a server may take to start and to name its tools. Milliseconds. */
const startTimeoutMs = 20_000;

export interface OpenServers {
  readonly signals: readonly Signal[];
  /** Notes for people about tools that are not used, and why. */
  readonly notes: readonly string[];
}

/** A server that does not answer becomes a system that is unhealthy; the other ones are still used. */
export async function openMcpServers(
  servers: Readonly<Record<string, McpServerSetting>>,
): Promise<OpenServers> {
  const opened = await Promise.all(Object.entries(servers).map(([name, server]) => openServer(name, server)));
  return {
    signals: opened.map(({ signal }) => signal),
    notes: opened.flatMap(({ note }) => (note === null ? [] : [note])),
  };
}

async function openServer(
  name: string,
  server: McpServerSetting,
): Promise<{ readonly signal: Signal; readonly note: string | null }> {
  const [{ Client }, { openMcp }, { transport, lastErrors }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('../../signals/mcp/mcp.ts'),
    openTransport(name, server),
  ]);
  const client = new Client(
    { name: 'sonde', version: version() },
    { versionNegotiation: { mode: 'auto' }, enforceStrictCapabilities: true },
  );
  try {
    await client.connect(transport, { timeout: startTimeoutMs });
    const { signal, leftOut } = await openMcp({
      name,
      client,
      clock: systemClock,
      allow: server.allow,
      secrets: secretsReader(name, server),
    });
    const firstLeftOut = leftOut.slice(0, 5).map(({ tool, reason }) => `${tool} (${reason})`);
    return {
      signal,
      note:
        leftOut.length === 0
          ? null
          : `${formatCount(leftOut.length, 'tool')} of the MCP server ${name} ${leftOut.length === 1 ? 'is' : 'are'} not used: ${firstLeftOut.join(', ')}${leftOut.length > 5 ? ', ...' : ''}`,
    };
  } catch (thrown) {
    await client.close().catch(() => {});
    return { signal: absentSystem(name, `${shortLine(messageOf(thrown), 200)}${lastErrors()}`), note: null };
  }
}

/** Reads the headers with credentials from their files. Called for each request, since tokens are renewed. */
function readHeaders(
  name: string,
  { token_file: tokenFile, header_files: files = {} }: McpServerSetting,
): readonly (readonly [header: string, value: string, secret: string])[] {
  const read = (path: string): string => readSecretFile(path, `mcp_servers.${name}`);
  const fileHeaders = Object.entries(files).map(([header, path]) => {
    const value = read(path);
    return [header, value, value] as const;
  });
  if (tokenFile === undefined) return fileHeaders;
  const token = read(tokenFile);
  return [...fileHeaders, ['authorization', `Bearer ${token}`, token]];
}

const secretsReader = (name: string, server: McpServerSetting) => (): readonly string[] =>
  readHeaders(name, server).map(([, , secret]) => secret);

async function openTransport(name: string, server: McpServerSetting) {
  const { command, url, env } = server;
  if (url !== undefined) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    readHeaders(name, server);
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: (address, init) => {
        const headers = new Headers(init?.headers);
        for (const [header, value] of readHeaders(name, server)) headers.set(header, value);
        // A redirect would send the headers to another server.
        return fetch(address, { ...init, headers, redirect: 'error' });
      },
    });
    return { transport, lastErrors: () => '' };
  }
  const { openProgramTransport: programTransport } = await import('../mcp/program-transport.ts');
  const environment = processEnvironment();
  const [program, ...args] = command!;
  return programTransport({
    command: program!,
    args,
    // The server gets only the variables that its setting names, so no keys of other services.
    env: Object.fromEntries(
      [...new Set(['PATH', 'HOME', ...env])].flatMap((key) => {
        const value = environment[key];
        return value === undefined ? [] : [[key, value] as const];
      }),
    ),
    // Relative paths mean the same file in whatever folder Sonde is started.
    cwd: homedir(),
  });
}

/** A system without questions, whose health says why it cannot be read. */
function absentSystem(name: string, reason: string): Signal {
  return Object.freeze({
    system: `mcp_${name.toLowerCase().replace(/[^a-z\d]+/g, '_')}`,
    source: `mcp ${name}`,
    offers: `tools of the MCP server ${name}`,
    questions: [],
    health: async () => ({ kind: 'unhealthy' as const, reason }),
    close: async () => {},
  });
}
