/**
 * The host over streamable HTTP, for programs of this machine. All requests but those for the server's health need a
 * token. A page in a browser can do nothing: requests that name another host or origin are refused before the token is
 * looked at (DNS rebinding).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { messageOf, SondeError } from '../../core/index.ts';
import type { ToolHost } from '../tools.ts';
import type { Connection } from './connection.ts';

/** Finds the connection of a token. Every wrong token takes the same time. */
export interface TokenLookup {
  /** Null: the token is wrong. `wrong_place`: the token is valid, but not for this host. */
  findConnection(token: string): Connection | 'wrong_place' | null;
}

export interface HttpOptions {
  readonly host: ToolHost;
  readonly grants: TokenLookup;
  readonly version: string;
  /** 0: a free port. */
  readonly port?: number;
  /**
   * Answers requests for other addresses, after the same checks; null if nothing is there. The token decides the
   * connection. `mayListen` is checked again while a stream is open: false once the token is no longer valid.
   */
  readonly routes?: (
    request: Request,
    connection: Connection,
    mayListen: () => boolean,
  ) => Promise<Response | null>;
  /** Called with errors outside of any call. */
  readonly onError?: (message: string) => void;
}

export interface HttpServer {
  /** The address of the protocol: `http://127.0.0.1:PORT/mcp`. */
  readonly url: string;
  close(): Promise<void>;
}

const loopback = '127.0.0.1';

/** Answers HTTP requests for a server that listens and has checked where a request comes from. */
export interface McpHandler {
  answer(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export async function openMcpHandler(options: HttpOptions): Promise<McpHandler> {
  const { host, grants, version, onError = () => {} } = options;
  const [protocol, { hostServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./host-server.ts'),
  ]);
  const handler = protocol.createMcpHandler(
    ({ authInfo }) => hostServer(host, authInfo?.extra?.['connection'] as Connection, version),
    { onerror: (error) => onError(messageOf(error)) },
  );

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/health' && request.method === 'GET') return Response.json({ status: 'ok' });
    const token = /^Bearer +([\w.~+/-]{1,16000}=*)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const connection = token === undefined ? null : grants.findConnection(token);
    if (connection === null)
      return refusal(401, 'a bearer token is needed, or this one is not known', {
        'www-authenticate': 'Bearer',
      });
    if (connection === 'wrong_place')
      return refusal(403, 'this token is for something else, and opens nothing here');
    if (pathname !== '/mcp') {
      const mayListen = (): boolean => grants.findConnection(token!) === connection;
      return (
        (await options.routes?.(request, connection, mayListen)) ??
        refusal(404, 'there is nothing here; the protocol is at /mcp')
      );
    }
    const { name, kind } = connection.caller;
    const authInfo = { token: '', clientId: `${kind} ${name}`, scopes: [], extra: { connection } };
    return handler.fetch(request, { authInfo });
  }
  return { answer, close: () => handler.close() };
}

/** Listens on this machine only. Throws `tool_failed` if the port is taken. */
export async function listenHttp(options: HttpOptions, open?: McpHandler): Promise<HttpServer> {
  const { port = 0, onError = () => {} } = options;
  const protocol = await import('@modelcontextprotocol/server');
  const handler = open ?? (await openMcpHandler(options));

  const answer = async (request: Request): Promise<Response> =>
    protocol.hostHeaderValidationResponse(request, protocol.localhostAllowedHostnames()) ??
    protocol.originValidationResponse(request, protocol.localhostAllowedOrigins()) ??
    handler.answer(request);

  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (incoming, outgoing) => {
    void respond(incoming, outgoing, answer, onError);
  });
  // Only the client ends an idle connection: if the server did, a request that is on its way could fail.
  server.keepAliveTimeout = 0;
  await new Promise<void>((listening, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      failed(
        new SondeError('tool_failed', {
          message: `port ${port} of ${loopback} cannot be used: ${error.code ?? error.message}`,
          remedy: 'Name another port, or 0 for one that is free.',
          cause: error,
        }),
      ),
    );
    server.listen(port, loopback, listening);
  });
  return {
    url: `http://${loopback}:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      if (open === undefined) await handler.close();
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const refusal = (status: number, error: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error }, { status, headers });

/** Answers a request of Node with a response of the web's `fetch`. A caller that disconnects cancels its request. */
async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
  onError: (message: string) => void,
): Promise<void> {
  const disconnected = new AbortController();
  outgoing.on('close', () => disconnected.abort());
  try {
    const response = await answer(webRequest(incoming, disconnected.signal));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) return void outgoing.end();
    for await (const chunk of response.body) {
      if (disconnected.signal.aborted) break;
      if (!outgoing.write(chunk)) await waitForDrain(outgoing);
    }
    outgoing.end();
  } catch (thrown) {
    if (!disconnected.signal.aborted) onError(messageOf(thrown));
    if (!outgoing.headersSent) outgoing.writeHead(400).end();
    else outgoing.destroy();
  }
}

const waitForDrain = (outgoing: ServerResponse): Promise<void> =>
  new Promise((done) => {
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });

/** Throws for malformed requests, such as one without a usable `Host`. */
function webRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers: sent } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent))
    for (const item of [value].flat()) if (item !== undefined) headers.append(name, item);
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  return new Request(new URL(url, `http://${sent.host ?? ''}`), {
    method,
    headers,
    signal,
    ...(body !== null && { body: body as ReadableStream, duplex: 'half' as const }),
  });
}
