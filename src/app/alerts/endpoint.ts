/** `POST /alerts` on this machine: a token, a small body, an answer before anything is investigated. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { messageOf, SondeError } from '../../core/index.ts';
import { safeJson } from '../safe-json.ts';
import type { AlertQueue, Receipt } from './queue.ts';

export interface EndpointOptions {
  readonly queue: AlertQueue;
  /** What senders show as `Authorization: Bearer TOKEN`. */
  readonly token: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Called once alerts are safe. */
  readonly onAlerts: () => void;
  readonly tell: (line: string) => void;
}

export interface Endpoint {
  /** `http://127.0.0.1:7077` */
  readonly address: string;
  close(): Promise<void>;
}

/** Bytes. Alertmanager sends a group at a time, and cuts none. */
const largestBody = 4_000_000;
/** Seconds after which a sender may come again when the queue is full. */
const comeAgain = 30;
const host = '127.0.0.1';
/** How long alerts are gathered before they are written together. Milliseconds. */
const gatherMs = 10;

/** Throws `bad_argument` where the port is taken. */
export async function alertEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const kept = together(options.queue);
  const server = createServer((request, response) => {
    answer(request, response, { ...options, kept }).catch((thrown: unknown) => {
      options.tell(`a request failed: ${messageOf(thrown)}`);
      if (!response.headersSent)
        reply(response, 500, { error: 'the alert could not be kept; send it again' });
      else response.destroy();
    });
  });
  // Somebody who sends slowly holds a connection, and nothing else.
  server.requestTimeout = 15_000;
  server.headersTimeout = 10_000;
  await listening(server, options.port);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    address: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What comes in at the same time is written at once: a storm waits for the disk a few times, not a thousand. */
function together(queue: AlertQueue): (sent: string) => Promise<Receipt> {
  let waiting: { readonly sent: string; readonly settled: PromiseWithResolvers<Receipt> }[] = [];
  const write = (): void => {
    const batch = waiting;
    waiting = [];
    try {
      const receipts = queue.receiveAll(batch.map(({ sent }) => sent));
      for (const [n, { settled }] of batch.entries()) settled.resolve(receipts[n]!);
    } catch (thrown) {
      for (const { settled } of batch) settled.reject(thrown);
    }
  };
  return (sent) => {
    if (waiting.length === 0) setTimeout(write, gatherMs);
    const settled = Promise.withResolvers<Receipt>();
    waiting.push({ sent, settled });
    return settled.promise;
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? new SondeError('bad_argument', {
              message: `Port ${port} of ${host} cannot be used (${error.code})`,
              remedy: 'Name another with --port, or 0 for any that is free.',
            })
          : error,
      ),
    );
    server.listen(port, host, resolve);
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: EndpointOptions & { readonly kept: (sent: string) => Promise<Receipt> },
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0];
  if (!fromHere(request)) return reply(response, 403, { error: 'this address answers this machine only' });
  if (path === '/health') return reply(response, 200, { state: 'there' });
  if (path !== '/alerts')
    return reply(response, 404, { error: 'there is POST /alerts, GET /alerts and GET /health' });
  if (!allowed(request, options.token))
    return reply(
      response,
      401,
      { error: 'send the header Authorization: Bearer TOKEN' },
      { 'www-authenticate': 'Bearer' },
    );
  if (request.method === 'GET') return reply(response, 200, { ...options.queue.counts() });
  if (request.method !== 'POST') return reply(response, 405, { error: 'send POST' }, { allow: 'GET, POST' });
  const body = await bodyOf(request);
  if (body === null) return reply(response, 413, { error: `at most ${largestBody} bytes` });
  if (body.trim() === '') return reply(response, 400, { error: 'the body is empty: send the alert' });
  const receipt = await options.kept(body);
  if (receipt.kind === 'full')
    return reply(
      response,
      429,
      { error: `${receipt.waiting} groups wait already; send it again later` },
      { 'retry-after': String(comeAgain) },
    );
  const { alerts, opened, joined, resolved } = receipt;
  reply(response, 202, { alerts, opened, joined, resolved });
  if (opened > 0) options.onAlerts();
}

/** A page in a browser may reach this address under a name of its own: that name is not ours. */
function fromHere({ headers }: IncomingMessage): boolean {
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  return ['127.0.0.1', 'localhost', '[::1]'].includes(name) && headers.origin === undefined;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** In the same time whatever is wrong about it. */
function allowed({ headers }: IncomingMessage, token: string): boolean {
  const shown = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(shown), digest(token));
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > largestBody) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function reply(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(`${safeJson(value)}\n`);
}
