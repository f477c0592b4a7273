/** `POST /alerts` on this machine: a token, a message of some size, an answer before anything is investigated. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isSondeError, messageOf, SondeError } from '../../core/index.ts';
import { safeJson } from '../safe-json.ts';
import type { AlertDoor } from '../tokens/alert-door.ts';
import { type Body, bodyReader } from './body.ts';
import { type AlertGroups, groupStates } from './groups.ts';
import type { AlertQueue, Receipt } from './queue.ts';

export interface EndpointOptions {
  readonly queue: AlertQueue;
  readonly groups: Pick<AlertGroups, 'list' | 'counts'>;
  /** Checks what was sent as `Authorization: Bearer TOKEN`. */
  readonly enter: AlertDoor['enter'];
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

/** Seconds after which a sender may come again when the queue is full. */
const retryAfterSeconds = 30;
const host = '127.0.0.1';
/** How long alerts are gathered before they are written together. Milliseconds. */
const gatherMs = 10;
/** Groups in an answer. */
const maxListed = 200;

interface Intake extends EndpointOptions {
  readonly read: (request: IncomingMessage) => Promise<Body>;
  readonly keep: (sent: string) => Promise<Receipt>;
}

/** Throws `bad_argument` where the port is taken. */
export async function alertEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const intake: Intake = { ...options, read: bodyReader(), keep: together(options.queue) };
  const server = createServer((request, response) => {
    answer(request, response, intake).catch((thrown: unknown) => {
      options.tell(`a request failed: ${messageOf(thrown)}`);
      if (response.headersSent || response.destroyed) response.destroy();
      else reply(response, 500, refuseWhole('not_kept', 'the alert could not be kept; send it again'));
    });
  });
  // Somebody who sends slowly holds a connection, and nothing else: on a machine that is short of time it may be everybody.
  server.requestTimeout = 60_000;
  server.headersTimeout = 60_000;
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
function together({ prepare, receive }: AlertQueue): (sent: string) => Promise<Receipt> {
  type Waiting = {
    readonly message: ReturnType<typeof prepare>;
    readonly settled: PromiseWithResolvers<Receipt>;
  };
  let waiting: Waiting[] = [];
  const write = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const receipts = await receive(batch.map(({ message }) => message));
      for (const [n, { settled }] of batch.entries()) settled.resolve(receipts[n]!);
    } catch (thrown) {
      // Where nothing can be written, or one message spoils the write for all, each is written by itself.
      if (isSondeError(thrown) || batch.length === 1) for (const { settled } of batch) settled.reject(thrown);
      else for (const one of batch) await write([one]);
    }
  };
  return async (sent) => {
    const message = prepare(sent);
    if (waiting.length === 0)
      setTimeout(() => {
        const batch = waiting;
        waiting = [];
        void write(batch);
      }, gatherMs);
    const settled = Promise.withResolvers<Receipt>();
    waiting.push({ message, settled });
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
    // A storm connects all at once: what finds no place in the line is reset by the kernel.
    server.listen({ port, host, backlog: 4_096 }, resolve);
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, intake: Intake): Promise<void> {
  const [path, query] = (request.url ?? '/').split('?');
  if (!fromHere(request)) return reply(response, 403, { error: 'this address answers this machine only' });
  if (path === '/health') return reply(response, 200, { state: 'there' });
  if (path !== '/alerts')
    return reply(response, 404, { error: 'there is POST /alerts, GET /alerts and GET /health' });
  const entry = intake.enter(readToken(request));
  if (entry === 'elsewhere')
    return reply(response, 403, { error: 'this token is for something else, and sends no alerts' });
  if (entry !== 'holder')
    return reply(
      response,
      401,
      { error: 'send the header Authorization: Bearer TOKEN' },
      { 'www-authenticate': 'Bearer' },
    );
  if (request.method === 'GET') return await respondList(response, new URLSearchParams(query), intake);
  if (request.method !== 'POST') return reply(response, 405, { error: 'send POST' }, { allow: 'GET, POST' });
  const body = await intake.read(request);
  if (body.kind === 'refused')
    return reply(response, body.status, refuseWhole(body.code, body.message), {
      connection: 'close',
      ...(body.status === 429 && { 'retry-after': String(retryAfterSeconds) }),
    });
  respondReceived(response, await intake.keep(body.text), intake);
}

function respondReceived(response: ServerResponse, { taken, refused }: Receipt, { onAlerts }: Intake): void {
  const full = refused.some(({ code }) => code === 'full');
  const status =
    refused.length === 0
      ? 202
      : taken.length > 0
        ? 207
        : full
          ? 429
          : refused.some(({ code }) => code === 'not_kept')
            ? 500
            : 400;
  const count = (wanted: string): number => taken.filter(({ state }) => state === wanted).length;
  const opened = count('opened');
  reply(
    response,
    status,
    {
      alerts: taken.length,
      opened,
      joined: count('joined'),
      resolved: count('resolved'),
      taken,
      refused,
      ...(taken.length === 0 && { error: refused[0]?.message }),
    },
    full ? { 'retry-after': String(retryAfterSeconds) } : {},
  );
  if (opened > 0) onAlerts();
}

/** A message of which nothing was looked at. */
const refuseWhole = (code: string, message: string): object => ({
  error: message,
  taken: [],
  refused: [{ index: 0, code, message }],
});

async function respondList(
  response: ServerResponse,
  query: URLSearchParams,
  { groups }: Intake,
): Promise<void> {
  const wanted = query.get('state');
  const state = groupStates.find((known) => known === wanted);
  if (wanted === null || state !== undefined)
    reply(response, 200, {
      ...(await groups.counts()),
      ...(await groups.list({ state, most: maxListed })),
    });
  else reply(response, 400, { error: `state may be ${groupStates.join(', ')}` });
}

/** A page in a browser may reach this address under a name of its own: that name is not ours. */
function fromHere({ headers }: IncomingMessage): boolean {
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  return ['127.0.0.1', 'localhost', '[::1]'].includes(name) && headers.origin === undefined;
}

const readToken = ({ headers }: IncomingMessage): string | null =>
  /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;

function reply(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(`${safeJson(value)}\n`);
}
