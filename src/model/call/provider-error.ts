import { APICallError } from '@ai-sdk/provider';
import type { ModelFailure } from '../model.ts';
import { ResponseTooLarge, WebPage } from './bounded-fetch.ts';
import { billingForStatus, codeForStatus, type FailureContext, failure, guessCode } from './failure.ts';

/** The request cannot have reached a model. */
const neverSentPattern =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT|ERR_TLS|SELF_SIGNED|ERR_INVALID_URL/;
/** The connection broke; the model may have been writing. */
const brokenPattern =
  /ECONNRESET|EPIPE|ETIMEDOUT|UND_ERR_|\bterminated\b|other side closed|socket hang up|fetch failed/i;

/** Converts an error that the provider's library threw, or put into its stream, to a failure. */
export function providerFailure(
  thrown: unknown,
  context: Omit<FailureContext, 'detail'>,
  now: number,
  midStream = false,
): ModelFailure {
  const chain = listCauses(thrown);
  const sizeError = chain.find((cause) => cause instanceof ResponseTooLarge);
  if (sizeError) {
    const remedy =
      'The server does not keep to the output limit that it was given: choose another, or another model.';
    return failure('bad_response', { ...context, detail: sizeError.message, remedy }, 'unknown', false);
  }

  const pageError = chain.find((cause) => cause instanceof WebPage);
  if (pageError) return failure('bad_response', { ...context, detail: pageError.message }, 'none', false);

  const networkText = chain.map((cause) => `${codeOf(cause)} ${textOf(cause)}`).join(' ');
  const apiError = chain.find((cause): cause is APICallError => APICallError.isInstance(cause));
  // A body without text is the library's own complaint about a reply with status 200.
  const body: unknown = apiError?.responseBody ?? '';
  if (apiError?.statusCode !== undefined && apiError.statusCode >= 300 && typeof body === 'string') {
    const text = `${typeOf(apiError.data)} ${apiError.message} ${body}`;
    const waitMs = retryAfterMs(apiError.responseHeaders ?? {}, now);
    const statusContext = {
      ...context,
      status: apiError.statusCode,
      detail: bodyMessage(apiError.data) ?? (body.trim() || apiError.message),
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    };
    return failure(
      codeForStatus(apiError.statusCode, text),
      statusContext,
      billingForStatus(apiError.statusCode),
    );
  }
  const bodyError = apiError && typeof body === 'string' ? findBodyError(body) : undefined;
  if (bodyError)
    return failure(
      bodyError.status === undefined
        ? (guessCode(`${bodyError.type} ${bodyError.detail}`) ?? 'bad_response')
        : codeForStatus(bodyError.status, `${bodyError.type} ${bodyError.detail}`),
      { ...context, detail: bodyError.detail },
      'none',
    );
  if (neverSentPattern.test(networkText))
    return failure('unreachable', { ...context, detail: innermostText(chain) }, 'none');
  if (brokenPattern.test(networkText))
    return failure(
      'unreachable',
      { ...context, detail: `the connection broke: ${innermostText(chain)}` },
      'unknown',
    );

  const errorText = bodyMessage(thrown) ?? textOf(thrown);
  const code = guessCode(`${typeOf(thrown)} ${errorText}`);
  if (code) return failure(code, { ...context, detail: errorText }, midStream ? 'unknown' : 'none');
  return failure('bad_response', { ...context, detail: errorText }, 'unknown');
}

export function listCauses(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (
    let current = thrown;
    current !== undefined && current !== null && !chain.includes(current);
    current = readField(current, 'cause')
  )
    chain.push(current);
  return chain;
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function codeOf(value: unknown): string {
  const code = readField(value, 'code');
  return typeof code === 'string' ? code : '';
}

function textOf(value: unknown): string {
  const message = readField(value, 'message');
  if (typeof message === 'string') return message;
  return typeof value === 'string' ? value : '';
}

/** The text of the innermost cause, which is the most specific: `connect ECONNREFUSED 127.0.0.1:11434`. */
function innermostText(chain: readonly unknown[]): string {
  return (
    chain.map((cause) => textOf(cause) || codeOf(cause)).findLast((text) => text !== '') ?? 'no connection'
  );
}

/** `{error: {message}}` or `{message}`, as all three wire formats have it. */
function bodyMessage(data: unknown): string | undefined {
  const message =
    readField(readField(data, 'error'), 'message') ?? readField(readField(data, 'data'), 'message');
  return typeof message === 'string' && message !== '' ? message : undefined;
}

/** Some gateways report an error with status 200, and the true status in its body. */
function findBodyError(
  body: string,
): { readonly detail: string; readonly type: string; readonly status: number | undefined } | undefined {
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    return undefined;
  }
  const detail = bodyMessage(data);
  if (detail === undefined) return undefined;
  const status = Number(readField(readField(data, 'error'), 'code'));
  return { detail, type: typeOf(data), status: status >= 400 && status < 600 ? status : undefined };
}

function typeOf(data: unknown): string {
  const error = readField(data, 'error') ?? data;
  return [readField(error, 'type'), readField(error, 'code')]
    .filter((name) => typeof name === 'string')
    .join(' ');
}

/**
 * How long the server asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a
 * date. `now` in milliseconds since the epoch.
 */
function retryAfterMs(
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): number | undefined {
  const exactMs = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(exactMs) && exactMs >= 0) return exactMs;
  const retryAfter = headers['retry-after'];
  if (retryAfter === undefined) return undefined;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
