/**
 * The pass that a front sends to the host for one of its clients. It is signed with a key that the host created and that
 * only the store has besides. When another host takes over, the key and all its passes become invalid.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseSetName } from '../../tools/index.ts';
import type { Token } from '../tokens/tokens.ts';

const holderSchema = z.strictObject({
  name: z.string().min(1).max(64),
  allow: z
    .string()
    .transform((name) => parseSetName(name))
    .nullable(),
  author: z.boolean(),
  /** Distinguishes clients with the same name: two fronts may each have a token `default`. */
  client: z.string().max(64),
  /** The team of the client; absent: it has none. */
  team: z.string().max(64).optional(),
});

export interface PassHolder extends Pick<Token, 'name' | 'allow' | 'author'> {
  readonly client: string;
  readonly team?: string | undefined;
}

export const createPassKey = (): string => randomBytes(32).toString('base64url');

const createHmacOf = (key: string, text: string): Buffer =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest();

const macLength = Buffer.alloc(32).toString('base64url').length;

/** Returns a pass of letters, digits, `-` and `_`. */
export function makePass(key: string, { name, allow, author, client, team }: PassHolder): string {
  // A host of an older version knows no teams.
  const teamField = team === undefined || team === '' ? {} : { team };
  const text = Buffer.from(JSON.stringify({ name, allow, author, client, ...teamField })).toString(
    'base64url',
  );
  return createHmacOf(key, text).toString('base64url') + text;
}

/** Reads a pass. Null: it is not signed with any of the keys. */
export function readPass(keys: readonly string[], pass: string): PassHolder | null {
  const mac = Buffer.from(pass.slice(0, macLength), 'base64url');
  const text = pass.slice(macLength);
  const isSigned = keys.some((key) => {
    const hmac = createHmacOf(key, text);
    return hmac.length === mac.length && timingSafeEqual(hmac, mac);
  });
  if (!isSigned) return null;
  return holderSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
}
