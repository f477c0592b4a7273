/** Who may send alerts: holders of a token for alerts, and of the key that is configured for all senders. */
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
  check(shown: string | null): AlertEntry;
  /** Files with the secrets of this sender: whoever signs with one needs no token. */
  secretFiles(sender: string): readonly string[];
  /** For people: where to get a token; null if senders use the configured key. */
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
    // Takes the same time whatever is wrong with the token.
    check(shown) {
      if (hasKey && timingSafeEqual(digest(shown ?? ''), digest(key))) return anySender;
      const entry = tokenCheck.check(shown);
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
