/** `sonde mcp --workspace W`: the host of tools for other programs, on standard streams or over HTTP. */
import { hostname } from 'node:os';
import { messageOf } from '../../core/index.ts';
import type { Connection } from '../../tools/index.ts';
import { directories, processEnvironment } from '../config/index.ts';
import { currentProcess } from '../current-process.ts';
import { type HostRequest, type OpenHost, openHost } from '../host.ts';
import { version } from '../version.ts';
import { clientGone, standardStreams, tellBeside } from './standard-streams.ts';
import { tokenFile } from './token-file.ts';

export interface ServeHostRequest extends HostRequest {
  /** The name of a set of capabilities. */
  readonly allow: string;
  /** A port of this machine; without it the standard streams. */
  readonly http?: number;
}

/** Resolves when the client has gone, or the process is told to end. Throws what a wrong argument throws. */
export async function serveHost({ allow, http, ...request }: ServeHostRequest): Promise<void> {
  const { capabilitySet } = await import('../../tools/index.ts');
  // Whoever speaks here is a program, whatever it may do: only the author's own hand writes as the author.
  const connection: Connection = {
    caller: { kind: 'external', name: 'mcp', device: hostname(), thread: null, channel: null },
    capabilities: capabilitySet(allow),
  };
  const opened = await openHost(request);
  try {
    await (http === undefined ? overStreams(opened, connection) : overHttp(opened, connection, http));
  } finally {
    await opened.close();
  }
}

async function overStreams({ host, notes, redact }: OpenHost, connection: Connection): Promise<void> {
  const tell = tellBeside(redact);
  for (const note of notes) tell(`note: ${note}`);
  const [{ serveStdio }, { hostServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../../tools/index.ts').then((tools) => tools.loadHostServer()),
  ]);
  const gone = clientGone();
  const handle = serveStdio(() => hostServer(host, connection, version()), {
    transport: standardStreams(),
    onerror: (error) => tell(`sonde mcp: ${messageOf(error)}`),
  });
  await gone;
  await handle.close();
}

async function overHttp(
  { host, notes, redact }: OpenHost,
  connection: Connection,
  port: number,
): Promise<void> {
  const tell = tellBeside(redact);
  for (const note of notes) tell(`note: ${note}`);
  const { newToken, openGrants, serveHttp } = await import('../../tools/index.ts');
  const { path, token } = tokenFile(directories(processEnvironment()).data, newToken);
  const grants = openGrants();
  grants.issue(connection, token);
  const server = await serveHttp({
    host,
    grants,
    version: version(),
    port,
    onError: (message) => tell(`sonde mcp: ${message}`),
  });
  currentProcess().stdout.write(`${server.url}\n`);
  tell(`The token is in ${path}.`);
  await new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) currentProcess().once(signal, () => done());
  });
  await server.close();
}
