/**
 * Checks messages that senders sign with a secret: HMAC with SHA-256 over the bytes as they came, each sender in its
 * own form. Where the sender also signs the time, or says when it sent, an old message is refused.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedMessage {
  readonly headers: Headers;
  readonly raw: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

interface SignatureForm {
  /** The header with the signature. */
  readonly header: string;
  /** The signatures in hexadecimal. One has to fit: senders send several while a secret is being changed. */
  signatures(headers: Headers): readonly string[];
  /** Seconds since the Unix epoch, as the header gives them. */
  time(headers: Headers): string | null;
  /** The text that is signed, before the body. */
  before(time: string | null): string;
}

/** How far clocks may differ, from the senders' examples and libraries. Milliseconds. */
const toleranceMs = 5 * 60_000;

/** SHA-256 in hexadecimal. */
const signature = /^[\da-f]{64}$/i;

const plain = (headers: Headers, name: string): readonly string[] => {
  const given = headers.get(name);
  return given === null ? [] : [given.trim()];
};

/**
 * The signature form of each sender: https://developer.pagerduty.com/docs/verifying-webhook-signatures, docs.sentry.io
 * (webhooks), grafana.com (webhook notifier).
 */
export const signing: ReadonlyMap<string, SignatureForm> = new Map<string, SignatureForm>([
  [
    'pagerduty',
    {
      header: 'x-pagerduty-signature',
      signatures: (headers) =>
        (headers.get('x-pagerduty-signature') ?? '').split(',').flatMap((one) => {
          const found = /^\s*v1=([\da-f]{64})\s*$/i.exec(one)?.[1];
          return found === undefined ? [] : [found];
        }),
      time: () => null,
      before: () => '',
    },
  ],
  [
    'sentry',
    {
      header: 'sentry-hook-signature',
      signatures: (headers) => plain(headers, 'sentry-hook-signature'),
      time: (headers) => headers.get('sentry-hook-timestamp'),
      before: () => '',
    },
  ],
  [
    'grafana',
    {
      header: 'x-grafana-alerting-signature',
      signatures: (headers) => plain(headers, 'x-grafana-alerting-signature'),
      // The name of the header is a setting of the sender; these are the defaults.
      time: (headers) =>
        headers.get('x-grafana-alerting-timestamp') ?? headers.get('x-grafana-alerting-signature-timestamp'),
      before: (time) => (time === null ? '' : `${time}:`),
    },
  ],
]);

/** Whether a request has a header with a signature of this sender, right or wrong. */
export function isSigned(sender: string, headers: Headers): boolean {
  const form = signing.get(sender);
  return form !== undefined && headers.has(form.header);
}

/** Why the signature is not valid for any of these secrets; null: it is valid. */
export function whyUnsigned(
  sender: string,
  secrets: readonly string[],
  { headers, raw, now }: SignedMessage,
): string | null {
  const form = signing.get(sender);
  const shown = form?.signatures(headers) ?? [];
  if (form === undefined || !headers.has(form.header)) return `messages of ${sender} must be signed`;
  if (!shown.some((one) => signature.test(one)))
    return `the header ${form.header} contains no signature of ${sender}: it must be ${sender === 'pagerduty' ? 'v1= and ' : ''}64 hexadecimal digits`;
  const time = form.time(headers);
  if (time !== null && !(Math.abs(Number(time) * 1_000 - now) <= toleranceMs))
    return 'the time of the message differs from the clock here by more than 5 minutes';
  const right = secrets.map((secret) =>
    createHmac('sha256', secret).update(form.before(time)).update(raw).digest('hex'),
  );
  return right.some((one) => shown.some((given) => same(one, given.toLowerCase())))
    ? null
    : 'the signature does not match this sender and message';
}

/** Identifies a signed message: the same bytes, signed for the same time, are the same delivery. */
export function deliveryOf(sender: string, { headers, raw }: Pick<SignedMessage, 'headers' | 'raw'>): string {
  const form = signing.get(sender)!;
  const hash = createHash('sha256')
    .update(form.before(form.time(headers)))
    .update(raw)
    .digest('hex');
  return `${sender} ${hash}`;
}

const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
