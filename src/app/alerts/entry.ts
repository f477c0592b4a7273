/** Decides who may send a message: by a token, by the signature of its sender, or by the signature of an SNS topic. */
import { type Clock, messageOf, systemClock } from '../../core/index.ts';
import { readSecretFile } from '../config/index.ts';
import { bearerIn } from '../server/server-part.ts';
import type { AlertEntry, AlertTokenCheck } from '../tokens/alert-token-check.ts';
import { deliveryOf, isSigned, whyUnsigned } from './signatures.ts';
import { isOfSns, type snsReader } from './sns.ts';

export interface EntryOptions {
  readonly tokenCheck: Pick<AlertTokenCheck, 'check' | 'secretFiles'>;
  /** Judges messages of SNS, which come without a token. Absent: such messages are refused. */
  readonly sns?: ReturnType<typeof snsReader>;
  readonly tell: (line: string) => void;
  readonly clock?: Clock;
}

export interface Refusal {
  readonly kind: 'refused';
  readonly status: 401 | 403 | 503;
  readonly why: string;
}

/** The verified facts about the whole message. `delivery`: its id, if that is verified. */
type VerifiedMessage =
  | { readonly kind: 'alert'; readonly delivery?: string }
  | { readonly kind: 'done'; readonly what: string }
  | Refusal;

export type MessageEntry =
  | {
      readonly kind: 'message';
      readonly sender: string | undefined;
      prove(body: {
        readonly raw: Uint8Array;
        readonly text: string;
      }): Promise<VerifiedMessage> | VerifiedMessage;
    }
  | Refusal;

const refusal = (status: Refusal['status'], why: string): Refusal => ({ kind: 'refused', status, why });

const missingToken = refusal(401, 'send the header Authorization: Bearer TOKEN');
const wrongToken = refusal(403, 'this token is not for alerts');

export const refusalHeaders = (status: number): Readonly<Record<string, string>> =>
  status === 401 ? { 'www-authenticate': 'Bearer' } : status === 503 ? { 'retry-after': '30' } : {};

/** Why the holder of this token may not see the groups; null if it may. */
export function readerRefusal(entry: AlertEntry): Refusal | null {
  if (entry.kind === 'unknown') return missingToken;
  if (entry.kind === 'wrong_place') return wrongToken;
  return entry.sender === null ? null : refusal(403, `this token only sends the alerts of ${entry.sender}`);
}

/** Checks the headers. `path`: the sender that the URL names. `prove` of the result checks what needs the body. */
export function entryOf(options: EntryOptions, headers: Headers, path?: string): MessageEntry {
  const { tokenCheck, sns } = options;
  const bearer = bearerIn(headers);
  const entry = tokenCheck.check(bearer);
  if (entry.kind === 'wrong_place') return wrongToken;
  if (entry.kind === 'holder') {
    const { sender, secretFile } = entry;
    if (sender !== null && path !== undefined && sender !== path)
      return refusal(403, `this token only sends the alerts of ${sender}`);
    const by = path ?? sender ?? undefined;
    return secretFile === null
      ? { kind: 'message', sender: by, prove: () => ({ kind: 'alert' }) }
      : checkSignature(options, sender!, [secretFile], headers);
  }
  if (bearer !== null) return missingToken;
  if (path !== undefined && isSigned(path, headers)) {
    const files = tokenCheck.secretFiles(path);
    return files.length === 0 ? missingToken : checkSignature(options, path, files, headers);
  }
  if (sns === undefined || !isOfSns(headers) || (path ?? 'cloudwatch') !== 'cloudwatch') return missingToken;
  return {
    kind: 'message',
    sender: path,
    async prove({ text }) {
      const snsEntry = await sns(text);
      if (snsEntry.kind === 'alert' || snsEntry.kind === 'done') return snsEntry;
      return refusal(snsEntry.kind === 'refused' ? 401 : 503, snsEntry.why);
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
    prove({ raw }) {
      const secrets = readableSecrets(files, tell);
      if (secrets.length === 0) return refusal(503, 'the secret of this sender cannot be read here');
      const message = { headers, raw, now: clock.now() };
      const why = whyUnsigned(sender, secrets, message);
      return why === null ? { kind: 'alert', delivery: deliveryOf(sender, message) } : refusal(401, why);
    },
  };
}

/** Reads the secrets again for each message, so that a changed secret takes effect at once. */
function readableSecrets(files: readonly string[], tell: (line: string) => void): readonly string[] {
  return files.flatMap((file) => {
    try {
      return [readSecretFile(file, 'a token of a sender')];
    } catch (thrown) {
      tell(messageOf(thrown));
      return [];
    }
  });
}
