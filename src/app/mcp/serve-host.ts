/** `sonde mcp --workspace W`: the tools of a workspace for other programs, over standard streams or HTTP. */
import { hostname } from 'node:os';
import { messageOf, plainLine } from '../../core/index.ts';
import type { CapabilitySetName, Connection } from '../../tools/index.ts';
import { directories, processEnvironment } from '../config/index.ts';
import { currentProcess } from '../current-process.ts';
import { type HostRequest, type OpenHost, openHost } from '../host/host.ts';
import { clientsOf } from '../tokens/clients.ts';
import { refuseSharedToken } from '../tokens/kept-token.ts';
import { workspacePlace } from '../tokens/place.ts';
import { openTokenCheck } from '../tokens/token-check.ts';
import { version } from '../version.ts';
import { redirectConsole, standardStreams, waitForClientExit } from './standard-streams.ts';

export interface ServeHostRequest extends HostRequest {
  /** The name of a set of capabilities. Over HTTP it limits all tokens. */
  readonly allow?: string;
  /** A port of this machine; absent: standard input and output. */
  readonly http?: number;
}

/** Resolves when the client has gone, or the process is told to end. Throws for a wrong argument. */
export async function serveHost({ allow, http, ...request }: ServeHostRequest): Promise<void> {
  const {
    connectionFor: connectionOn,
    capabilitySet,
    capabilitySetNamed,
  } = await import('../../tools/index.ts');
  const allowed = allow === undefined ? null : capabilitySetNamed(allow);
  if (http !== undefined) refuseSharedToken(directories(processEnvironment()));
  const host = await openHost(request);
  try {
    // Whatever its capabilities, the caller is a program: only the author in person writes as the author.
    const connection = connectionOn(hostname(), capabilitySet(allowed ?? 'external'));
    await (http === undefined ? overStreams(host, connection) : overHttp(host, allowed, http));
  } finally {
    await host.close();
  }
}

async function overStreams({ host, notes, redact }: OpenHost, connection: Connection): Promise<void> {
  const tell = redirectConsole(redact);
  for (const note of notes) tell(`note: ${plainLine(note)}`);
  const [{ serveStdio }, { hostServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../../tools/index.ts').then((tools) => tools.loadHostServer()),
  ]);
  const gone = waitForClientExit();
  const handle = serveStdio(() => hostServer(host, connection, version()), {
    transport: standardStreams(),
    onerror: (error) => tell(`sonde mcp: ${messageOf(error)}`),
  });
  await gone;
  await handle.close();
}

async function overHttp(
  { host, open, notes, redact }: OpenHost,
  allowed: CapabilitySetName | null,
  port: number,
): Promise<void> {
  const tell = redirectConsole(redact);
  for (const note of notes) tell(`note: ${plainLine(note)}`);
  const { serveHttp } = await import('../../tools/index.ts');
  const where = directories(processEnvironment());
  const place = workspacePlace(where, { path: open.path, id: open.world.workspace.id });
  const tokenCheck = openTokenCheck({ directories: where, place, asked: allowed });
  try {
    const server = await serveHttp({
      host,
      grants: clientsOf(tokenCheck, allowed),
      version: version(),
      port,
      onError: (message) => tell(`sonde mcp: ${message}`),
    });
    // Whoever reads the address may end the server at once.
    const ended = new Promise<void>((done) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) currentProcess().once(signal, () => done());
    });
    currentProcess().stdout.write(`${server.url}\n`);
    tell(tokenCheck.hint);
    await ended;
    await server.close();
  } finally {
    tokenCheck.close();
  }
}
