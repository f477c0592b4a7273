/**
 * The HTTP client of signals. It sends GET, and POST only to the paths listed in its options, for queries that need a body.
 * Credentials go only to the origin of the system, and are masked in every answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { messageOf, type SignalFailure, SondeError, shortLine } from '../core/index.ts';
import {
  type Authorization,
  type Credential,
  type RequestCredentials,
  resolveAuthorization,
  withoutCredentials,
} from './http-credentials.ts';
import { readRetryAfter } from './http-limit.ts';
import { failure } from './question.ts';

export { type Authorization, type Credential, withoutCredentials } from './http-credentials.ts';

export interface HttpOptions {
  readonly system: string;
  /** The address of the system, with the path before its API if there is one. It may contain user and password. */
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly authorization?: Authorization | undefined;
  /** Headers without secrets, sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Paths that accept a POST with a query in its body. */
  readonly postPaths?: readonly string[];
  /** Maximum bytes of one answer. */
  readonly maxBytes?: number;
  /** Default: JSON. */
  readonly wire?: BodyFormat;
}

export interface BodyFormat {
  readonly name: string;
  readonly contentType: string;
  write(body: unknown): string;
  /** Throws if it cannot parse the text. */
  read(text: string): unknown;
}

const json: BodyFormat = {
  name: 'JSON',
  contentType: 'application/json',
  write: JSON.stringify,
  read: JSON.parse,
};

export interface HttpReply {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface JsonReply<Value> {
  readonly kind: 'json';
  readonly value: Value;
  readonly headers: Headers;
}

export type Parameters = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface Http {
  /** The address without credentials. */
  readonly source: string;
  get(path: string, parameters: Parameters, signal: AbortSignal): Promise<HttpReply | SignalFailure>;
  getJson<Value>(
    path: string,
    parameters: Parameters,
    shape: z.ZodType<Value>,
    signal: AbortSignal,
  ): Promise<JsonReply<Value> | SignalFailure>;
  /** Throws `bad_argument` for a path that is not in `postPaths`. */
  postJson<Value>(
    path: string,
    body: unknown,
    shape: z.ZodType<Value>,
    signal: AbortSignal,
  ): Promise<JsonReply<Value> | SignalFailure>;
}

const defaultMaxBytes = 32 * 1024 * 1024;
const maxRedirects = 3;
/** Maximum wait for a rate limit, in milliseconds; if a system asks for more, the request fails and says so. */
const maxPauseMs = 5_000;
/** Maximum number of waits in one request. */
const maxPauses = 2;

/** Throws `bad_config` if the address is not a valid URL. */
export function openHttp(options: HttpOptions): Http {
  const { base, authorization } = parseAddress(options);
  const source = `${base.origin}${base.pathname}`.replace(/\/$/, '');
  const postPaths = new Set(options.postPaths ?? []);
  const wire = options.wire ?? json;
  // All credentials sent so far: an answer may repeat an earlier one.
  const sentCredentials = new Map<string, Credential>();
  const maskCredentials = (text: string): string => withoutCredentials(text, [...sentCredentials.values()]);

  const send = async (
    method: 'GET' | 'POST',
    path: string,
    parameters: Parameters,
    body: string | null,
    signal: AbortSignal,
  ): Promise<HttpReply | SignalFailure> => {
    const target = `${options.system} at ${source}${path}`;
    let url = new URL(`${source}${path}`);
    for (const [name, value] of Object.entries(parameters))
      for (const one of value === undefined ? [] : Array.isArray(value) ? value : [value])
        url.searchParams.append(name, String(one));
    let credentials: RequestCredentials;
    try {
      credentials = await resolveAuthorization(authorization, signal);
    } catch (thrown) {
      return failure(
        'refused',
        `${target} was not asked, since its credentials could not be obtained (${messageOf(thrown)})`,
      );
    }
    for (const credential of credentials.secrets) sentCredentials.set(credential.reveal(), credential);
    const headers = { accept: 'application/json', ...options.headers, ...credentials.headers };
    try {
      for (let [hop, pauses] = [0, 0]; ; ) {
        const response = await options.fetch(url, {
          method,
          redirect: 'manual',
          signal,
          headers: { ...headers, ...(body !== null && { 'content-type': wire.contentType }) },
          ...(body !== null && { body }),
        });
        const location =
          response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
        if (location === null) {
          const text = await textWithin(response, options.maxBytes ?? defaultMaxBytes);
          if (text === null) return failure('too_large', `The answer of ${target} is too large.`);
          const reply = {
            kind: 'reply',
            status: response.status,
            headers: response.headers,
            text: maskCredentials(text),
          } as const;
          if (response.ok) return reply;
          const pause = readRetryAfter(response.status, response.headers);
          if (pause === null) return toFailure(target, reply);
          if (pause > maxPauseMs || pauses === maxPauses)
            return failure(
              'refused',
              `${target} limits its requests (${response.status}), and takes more in ${Math.ceil(pause / 1_000)} s.${refusalText(reply)}`,
            );
          pauses++;
          await sleep(pause, undefined, { signal });
          continue;
        }
        await response.body?.cancel();
        const next = new URL(location, url);
        if (next.origin !== url.origin)
          return failure('refused', `${target} redirects to another host, which is not followed.`);
        if (hop >= maxRedirects || method !== 'GET')
          return failure('refused', `${target} redirects without end.`);
        hop++;
        url = next;
      }
    } catch (thrown) {
      return failure('unreachable', maskCredentials(`${target} did not answer: ${causeText(thrown)}.`));
    }
  };

  const read = <Value>(
    path: string,
    reply: HttpReply | SignalFailure,
    shape: z.ZodType<Value>,
  ): JsonReply<Value> | SignalFailure => {
    if (reply.kind === 'failure') return reply;
    let value: unknown;
    try {
      value = wire.read(reply.text);
    } catch {
      return failure(
        'bad_reply',
        `${options.system} at ${source}${path} answered no ${wire.name}: ${shortLine(reply.text, 80)}`,
      );
    }
    const checked = shape.safeParse(value);
    if (checked.success) return { kind: 'json', value: checked.data, headers: reply.headers };
    const issue = checked.error.issues[0];
    return failure(
      'bad_reply',
      `${options.system} at ${source}${path} answered ${wire.name} of another shape: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    );
  };

  return Object.freeze({
    source,
    get: (path, parameters, signal) => send('GET', path, parameters, null, signal),
    getJson: async (path, parameters, shape, signal) =>
      read(path, await send('GET', path, parameters, null, signal), shape),
    postJson: async (path, body, shape, signal) => {
      if (!postPaths.has(path))
        throw new SondeError('bad_argument', {
          message: `${options.system} takes no query at ${path}.`,
          remedy: `Name ${path} in the posts of the client, if all it does is answer a query.`,
        });
      return read(path, await send('POST', path, {}, wire.write(body), signal), shape);
    },
  } satisfies Http);
}

function parseAddress({ system, base, authorization }: HttpOptions): {
  readonly base: URL;
  readonly authorization: Authorization | undefined;
} {
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new SondeError('bad_config', {
      message: `The address of ${system} is no http or https address.`,
      remedy: 'Write it as http://host:port or https://host/path.',
    });
  if (url.username === '') return { base: url, authorization };
  const password = decodeURIComponent(url.password);
  return {
    base: url,
    authorization: authorization ?? {
      kind: 'basic',
      user: decodeURIComponent(url.username),
      password: { reveal: () => password },
    },
  };
}

/** Null if the answer is longer than `max` bytes. */
async function textWithin(response: Response, max: number): Promise<string | null> {
  if (response.body === null) return '';
  if (Number(response.headers.get('content-length')) > max) {
    await response.body.cancel();
    return null;
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body) {
    size += part.byteLength;
    // Leaving the loop cancels the body.
    if (size > max) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function toFailure(target: string, reply: HttpReply): SignalFailure {
  const { status } = reply;
  const reason =
    status === 400 || status === 422
      ? 'bad_query'
      : status === 404
        ? 'not_found'
        : status === 408 || status === 504
          ? 'timeout'
          : status === 413
            ? 'too_large'
            : status >= 500
              ? 'unreachable'
              : 'refused';
  return failure(reason, `${target} answered ${status}.${refusalText(reply)}`);
}

/** The text of a refusal; empty if it is a web page. */
function refusalText({ text }: HttpReply): string {
  return text === '' || /<html|<!doctype/i.test(text) ? '' : ` ${shortLine(text, 200)}`;
}

/** The message of the cause, since that of the error itself is only `fetch failed`. */
function causeText(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  if (cause instanceof AggregateError && cause.errors[0] !== undefined) return messageOf(cause.errors[0]);
  // The Node flag named in the reason is of no use to users of a program.
  return messageOf(cause ?? thrown).replace(
    /; if the root CA is installed locally, try running Node\.js.*$/s,
    '',
  );
}
