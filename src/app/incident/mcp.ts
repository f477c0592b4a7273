/** Configured MCP servers, each as a system that investigations can read. */
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
const patience = 20_000;

export interface OpenServers {
  readonly signals: readonly Signal[];
  /** For people: which tools are not used, and why. */
  readonly notes: readonly string[];
}

/** A server that does not answer is listed as absent, and the other systems are used all the same. */
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
    transportOf(name, server),
  ]);
  const client = new Client(
    { name: 'sonde', version: version() },
    { versionNegotiation: { mode: 'auto' }, enforceStrictCapabilities: true },
  );
  try {
    await client.connect(transport, { timeout: patience });
    const { signal, leftOut } = await openMcp({
      name,
      client,
      clock: systemClock,
      allow: server.allow,
      secrets: secretsOf(name, server),
    });
    const first = leftOut.slice(0, 5).map(({ tool, reason }) => `${tool} (${reason})`);
    return {
      signal,
      note:
        leftOut.length === 0
          ? null
          : `${formatCount(leftOut.length, 'tool')} of the MCP server ${name} ${leftOut.length === 1 ? 'is' : 'are'} not used: ${first.join(', ')}${leftOut.length > 5 ? ', ...' : ''}`,
    };
  } catch (thrown) {
    await client.close().catch(() => {});
    return { signal: absent(name, `${shortLine(messageOf(thrown), 200)}${lastErrors()}`), note: null };
  }
}

/** Headers with credentials. Their files are read again each time, since tokens are renewed. */
function headersOf(
  name: string,
  { token_file: tokenFile, header_files: files = {} }: McpServerSetting,
): readonly (readonly [header: string, value: string, secret: string])[] {
  const read = (path: string): string => readSecretFile(path, `mcp_servers.${name}`);
  const own = Object.entries(files).map(([header, path]) => {
    const value = read(path);
    return [header, value, value] as const;
  });
  if (tokenFile === undefined) return own;
  const token = read(tokenFile);
  return [...own, ['authorization', `Bearer ${token}`, token]];
}

const secretsOf = (name: string, server: McpServerSetting) => (): readonly string[] =>
  headersOf(name, server).map(([, , secret]) => secret);

async function transportOf(name: string, server: McpServerSetting) {
  const { command, url, env } = server;
  if (url !== undefined) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    headersOf(name, server);
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: (address, init) => {
        const headers = new Headers(init?.headers);
        for (const [header, value] of headersOf(name, server)) headers.set(header, value);
        // A redirect must not carry the headers to another server.
        return fetch(address, { ...init, headers, redirect: 'error' });
      },
    });
    return { transport, lastErrors: () => '' };
  }
  const { openProgramTransport: programTransport } = await import('../mcp/program-transport.ts');
  const around = processEnvironment();
  const [program, ...args] = command!;
  return programTransport({
    command: program!,
    args,
    // The server gets the variables that are named, and no keys of others.
    env: Object.fromEntries(
      [...new Set(['PATH', 'HOME', ...env])].flatMap((key) => {
        const value = around[key];
        return value === undefined ? [] : [[key, value] as const];
      }),
    ),
    // A command finds the same server from whatever folder it is started.
    cwd: homedir(),
  });
}

/** A system that only tells why it cannot be read. */
function absent(name: string, reason: string): Signal {
  return Object.freeze({
    system: `mcp_${name.toLowerCase().replace(/[^a-z\d]+/g, '_')}`,
    source: `mcp ${name}`,
    offers: `tools of the MCP server ${name}`,
    questions: [],
    health: async () => ({ kind: 'unhealthy' as const, reason }),
    close: async () => {},
  });
}
