/** Decides who may send a message: by a token, by the signature of its sender, or by the signature of an SNS topic. */
import { type Clock, messageOf, systemClock } from '../../core/index.ts';
import { readSecretFile } from '../config/index.ts';
import { readBearer } from '../server/server-part.ts';
import type { AlertEntry, AlertTokenCheck } from '../tokens/alert-token-check.ts';
import { isSigned, toDeliveryId, whyUnsigned } from './signatures.ts';
import { isSnsMessage, type snsReader } from './sns.ts';

export interface EntryOptions {
  readonly tokenCheck: Pick<AlertTokenCheck, 'check' | 'secretFiles'>;
  /** Checks messages of SNS, which have no token. Absent: they are refused. */
  readonly sns?: ReturnType<typeof snsReader>;
  readonly tell: (line: string) => void;
  readonly clock?: Clock;
}

export interface Refusal {
  readonly kind: 'refused';
  readonly status: 401 | 403 | 503;
  readonly why: string;
}

/** The result of verifying a whole message. `delivery`: its id, if a signature covers it. */
type VerifiedMessage =
  | { readonly kind: 'alert'; readonly delivery?: string }
  | { readonly kind: 'done'; readonly what: string }
  | Refusal;

export type MessageEntry =
  | {
      readonly kind: 'message';
      readonly sender: string | undefined;
      verify(body: {
        readonly raw: Uint8Array;
        readonly text: string;
      }): Promise<VerifiedMessage> | VerifiedMessage;
    }
  | Refusal;

const toRefusal = (status: Refusal['status'], why: string): Refusal => ({ kind: 'refused', status, why });

const missingTokenRefusal = toRefusal(401, 'send the header Authorization: Bearer TOKEN');
const wrongTokenRefusal = toRefusal(403, 'this token is not for alerts');

export const refusalHeaders = (status: number): Readonly<Record<string, string>> =>
  status === 401 ? { 'www-authenticate': 'Bearer' } : status === 503 ? { 'retry-after': '30' } : {};

/** The refusal for a holder who may not list groups; null: the holder may. */
export function checkReader(entry: AlertEntry): Refusal | null {
  if (entry.kind === 'unknown') return missingTokenRefusal;
  if (entry.kind === 'wrong_place') return wrongTokenRefusal;
  return entry.sender === null ? null : toRefusal(403, `this token only sends the alerts of ${entry.sender}`);
}

/** Checks the headers. `path`: the sender that the URL names. `verify` of the result checks the body. */
export function checkHeaders(options: EntryOptions, headers: Headers, path?: string): MessageEntry {
  const { tokenCheck, sns } = options;
  const bearer = readBearer(headers);
  const entry = tokenCheck.check(bearer);
  if (entry.kind === 'wrong_place') return wrongTokenRefusal;
  if (entry.kind === 'holder') {
    const { sender, secretFile } = entry;
    if (sender !== null && path !== undefined && sender !== path)
      return toRefusal(403, `this token only sends the alerts of ${sender}`);
    const senderName = path ?? sender ?? undefined;
    return secretFile === null
      ? { kind: 'message', sender: senderName, verify: () => ({ kind: 'alert' }) }
      : checkSignature(options, sender!, [secretFile], headers);
  }
  if (bearer !== null) return missingTokenRefusal;
  if (path !== undefined && isSigned(path, headers)) {
    const files = tokenCheck.secretFiles(path);
    return files.length === 0 ? missingTokenRefusal : checkSignature(options, path, files, headers);
  }
  if (sns === undefined || !isSnsMessage(headers) || (path ?? 'cloudwatch') !== 'cloudwatch')
    return missingTokenRefusal;
  return {
    kind: 'message',
    sender: path,
    async verify({ text }) {
      const snsEntry = await sns(text);
      if (snsEntry.kind === 'alert' || snsEntry.kind === 'done') return snsEntry;
      return toRefusal(snsEntry.kind === 'refused' ? 401 : 503, snsEntry.why);
    },
  };
}

function checkSignature(
  { clock = systemClock, tell }: EntryOptions,
  sender: string,
  files: readonly string[],
  headers: Headers,
): MessageEntry {
  return {
    kind: 'message',
    sender,
    verify({ raw }) {
      const secrets = readSecrets(files, tell);
      if (secrets.length === 0) return toRefusal(503, 'the secret of this sender cannot be read here');
      const message = { headers, raw, now: clock.now() };
      const reason = whyUnsigned(sender, secrets, message);
      return reason === null
        ? { kind: 'alert', delivery: toDeliveryId(sender, message) }
        : toRefusal(401, reason);
    },
  };
}

/** Reads the secrets again for each message, so that a changed secret takes effect at once. */
function readSecrets(files: readonly string[], tell: (line: string) => void): readonly string[] {
  return files.flatMap((file) => {
    try {
      return [readSecretFile(file, 'a token of a sender')];
    } catch (thrown) {
      tell(messageOf(thrown));
      return [];
    }
  });
}
