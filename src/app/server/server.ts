/**
 * The shared port of the server: who may connect, by which protocol, and what it answers while it starts and stops. The
 * parts of the server know nothing of addresses, TLS and proxies.
 */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer as createPlain, type Server as PlainServer, type ServerResponse } from 'node:http';
import { createServer as createSecure, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { messageOf, SondeError } from '../../core/index.ts';
import { version } from '../version.ts';
import { type Metrics, openMetrics } from './metrics.ts';
import { isLoopback, parseHost, type ServerAddress } from './server-address.ts';
import {
  type MetricsDenied,
  readBearer,
  type ServerApp,
  type ServerEnvironment,
  type ServerPart,
} from './server-part.ts';

export interface ServerRequest {
  readonly serverAddress: ServerAddress;
  readonly parts: readonly ServerPart[];
  readonly tell: (line: string) => void;
  /** How often the certificate file is checked for a renewal. Milliseconds. */
  readonly certificateMs?: number;
}

export interface RunningServer {
  /** The address for clients on this machine: `http://127.0.0.1:7077`. */
  readonly address: string;
  /** The address for clients on other machines; the same as the local one if it is not set. */
  readonly publicUrl: string;
  /** Accepts no new requests, and waits up to `drainMs` milliseconds for open ones. Event streams are cut. */
  close(drainMs?: number): Promise<void>;
}

/** How long a client may take to send a request. A slow one blocks only its own connection. Milliseconds. */
const requestMs = 60_000;
/** Longer than proxies keep an idle connection. Milliseconds. */
const idleMs = 75_000;

/** Throws `bad_argument` if the port is taken, `bad_config` where the certificate cannot be used. */
export async function openServer({
  serverAddress: reach,
  parts: serverParts,
  tell,
  certificateMs = 60_000,
}: ServerRequest): Promise<RunningServer> {
  let isDraining = false;
  const app = createApp(reach, serverParts, () => isDraining);
  app.onError((error, context) => {
    tell(`a request failed: ${messageOf(error)}`);
    return context.json({ error: 'the request failed here; the log of the server says why' }, 500);
  });
  const listener = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    // Other parts of this process use the global Request and Response.
    overrideGlobalObjects: false,
  });
  const server =
    reach.tls === null ? createPlain(listener) : createSecure(secureContext(reach.tls), listener);
  server.requestTimeout = requestMs;
  server.headersTimeout = requestMs;
  // The client closes idle connections: if the server did, a request might already be on its way, and would fail.
  server.keepAliveTimeout = isLoopback(reach.bind) ? 0 : idleMs;
  const openResponses = new Set<ServerResponse>();
  server.on('request', (_, response: ServerResponse) => {
    openResponses.add(response);
    response.once('close', () => openResponses.delete(response));
  });
  await listen(server, reach);
  const stopWatching =
    reach.tls === null
      ? () => {}
      : watchCertificate(server as SecureServer, reach.tls, { tell, certificateMs });
  const { port } = server.address() as AddressInfo;
  const address = `${reach.tls === null ? 'http' : 'https'}://${toUrlHost(reach.bind)}:${port}`;
  return {
    address,
    publicUrl: reach.publicUrl?.origin ?? address,
    async close(drainMs = 0) {
      isDraining = true;
      stopWatching();
      const drainTimer = new AbortController();
      const allAnswered = Promise.all(
        [...openResponses].filter(isAnswer).map((response) => once(response, 'close')),
      );
      await Promise.race([
        allAnswered,
        sleep(drainMs, undefined, { signal: drainTimer.signal }).catch(() => {}),
      ]);
      drainTimer.abort();
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A stream of events does not count: it stays open as long as somebody listens. */
const isAnswer = (response: ServerResponse): boolean =>
  !String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');

/** The application without a socket, for tests and other listeners. */
export function createApp(
  reach: ServerAddress,
  parts: readonly ServerPart[],
  isDraining: () => boolean,
): ServerApp {
  const app = new Hono<ServerEnvironment>();
  app.use(async (context, next) => {
    const refused = checkRequest(reach, context.req.raw.headers, context.env?.incoming?.socket.remoteAddress);
    return refused === null ? next() : context.json({ error: refused }, 403);
  });
  let opened: Promise<Metrics> | undefined;
  const openMetricsOnce = (): Promise<Metrics> => (opened ??= openAllMetrics(parts));
  app.get('/health', (context) => context.json({ status: 'ok' }));
  app.get('/ready', async (context) => {
    if (isDraining() || parts.some((part) => part.isDraining?.()))
      return context.json({ status: 'draining' }, 503);
    const waiting = (
      await Promise.all(
        parts.map(async (part) => ({ name: part.name, why: (await part.notReady?.()) ?? null })),
      )
    ).filter(({ why }) => why !== null);
    return waiting.length === 0
      ? context.json({ status: 'ready' })
      : context.json({ status: 'starting', waiting }, 503);
  });
  app.get('/metrics', async (context) => {
    const token = readBearer(context.req.raw.headers);
    const refused = checkMetricsAccess(parts, token);
    if (refused !== null)
      return context.json(
        { error: refused.why },
        refused.status,
        refused.status === 401 ? { 'www-authenticate': 'Bearer' } : {},
      );
    return context.text(await (await openMetricsOnce()).text(), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  });
  app.use(async (context, next) =>
    isDraining()
      ? context.json({ error: 'this server ends; send it again' }, 503, { 'retry-after': '5' })
      : next(),
  );
  for (const serverPart of parts) serverPart.mount(app);
  app.notFound((context) =>
    context.json({ error: `there is no ${context.req.method} ${context.req.path} here` }, 404),
  );
  return app;
}

/** A token that may read the metrics of one part may read all. Otherwise the part that knows the token refuses it. */
function checkMetricsAccess(parts: readonly ServerPart[], token: string | null): MetricsDenied | null {
  const answers = parts.flatMap((part) => part.readRefusal?.(token) ?? (part.readRefusal ? [null] : []));
  if (answers.includes(null)) return null;
  const refusals = answers.filter((answer) => answer !== null);
  return (
    refusals.find(({ status }) => status === 403) ??
    refusals[0] ?? { status: 403, why: 'this server measures nothing: sonde serve --alerts does' }
  );
}

async function openAllMetrics(parts: readonly ServerPart[]): Promise<Metrics> {
  const metrics = await openMetrics(version());
  for (const part of parts) part.measure?.(metrics.meter);
  return metrics;
}

/** Refuses unknown host names, since a web page may point its own name to this address (DNS rebinding). */
function checkRequest(reach: ServerAddress, headers: Headers, peer: string | undefined): string | null {
  if (peer !== undefined && !reach.isPeer(peer)) return 'this address is asked through its proxy alone';
  if (!reach.hosts.has(parseHost(headers.get('host') ?? ''))) return 'this server does not go by that name';
  const origin = headers.get('origin');
  if (origin !== null && !isOwnOrigin(reach, origin, headers.get('host') ?? ''))
    return 'pages of another place get nothing here';
  return null;
}

/** Whether a page was loaded from this server, under any of its names. Another port is another origin. */
const isOwnOrigin = ({ publicUrl, tls }: ServerAddress, origin: string, host: string): boolean =>
  origin === publicUrl?.origin || origin === `${tls === null ? 'http' : 'https'}://${host.toLowerCase()}`;

interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

function secureContext({ certFile, keyFile }: TlsFiles): { readonly cert: Buffer; readonly key: Buffer } {
  try {
    const files = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    createSecureContext(files);
    return files;
  } catch (thrown) {
    throw new SondeError('bad_config', {
      message: `The certificate cannot be used: ${messageOf(thrown)}`,
      remedy: 'Correct serve_tls_cert_file and serve_tls_key_file.',
      cause: thrown,
    });
  }
}

/** If a new certificate is invalid, this is reported, and the old one stays in use. */
function watchCertificate(
  server: SecureServer,
  files: TlsFiles,
  { tell, certificateMs }: Required<Pick<ServerRequest, 'tell' | 'certificateMs'>>,
): () => void {
  const readStamp = (): string =>
    [files.certFile, files.keyFile]
      .map((file) => String(statSync(file, { throwIfNoEntry: false })?.mtimeMs))
      .join();
  let lastStamp = readStamp();
  const timer = setInterval(() => {
    const stamp = readStamp();
    if (stamp === lastStamp) return;
    lastStamp = stamp;
    try {
      server.setSecureContext(secureContext(files));
      tell('the certificate was read anew');
    } catch (thrown) {
      tell(`the new certificate cannot be used, the one before it goes on: ${messageOf(thrown)}`);
    }
  }, certificateMs);
  timer.unref();
  return () => clearInterval(timer);
}

function listen(server: PlainServer | SecureServer, { bind, port }: ServerAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes(error.code ?? '')
          ? new SondeError('bad_argument', {
              message: `Port ${port} of ${bind} cannot be used (${error.code})`,
              remedy:
                'Name another with --port, or 0 for any that is free; --bind takes an address of this machine.',
            })
          : error,
      ),
    );
    // In a storm of alerts many clients connect at once; the kernel resets those beyond the backlog.
    server.listen({ port, host: bind, backlog: 4_096 }, () => resolve());
  });
}

/** The host of a URL for clients on this machine: a wildcard address becomes loopback. */
const toUrlHost = (bind: string): string =>
  bind === '0.0.0.0' ? '127.0.0.1' : bind === '::' ? '[::1]' : bind.includes(':') ? `[${bind}]` : bind;
