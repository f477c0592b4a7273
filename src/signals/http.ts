/**
 * How a signal speaks HTTP: it may get, and post a query to the few paths that it named when it was made.
 * There is no other verb. A credential goes to its own origin only, and is removed from every answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { messageOf, type SignalFailure, SondeError, shortLine } from '../core/index.ts';
import {
  type Authorization,
  type Credential,
  type Proof,
  proofOf,
  withoutCredentials,
} from './http-credentials.ts';
import { readRetryAfter } from './http-limit.ts';
import { failure } from './question.ts';

export { type Authorization, type Credential, withoutCredentials } from './http-credentials.ts';

export interface HttpOptions {
  readonly system: string;
  /** The address of the system, with the path before its API if there is one. A user and password in it are used. */
  readonly base: string;
  readonly fetch: typeof globalThis.fetch;
  readonly authorization?: Authorization | undefined;
  /** Plain headers that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Paths that take a query as a body. */
  readonly posts?: readonly string[];
  /** Bytes of one answer. */
  readonly maxBytes?: number;
  /** How bodies are written, and answers read; JSON where absent. */
  readonly wire?: Wire;
}

export interface Wire {
  readonly name: string;
  readonly contentType: string;
  write(body: unknown): string;
  /** Throws for what it can't read. */
  read(text: string): unknown;
}

const json: Wire = { name: 'JSON', contentType: 'application/json', write: JSON.stringify, read: JSON.parse };

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
  /** The base without credentials. */
  readonly source: string;
  get(path: string, parameters: Parameters, signal: AbortSignal): Promise<HttpReply | SignalFailure>;
  getJson<Value>(
    path: string,
    parameters: Parameters,
    shape: z.ZodType<Value>,
    signal: AbortSignal,
  ): Promise<JsonReply<Value> | SignalFailure>;
  /** Throws `bad_argument` for a path that was not named. */
  postJson<Value>(
    path: string,
    body: unknown,
    shape: z.ZodType<Value>,
    signal: AbortSignal,
  ): Promise<JsonReply<Value> | SignalFailure>;
}

const defaultMaxBytes = 32 * 1024 * 1024;
const maxRedirects = 3;
/** The longest pause that is waited for; if a system asks for more, the request fails and says so. Milliseconds. */
const maxPauseMs = 5_000;
/** Pauses for one request. */
const maxPauses = 2;

/** Throws `bad_config` if the address is not a valid URL. */
export function openHttp(options: HttpOptions): Http {
  const { base, authorization } = addressOf(options);
  const source = `${base.origin}${base.pathname}`.replace(/\/$/, '');
  const posts = new Set(options.posts ?? []);
  const wire = options.wire ?? json;
  // Every credential that was ever sent: an answer may hold an earlier one.
  const sent = new Map<string, Credential>();
  const clean = (text: string): string => withoutCredentials(text, [...sent.values()]);

  const send = async (
    method: 'GET' | 'POST',
    path: string,
    parameters: Parameters,
    body: string | null,
    signal: AbortSignal,
  ): Promise<HttpReply | SignalFailure> => {
    const what = `${options.system} at ${source}${path}`;
    let url = new URL(`${source}${path}`);
    for (const [name, value] of Object.entries(parameters))
      for (const one of value === undefined ? [] : Array.isArray(value) ? value : [value])
        url.searchParams.append(name, String(one));
    let proof: Proof;
    try {
      proof = await proofOf(authorization, signal);
    } catch (thrown) {
      return failure(
        'refused',
        `${what} was not asked, for nobody lends what proves who asks (${messageOf(thrown)})`,
      );
    }
    for (const credential of proof.secrets) sent.set(credential.reveal(), credential);
    const headers = { accept: 'application/json', ...options.headers, ...proof.headers };
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
          if (text === null) return failure('too_large', `The answer of ${what} is too large.`);
          const reply = {
            kind: 'reply',
            status: response.status,
            headers: response.headers,
            text: clean(text),
          } as const;
          if (response.ok) return reply;
          const pause = readRetryAfter(response.status, response.headers);
          if (pause === null) return refusal(what, reply);
          if (pause > maxPauseMs || pauses === maxPauses)
            return failure(
              'refused',
              `${what} limits its requests (${response.status}), and takes more in ${Math.ceil(pause / 1_000)} s.${readRefusal(reply)}`,
            );
          pauses++;
          await sleep(pause, undefined, { signal });
          continue;
        }
        await response.body?.cancel();
        const next = new URL(location, url);
        if (next.origin !== url.origin)
          return failure('refused', `${what} redirects to another host, which is not followed.`);
        if (hop >= maxRedirects || method !== 'GET')
          return failure('refused', `${what} redirects without end.`);
        hop++;
        url = next;
      }
    } catch (thrown) {
      return failure('unreachable', clean(`${what} did not answer: ${causeOf(thrown)}.`));
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
      if (!posts.has(path))
        throw new SondeError('bad_argument', {
          message: `${options.system} takes no query at ${path}.`,
          remedy: `Name ${path} in the posts of the client, if all it does is answer a query.`,
        });
      return read(path, await send('POST', path, {}, wire.write(body), signal), shape);
    },
  } satisfies Http);
}

function addressOf({ system, base, authorization }: HttpOptions): {
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

/** Null if the answer is longer. */
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

function refusal(what: string, reply: HttpReply): SignalFailure {
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
  return failure(reason, `${what} answered ${status}.${readRefusal(reply)}`);
}

/** The reason in a refusal, unless it is a web page. */
function readRefusal({ text }: HttpReply): string {
  return text === '' || /<html|<!doctype/i.test(text) ? '' : ` ${shortLine(text, 200)}`;
}

/** `fetch failed` says nothing; its cause does. */
function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  if (cause instanceof AggregateError && cause.errors[0] !== undefined) return messageOf(cause.errors[0]);
  // The Node flag named in the reason is of no use to users of a program.
  return messageOf(cause ?? thrown).replace(
    /; if the root CA is installed locally, try running Node\.js.*$/s,
    '',
  );
}
