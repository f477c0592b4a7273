/** What the sinks that speak HTTP have in common: JSON there and back, and errors as values without credentials. */
import { maskSecrets, messageOf, withoutSecrets } from '../../../core/index.ts';
import type { Delivered, Send } from './sink.ts';

export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

export async function sendJson(
  send: Send,
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  body?: unknown,
): Promise<Answer> {
  const reply = await send(url, {
    method,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'sonde',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  });
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
