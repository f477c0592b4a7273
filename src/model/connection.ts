import type { Clock } from '../core/index.ts';
import type { LearnedStore } from './tokens/input-ceiling.ts';

/** How a hosted model is reached. All of it arrives as an argument; nothing is read from the environment. */
export interface Connection {
  readonly apiKey?: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The variable of the key, as the remedy names it: `ANTHROPIC_API_KEY`. */
  readonly keySetting?: string;
  /** Tokens. Set by the user if the built-in table of models is wrong. */
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  /** The maximum of thinking tokens, which are in addition to the output limit. Only for models where it can be set. */
  readonly thinking?: number;
  /** Facts about the model's tokenizer that earlier calls showed. */
  readonly learned?: LearnedStore;
  /** The service does not bill by the token. */
  readonly free?: true;
  /** A sentence that tells the user how to list the models. */
  readonly howToList?: string;
}

/** OpenAI's own address. */
export const openaiUrl = 'https://api.openai.com/v1';

/** Everything in a connection that must not appear in a message. */
export function secretsOf(connection: Pick<Connection, 'apiKey' | 'headers'>): readonly string[] {
  const secretHeaders = Object.entries(connection.headers ?? {})
    .filter(([name]) => /auth|key|token|cookie|secret/i.test(name))
    .map(([, value]) => value);
  return connection.apiKey === undefined ? secretHeaders : [connection.apiKey, ...secretHeaders];
}

/**
 * Whether an address is on this machine, where nobody bills by the token. A private network does not count, since it
 * may have a gateway to a provider that bills.
 */
export function isLocal(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1)$/.test(host);
}

/** The host of an address, for messages: no path, no password. */
export function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : 'the configured address';
}
