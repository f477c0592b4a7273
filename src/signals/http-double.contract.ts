/** An HTTP server on loopback for tests of signals: it answers by path, keeps what it was asked, and misbehaves. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DoubleRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Head {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON, a text with a status, a beginning after which nothing comes or the line is cut, or null for 404. */
export type DoubleAnswer =
  | (Head & { readonly json: unknown })
  | (Head & { readonly text: string })
  | (Head & { readonly begins: string; readonly after: 'silence' | 'cut' })
  | null;

export interface HttpDouble {
  readonly base: string;
  readonly requests: readonly DoubleRequest[];
  close(): Promise<void>;
}

export async function httpDouble(
  answer: (request: DoubleRequest) => DoubleAnswer | 'silence' | Promise<DoubleAnswer | 'silence'>,
): Promise<HttpDouble> {
  const requests: DoubleRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const part of incoming) body += part;
    const url = new URL(incoming.url ?? '/', 'http://localhost');
    const request = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body,
    };
    requests.push(request);
    const reply = await answer(request);
    if (reply === 'silence') return;
    if (reply === null) {
      outgoing.writeHead(404).end('not found');
      return;
    }
    outgoing.writeHead(reply.status ?? 200, {
      'content-type': 'text' in reply ? 'text/plain' : 'application/json',
      ...reply.headers,
    });
    if ('begins' in reply) {
      outgoing.write(reply.begins);
      if (reply.after === 'cut') setImmediate(() => outgoing.destroy());
    } else outgoing.end('json' in reply ? JSON.stringify(reply.json) : reply.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** In front of a real server that knows no credentials of its own: asks for one, and passes on what was asked. */
export function replyIfAuthorized(token: string, real: () => string) {
  return async ({ method, path, query, headers }: DoubleRequest): Promise<DoubleAnswer> => {
    if (headers.authorization !== `Bearer ${token}`) return { text: 'Unauthorized', status: 401 };
    const reply = await fetch(`${real()}${path}?${query}`, { method });
    const text = await reply.text();
    const isJson = reply.headers.get('content-type')?.includes('json') === true;
    return isJson
      ? { json: JSON.parse(text) as unknown, status: reply.status }
      : { text, status: reply.status };
  };
}

/** An address where nobody listens. */
export const nobody = 'http://127.0.0.1:1';

/** The three ways in which a system is not there, for the contract of a signal. */
export async function brokenServers<Signal>(open: (base: string) => Signal): Promise<{
  readonly broken: { readonly unreachable: Signal; readonly silent: Signal; readonly garbage: Signal };
  close(): Promise<void>;
}> {
  const silent = await httpDouble(() => 'silence');
  const garbage = await httpDouble(() => ({ text: '<html>Bad gateway {]' }));
  return {
    broken: { unreachable: open(nobody), silent: open(silent.base), garbage: open(garbage.base) },
    async close() {
      await silent.close();
      await garbage.close();
    },
  };
}
