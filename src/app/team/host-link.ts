/** A front's connection to the host of its workspace: forwards requests, each with a pass for its client. */
import { once } from 'node:events';
import { request as askPlain, type IncomingMessage } from 'node:http';
import { request as askSecure } from 'node:https';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { messageOf, SondeError } from '../../core/index.ts';
import type { HostChannel } from '../../store/index.ts';
import { readBody } from '../http/body.ts';
import { type AboutHost, originHeader, passHeader } from './host-endpoint.ts';
import { makePass, type PassHolder } from './host-pass.ts';

export interface PassedOn {
  readonly request: Request;
  readonly holder: PassHolder;
  /** Asked again while a stream is open. */
  readonly mayListen: () => boolean;
  /** How the client named this front. */
  readonly origin: string;
}

export interface HostLink {
  /** The host's answer. Throws `tool_failed` where no host answers. */
  pass(passed: PassedOn): Promise<Response>;
}

export interface HostLinkOptions {
  readonly hostChannel: Pick<HostChannel, 'readAbout'>;
  readonly workspace: string;
}

/** Between two looks whether the client of a stream may still listen. Milliseconds. */
const lookMs = 1_000;
/** How long a host may take until it begins to answer. Milliseconds. */
const patienceMs = 60_000;
const sentOn = [
  ...['accept', 'content-type', 'idempotency-key', 'last-event-id', 'x-sonde-thread'],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
];
/** Headers that belong to one connection and must not be forwarded. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date', passHeader];

export function openHostLink({ hostChannel, workspace }: HostLinkOptions): HostLink {
  async function about(): Promise<AboutHost> {
    const said = (await hostChannel.readAbout()) as Partial<AboutHost> | null;
    if (said?.url === undefined || said.key === undefined) throw noHost(workspace);
    return said as AboutHost;
  }

  async function send(passed: PassedOn, body: string | null): Promise<Response> {
    const { request, holder, origin, mayListen } = passed;
    const { url, certificate, key } = await about();
    const { pathname, search } = new URL(request.url);
    const to = new URL(`/hosts/${encodeURIComponent(workspace)}${pathname}${search}`, url);
    const headers: Record<string, string> = {
      authorization: `Bearer ${makePass(key, holder)}`,
      [originHeader]: origin,
    };
    for (const name of sentOn) {
      const value = request.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    const gone = new AbortController();
    const signal = AbortSignal.any([request.signal, gone.signal]);
    const asking =
      to.protocol === 'https:'
        ? askSecure(to, {
            ...{ method: request.method, headers, signal },
            ...(certificate !== null && { ca: [...rootCertificates, certificate] }),
          })
        : askPlain(to, { method: request.method, headers, signal });
    const late = setTimeout(() => gone.abort(), patienceMs);
    let answer: IncomingMessage;
    try {
      asking.end(body ?? '');
      [answer] = (await once(asking, 'response')) as [IncomingMessage];
    } catch (thrown) {
      throw silentHost(workspace, thrown);
    } finally {
      clearTimeout(late);
    }
    // A connection that breaks also reports an error, which needs no handling of its own.
    asking.on('error', () => {});
    const looking = setInterval(() => {
      if (!mayListen()) gone.abort();
    }, lookMs);
    answer.once('close', () => clearInterval(looking));
    return responseOf(answer);
  }

  return {
    async pass(passed) {
      const { request } = passed;
      const body = ['GET', 'HEAD'].includes(request.method) ? null : await readBody(request);
      const first = await send(passed, body);
      if (!first.headers.has(passHeader)) return first;
      // The host renewed its key a moment ago: try once with a new pass.
      await first.body?.cancel();
      const second = await send(passed, body);
      if (second.headers.has(passHeader)) throw noHost(workspace);
      return second;
    },
  };
}

function responseOf(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !ofConnection.includes(name))
      for (const one of [value].flat()) headers.append(name, one);
  const status = answer.statusCode ?? 502;
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) answer.resume();
  const isStream = String(headers.get('content-type')).startsWith('text/event-stream');
  const body = isStream ? Readable.from(untilCut(answer)) : answer;
  return new Response(isEmpty ? null : (Readable.toWeb(body) as ReadableStream), { status, headers });
}

/** A stream of events that is cut ends for its reader, who comes again; what else is cut fails. */
async function* untilCut(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch {
    // The host is gone, or the reader may no longer listen.
  }
}

const remedy =
  'Start one with sonde worker --workspaces NAME, or try again in a moment: another takes its place.';

const noHost = (workspace: string): SondeError =>
  new SondeError('tool_failed', { message: `No worker has the workspace ${workspace} now`, remedy });

const silentHost = (workspace: string, cause: unknown): SondeError =>
  new SondeError('tool_failed', {
    message: `The worker that has the workspace ${workspace} does not answer: ${messageOf(cause)}`,
    remedy,
    cause,
  });
