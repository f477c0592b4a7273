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
  /** The signatures in hexadecimal. One match suffices: senders send several while a secret is being changed. */
  signatures(headers: Headers): readonly string[];
  /** Seconds since the Unix epoch, as the header gives them. */
  time(headers: Headers): string | null;
  /** The text that is signed, before the body. */
  prefix(time: string | null): string;
}

/** How far clocks may differ, from the senders' examples and libraries. Milliseconds. */
const toleranceMs = 5 * 60_000;

/** SHA-256 in hexadecimal. */
const signaturePattern = /^[\da-f]{64}$/i;

const readHeader = (headers: Headers, name: string): readonly string[] => {
  const value = headers.get(name);
  return value === null ? [] : [value.trim()];
};

/**
 * The signature form of each sender: https://developer.pagerduty.com/docs/verifying-webhook-signatures, docs.sentry.io
 * (webhooks), grafana.com (webhook notifier).
 */
export const signatureForms: ReadonlyMap<string, SignatureForm> = new Map<string, SignatureForm>([
  [
    'pagerduty',
    {
      header: 'x-pagerduty-signature',
      signatures: (headers) =>
        (headers.get('x-pagerduty-signature') ?? '').split(',').flatMap((part) => {
          const digest = /^\s*v1=([\da-f]{64})\s*$/i.exec(part)?.[1];
          return digest === undefined ? [] : [digest];
        }),
      time: () => null,
      prefix: () => '',
    },
  ],
  [
    'sentry',
    {
      header: 'sentry-hook-signature',
      signatures: (headers) => readHeader(headers, 'sentry-hook-signature'),
      time: (headers) => headers.get('sentry-hook-timestamp'),
      prefix: () => '',
    },
  ],
  [
    'grafana',
    {
      header: 'x-grafana-alerting-signature',
      signatures: (headers) => readHeader(headers, 'x-grafana-alerting-signature'),
      // Users can choose the header's name in the sender; these are the default names.
      time: (headers) =>
        headers.get('x-grafana-alerting-timestamp') ?? headers.get('x-grafana-alerting-signature-timestamp'),
      prefix: (time) => (time === null ? '' : `${time}:`),
    },
  ],
]);

/** Whether a request has a header with a signature of this sender, right or wrong. */
export function isSigned(sender: string, headers: Headers): boolean {
  const form = signatureForms.get(sender);
  return form !== undefined && headers.has(form.header);
}

/** Why no secret confirms the signature; null: one does. */
export function whyUnsigned(
  sender: string,
  secrets: readonly string[],
  { headers, raw, now }: SignedMessage,
): string | null {
  const form = signatureForms.get(sender);
  const signatures = form?.signatures(headers) ?? [];
  if (form === undefined || !headers.has(form.header)) return `messages of ${sender} must be signed`;
  if (!signatures.some((signature) => signaturePattern.test(signature)))
    return `the header ${form.header} contains no signature of ${sender}: it must be ${sender === 'pagerduty' ? 'v1= and ' : ''}64 hexadecimal digits`;
  const time = form.time(headers);
  if (time !== null && !(Math.abs(Number(time) * 1_000 - now) <= toleranceMs))
    return 'the time of the message differs from the clock here by more than 5 minutes';
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(form.prefix(time)).update(raw).digest('hex'),
  );
  return expected.some((digest) =>
    signatures.some((givenDigest) => isSameText(digest, givenDigest.toLowerCase())),
  )
    ? null
    : 'the signature does not match this sender and message';
}

/** Identifies a signed message: the same bytes, signed for the same time, are the same delivery. */
export function toDeliveryId(
  sender: string,
  { headers, raw }: Pick<SignedMessage, 'headers' | 'raw'>,
): string {
  const form = signatureForms.get(sender)!;
  const hash = createHash('sha256')
    .update(form.prefix(form.time(headers)))
    .update(raw)
    .digest('hex');
  return `${sender} ${hash}`;
}

const isSameText = (firstText: string, secondText: string): boolean =>
  firstText.length === secondText.length && timingSafeEqual(Buffer.from(firstText), Buffer.from(secondText));
