import { APICallError } from '@ai-sdk/provider';
import type { ModelFailure } from '../model.ts';
import { ResponseTooLarge, WebPage } from './bounded-fetch.ts';
import { billingOf, codeOfStatus, codeOfWords, type FailureContext, failure } from './failure.ts';

/** The request cannot have reached a model. */
const neverSent =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT|ERR_TLS|SELF_SIGNED|ERR_INVALID_URL/;
/** The connection broke; the model may have been writing. */
const broken =
  /ECONNRESET|EPIPE|ETIMEDOUT|UND_ERR_|\bterminated\b|other side closed|socket hang up|fetch failed/i;

/** An error that the provider's library threw, or put into its stream, as a failure. */
export function providerFailure(
  thrown: unknown,
  about: Omit<FailureContext, 'said'>,
  now: number,
  midStream = false,
): ModelFailure {
  const chain = causes(thrown);
  const large = chain.find((cause) => cause instanceof ResponseTooLarge);
  if (large) {
    const remedy =
      'The server does not keep to the output limit that it was given: choose another, or another model.';
    return failure('bad_response', { ...about, said: large.message, remedy }, 'unknown', false);
  }

  const page = chain.find((cause) => cause instanceof WebPage);
  if (page) return failure('bad_response', { ...about, said: page.message }, 'none', false);

  const network = chain.map((cause) => `${codeOf(cause)} ${textOf(cause)}`).join(' ');
  const call = chain.find((cause): cause is APICallError => APICallError.isInstance(cause));
  // A body without text is the library's own complaint about a reply with status 200.
  const body: unknown = call?.responseBody ?? '';
  if (call?.statusCode !== undefined && call.statusCode >= 300 && typeof body === 'string') {
    const text = `${typeOf(call.data)} ${call.message} ${body}`;
    const wait = retryAfterMs(call.responseHeaders ?? {}, now);
    const trouble = {
      ...about,
      status: call.statusCode,
      said: bodyMessage(call.data) ?? (body.trim() || call.message),
      ...(wait !== undefined && { retryAfterMs: wait }),
    };
    return failure(codeOfStatus(call.statusCode, text), trouble, billingOf(call.statusCode));
  }
  const hidden = call && typeof body === 'string' ? errorIn(body) : undefined;
  if (hidden)
    return failure(
      hidden.status === undefined
        ? (codeOfWords(`${hidden.type} ${hidden.said}`) ?? 'bad_response')
        : codeOfStatus(hidden.status, `${hidden.type} ${hidden.said}`),
      { ...about, said: hidden.said },
      'none',
    );
  if (neverSent.test(network)) return failure('unreachable', { ...about, said: rootText(chain) }, 'none');
  if (broken.test(network))
    return failure('unreachable', { ...about, said: `the connection broke: ${rootText(chain)}` }, 'unknown');

  const data = bodyMessage(thrown) ?? textOf(thrown);
  const named = codeOfWords(`${typeOf(thrown)} ${data}`);
  if (named) return failure(named, { ...about, said: data }, midStream ? 'unknown' : 'none');
  return failure('bad_response', { ...about, said: data }, 'unknown');
}

export function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let at = thrown; at !== undefined && at !== null && !chain.includes(at); at = field(at, 'cause'))
    chain.push(at);
  return chain;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function codeOf(value: unknown): string {
  const code = field(value, 'code');
  return typeof code === 'string' ? code : '';
}

function textOf(value: unknown): string {
  const message = field(value, 'message');
  if (typeof message === 'string') return message;
  return typeof value === 'string' ? value : '';
}

/** The innermost text says the most: `connect ECONNREFUSED 127.0.0.1:11434`. */
function rootText(chain: readonly unknown[]): string {
  return (
    chain.map((cause) => textOf(cause) || codeOf(cause)).findLast((text) => text !== '') ?? 'no connection'
  );
}

/** `{error: {message}}` or `{message}`, as all three wire formats have it. */
function bodyMessage(data: unknown): string | undefined {
  const message = field(field(data, 'error'), 'message') ?? field(field(data, 'data'), 'message');
  return typeof message === 'string' && message !== '' ? message : undefined;
}

/** Some gateways report an error with status 200, and the true status in its body. */
function errorIn(
  body: string,
): { readonly said: string; readonly type: string; readonly status: number | undefined } | undefined {
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    return undefined;
  }
  const said = bodyMessage(data);
  if (said === undefined) return undefined;
  const status = Number(field(field(data, 'error'), 'code'));
  return { said, type: typeOf(data), status: status >= 400 && status < 600 ? status : undefined };
}

function typeOf(data: unknown): string {
  const error = field(data, 'error') ?? data;
  return [field(error, 'type'), field(error, 'code')].filter((name) => typeof name === 'string').join(' ');
}

/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a
 * date. `now` in milliseconds since the epoch.
 */
function retryAfterMs(
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): number | undefined {
  const precise = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(precise) && precise >= 0) return precise;
  const asked = headers['retry-after'];
  if (asked === undefined) return undefined;
  const seconds = Number(asked);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(asked);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
