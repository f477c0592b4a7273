/** Checks who may send alerts: holders of a token for alerts, and of the key that is configured for all senders. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Directories } from '../config/index.ts';
import { openTokens } from './open-tokens.ts';
import { openTokenCheck } from './token-check.ts';

export type AlertEntry =
  | {
      readonly kind: 'holder';
      /** The only sender it may send as; null: any, and it may list the groups. */
      readonly sender: string | null;
      /** Messages are accepted only if they are signed with the secret in this file. */
      readonly secretFile: string | null;
    }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wrong_place' };

export interface AlertTokenCheck {
  check(bearerToken: string | null): AlertEntry;
  /** The files with the secrets of this sender. A message that is signed with one needs no token. */
  secretFiles(sender: string): readonly string[];
  /** A line that says where to get a token; null: senders use the configured key. */
  readonly hint: string | null;
  close(): void;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const anySender: AlertEntry = { kind: 'holder', sender: null, secretFile: null };

/** `key`: the setting `alerts_token`. If it is empty and no token exists, one is created. */
export function openAlertTokenCheck(directories: Pick<Directories, 'data'>, key: string): AlertTokenCheck {
  const hasKey = key !== '';
  const tokenCheck = openTokenCheck({
    directories,
    place: { kind: 'alerts' },
    serverSet: null,
    createsToken: !hasKey,
  });
  const tokens = openTokens(directories);
  return {
    // Compares in constant time, so that the time reveals nothing about the key.
    check(bearerToken) {
      if (hasKey && timingSafeEqual(digest(bearerToken ?? ''), digest(key))) return anySender;
      const entry = tokenCheck.check(bearerToken);
      if (entry.kind !== 'holder') return entry;
      const { sender, secretFile } = entry.token;
      return { kind: 'holder', sender, secretFile };
    },
    secretFiles: (sender) =>
      tokens
        .list()
        .flatMap(({ place, secretFile, sender: tokenSender }) =>
          place.kind === 'alerts' && tokenSender === sender && secretFile !== null ? [secretFile] : [],
        ),
    hint: hasKey ? null : tokenCheck.hint,
    close() {
      tokens.close();
      tokenCheck.close();
    },
  };
}
