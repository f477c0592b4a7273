/** What the sinks that speak HTTP have in common: JSON there and back, and errors as values without credentials. */
import { setTimeout as sleep } from 'node:timers/promises';
import { maskSecrets, messageOf, withoutSecrets } from '../../../core/index.ts';
import type { Delivered, Send } from './sink.ts';

export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** A longer pause than this is not waited for. Milliseconds. */
const longestPauseMs = 5_000;

/** Sends once more where it was refused for too many requests, and the pause that was asked for is short. */
export async function sendJson(
  send: Send,
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  body?: unknown,
): Promise<Answer> {
  const request = {
    method,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'sonde',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  };
  let reply = await send(url, request);
  const pauseMs = Number(reply.headers?.get('retry-after') ?? Number.NaN) * 1_000;
  if (reply.status === 429 && pauseMs <= longestPauseMs) {
    await sleep(pauseMs, undefined, { signal });
    reply = await send(url, request);
  }
  const text = (await reply.text()).slice(0, 2_000_000);
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // Not every destination answers JSON, and none needs to.
  }
  return { status: reply.status, json };
}

export const isFine = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** Runs a delivery; whatever it throws is its failure, without the secrets. */
export async function guarded(
  secrets: readonly string[],
  deliver: () => Promise<Delivered>,
): Promise<Delivered> {
  const clean = (text: string): string => maskSecrets(withoutSecrets(text, secrets)).slice(0, 300);
  try {
    const done = await deliver();
    return done.kind === 'failed'
      ? { kind: 'failed', why: clean(done.why) }
      : { kind: 'delivered', where: clean(done.where) };
  } catch (thrown) {
    return { kind: 'failed', why: clean(messageOf(thrown)) };
  }
}

/** Stands in a comment, unseen, so that it is found again. */
export const markOf = (key: string): string => `<!-- sonde ${key} -->`;
