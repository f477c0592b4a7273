/** A front's connection to the host of its workspace: forwards requests, each with a pass for its client. */
import { once } from 'node:events';
import { request as askPlain, type IncomingMessage } from 'node:http';
import { request as askSecure } from 'node:https';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { messageOf, SondeError } from '../../core/index.ts';
import type { HostChannel } from '../../store/index.ts';
import { readBody } from '../http/body.ts';
import { type HostDescription, originHeader, passHeader } from './host-endpoint.ts';
import { makePass, type PassHolder } from './host-pass.ts';

export interface ForwardedRequest {
  readonly request: Request;
  readonly holder: PassHolder;
  /** Whether the client may still read. Called repeatedly while a stream is open. */
  readonly mayListen: () => boolean;
  /** The origin under which the client reached this front. */
  readonly origin: string;
}

export interface HostLink {
  /** Returns the host's answer. Throws `tool_failed` if no host answers. */
  pass(forwarded: ForwardedRequest): Promise<Response>;
}

export interface HostLinkOptions {
  readonly hostChannel: Pick<HostChannel, 'readAbout'>;
  readonly workspace: string;
}

/** Interval between checks whether the client may still read a stream. Milliseconds. */
const lookMs = 1_000;
/** How long to wait for the first bytes of the host's answer. Milliseconds. */
const patienceMs = 60_000;
const forwardedHeaders = [
  ...['accept', 'content-type', 'idempotency-key', 'last-event-id', 'x-sonde-thread'],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
];
/** Headers that belong to one connection and must not be forwarded. */
const connectionHeaders = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  passHeader,
];

export function openHostLink({ hostChannel, workspace }: HostLinkOptions): HostLink {
  async function readHost(): Promise<HostDescription> {
    const host = (await hostChannel.readAbout()) as Partial<HostDescription> | null;
    if (host?.url === undefined || host.key === undefined) throw noHostError(workspace);
    return host as HostDescription;
  }

  async function send(forwarded: ForwardedRequest, body: string | null): Promise<Response> {
    const { request, holder, origin, mayListen } = forwarded;
    const { url, certificate, key } = await readHost();
    const { pathname, search } = new URL(request.url);
    const target = new URL(`/hosts/${encodeURIComponent(workspace)}${pathname}${search}`, url);
    const headers: Record<string, string> = {
      authorization: `Bearer ${makePass(key, holder)}`,
      [originHeader]: origin,
    };
    for (const name of forwardedHeaders) {
      const value = request.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    const abortController = new AbortController();
    const signal = AbortSignal.any([request.signal, abortController.signal]);
    const clientRequest =
      target.protocol === 'https:'
        ? askSecure(target, {
            ...{ method: request.method, headers, signal },
            ...(certificate !== null && { ca: [...rootCertificates, certificate] }),
          })
        : askPlain(target, { method: request.method, headers, signal });
    const timer = setTimeout(() => abortController.abort(), patienceMs);
    let answer: IncomingMessage;
    try {
      clientRequest.end(body ?? '');
      [answer] = (await once(clientRequest, 'response')) as [IncomingMessage];
    } catch (thrown) {
      throw silentHostError(workspace, thrown);
    } finally {
      clearTimeout(timer);
    }
    // A broken connection also emits an error event, which would end the process without a listener.
    clientRequest.on('error', () => {});
    const accessTimer = setInterval(() => {
      if (!mayListen()) abortController.abort();
    }, lookMs);
    answer.once('close', () => clearInterval(accessTimer));
    return toResponse(answer);
  }

  return {
    async pass(forwarded) {
      const { request } = forwarded;
      const body = ['GET', 'HEAD'].includes(request.method) ? null : await readBody(request);
      const firstAnswer = await send(forwarded, body);
      if (!firstAnswer.headers.has(passHeader)) return firstAnswer;
      // The pass was refused, since the host has just renewed its key: try once more with a new pass.
      await firstAnswer.body?.cancel();
      const secondAnswer = await send(forwarded, body);
      if (secondAnswer.headers.has(passHeader)) throw noHostError(workspace);
      return secondAnswer;
    },
  };
}

function toResponse(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !connectionHeaders.includes(name))
      for (const headerValue of [value].flat()) headers.append(name, headerValue);
  const status = answer.statusCode ?? 502;
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) answer.resume();
  const isStream = String(headers.get('content-type')).startsWith('text/event-stream');
  const body = isStream ? Readable.from(readUntilCut(answer)) : answer;
  return new Response(isEmpty ? null : (Readable.toWeb(body) as ReadableStream), { status, headers });
}

/** Yields the bytes of an event stream. An interruption ends it without an error, and the reader reconnects. */
async function* readUntilCut(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch {
    // The host has ended, or the client may no longer read.
  }
}

const remedy =
  'Start one with sonde worker --workspaces NAME, or try again in a moment: another takes its place.';

const noHostError = (workspace: string): SondeError =>
  new SondeError('tool_failed', { message: `No worker has the workspace ${workspace} now`, remedy });

const silentHostError = (workspace: string, cause: unknown): SondeError =>
  new SondeError('tool_failed', {
    message: `The worker that has the workspace ${workspace} does not answer: ${messageOf(cause)}`,
    remedy,
    cause,
  });
