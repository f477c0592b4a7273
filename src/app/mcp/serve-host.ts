/** `sonde mcp --workspace W`: the tools of a workspace for other programs, over standard streams or HTTP. */
import { hostname } from 'node:os';
import { messageOf, plainLine } from '../../core/index.ts';
import type { CapabilitySetName, Connection } from '../../tools/index.ts';
import { directories, processEnvironment } from '../config/index.ts';
import { currentProcess } from '../current-process.ts';
import { type HostRequest, type OpenHost, openHost } from '../host/host.ts';
import { openClients } from '../tokens/clients.ts';
import { workspacePlace } from '../tokens/place.ts';
import { requireNoSharedToken } from '../tokens/saved-token.ts';
import { openTokenCheck } from '../tokens/token-check.ts';
import { version } from '../version.ts';
import { redirectConsole, standardStreams, waitForClientExit } from './standard-streams.ts';

export interface ServeHostRequest extends HostRequest {
  /** The name of a set of capabilities. Over HTTP it limits all tokens. */
  readonly allow?: string;
  /** The port to listen on, on this machine only; absent: standard input and output. */
  readonly http?: number;
}

/** Resolves when the client has gone, or the process is told to end. Throws for a wrong argument. */
export async function serveHost({ allow, http, ...request }: ServeHostRequest): Promise<void> {
  const { stdioConnection: connectionOn, capabilitySet, parseSetName } = await import('../../tools/index.ts');
  const allowedSet = allow === undefined ? null : parseSetName(allow);
  if (http !== undefined) requireNoSharedToken(directories(processEnvironment()));
  const host = await openHost(request);
  try {
    // Whatever its capabilities, the caller is a program: only the author in person writes as the author.
    const connection = connectionOn(hostname(), capabilitySet(allowedSet ?? 'external'));
    await (http === undefined ? serveStreams(host, connection) : serveOverHttp(host, allowedSet, http));
  } finally {
    await host.close();
  }
}

async function serveStreams({ host, notes, redact }: OpenHost, connection: Connection): Promise<void> {
  const tell = redirectConsole(redact);
  for (const note of notes) tell(`note: ${plainLine(note)}`);
  const [{ serveStdio }, { hostServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../../tools/index.ts').then((tools) => tools.loadHostServer()),
  ]);
  const clientExit = waitForClientExit();
  const handle = serveStdio(() => hostServer(host, connection, version()), {
    transport: standardStreams(),
    onerror: (error) => tell(`sonde mcp: ${messageOf(error)}`),
  });
  await clientExit;
  await handle.close();
}

async function serveOverHttp(
  { host, open, notes, redact }: OpenHost,
  allowedSet: CapabilitySetName | null,
  port: number,
): Promise<void> {
  const tell = redirectConsole(redact);
  for (const note of notes) tell(`note: ${plainLine(note)}`);
  const { serveHttp } = await import('../../tools/index.ts');
  const homeDirectories = directories(processEnvironment());
  const place = workspacePlace(homeDirectories, { path: open.path, id: open.world.workspace.id });
  const tokenCheck = openTokenCheck({ directories: homeDirectories, place, serverSet: allowedSet });
  try {
    const server = await serveHttp({
      host,
      grants: openClients(tokenCheck, allowedSet),
      version: version(),
      port,
      onError: (message) => tell(`sonde mcp: ${message}`),
    });
    // The signals are handled before the address is printed, since its reader may end the server at once.
    const processEnd = new Promise<void>((done) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) currentProcess().once(signal, () => done());
    });
    currentProcess().stdout.write(`${server.url}\n`);
    tell(tokenCheck.hint);
    await processEnd;
    await server.close();
  } finally {
    tokenCheck.close();
  }
}
