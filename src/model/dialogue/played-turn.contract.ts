/** A turn of a model as the tests play it. */
import { createHmac } from 'node:crypto';

/** A turn as it is played. Arguments are text, since models write what they like. */
export interface PlayedTurn {
  readonly reasoning?: string;
  /** Anthropic: a thought that nobody may read. */
  readonly redacted?: boolean;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: string; readonly id?: string }[];
  readonly stop?: 'length' | 'refusal';
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Instead of all that. */
  readonly error?: { readonly status: number; readonly message: string };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of three formats
export type Body = any;

/** A signature, by which foreign or changed content is detected. */
export function sign(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}
