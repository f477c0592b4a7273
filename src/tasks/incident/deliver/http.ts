/** The part that all HTTP sinks share: JSON requests and replies, and errors as values that contain no credentials. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, plainMask, removeKnownSecrets, type SystemMask } from '../../../core/index.ts';
import type { DeliveryResult, Send, SendReply } from './sink.ts';

export interface SinkReply {
  readonly status: number;
  /** Null if the reply is no JSON, or longer than the limit. */
  readonly json: unknown;
}

/** If the server requests a longer pause than this, the request is not repeated. Milliseconds. */
const maxPauseMs = 5_000;
/** Maximum bytes of an answer. */
const maxReplyBytes = 1_000_000;
/** Maximum milliseconds of one request with its answer. */
const requestTimeoutMs = 10_000;

/**
 * Sends a request, and repeats it once if it was refused for too many requests and the requested pause is short.
 * Follows no redirect, since the report would be sent there. Reads only as much of the reply as is needed.
 */
export async function sendJson(
  send: Send,
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  { body, readsBody = true }: { readonly body?: unknown; readonly readsBody?: boolean } = {},
): Promise<SinkReply> {
  const request = {
    method,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'sonde',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
  } as const;
  let reply = await send(url, request);
  const pauseMs = Number(reply.headers.get('retry-after') ?? Number.NaN) * 1_000;
  if (reply.status === 429 && pauseMs <= maxPauseMs) {
    await reply.body?.cancel();
    await sleep(pauseMs, undefined, { signal });
    reply = await send(url, {
      ...request,
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
    });
  }
  return { status: reply.status, json: readsBody ? await readJson(reply) : await discardBody(reply) };
}

async function discardBody({ body }: SendReply): Promise<null> {
  await body?.cancel();
  return null;
}

async function readJson({ body }: SendReply): Promise<unknown> {
  if (body === null) return null;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.byteLength;
    // Leaving the loop ends the connection.
    if (size > maxReplyBytes) return null;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    // Some destinations do not answer with JSON, which is fine.
    return null;
  }
}

export const isSuccess = ({ status }: SinkReply): boolean => status >= 200 && status < 300;

/** The message for a refused request. */
export const describeRefusal = (who: string, { status }: SinkReply, about = ''): string =>
  status >= 300 && status < 400
    ? `${who} redirects (${status}), which is not followed${about}`
    : `${who} answered ${status}${about}`;

/** Without a list of existing comments a duplicate can't be ruled out, so nothing is written. */
export const describeMissingList = (who: string, answer: SinkReply, about: string): string =>
  isSuccess(answer)
    ? `${who} gave no list of what is at ${about}, or one that is too long`
    : describeRefusal(who, answer, ` for ${about}`);

/** Runs a delivery; an error that it throws becomes a failure without secrets. */
export async function guardDelivery(
  secrets: readonly string[],
  mask: SystemMask = plainMask,
  deliver: () => Promise<DeliveryResult>,
): Promise<DeliveryResult> {
  // Masks in two steps: by the mask, which may know secrets that this sink does not, and by the sink's own secrets.
  const clean = (text: string): string => removeKnownSecrets(mask.system(text), secrets).slice(0, 300);
  try {
    const deliveryResult = await deliver();
    return deliveryResult.kind === 'delivered'
      ? { ...deliveryResult, where: clean(deliveryResult.where) }
      : { kind: deliveryResult.kind, why: clean(deliveryResult.why) };
  } catch (thrown) {
    return { kind: 'failed', why: clean(messageOf(thrown)) };
  }
}

/** An invisible comment by which an earlier report is found. */
export const createMark = (key: string): string => `<!-- sonde ${key} -->`;
