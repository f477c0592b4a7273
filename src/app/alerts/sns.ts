/**
 * Messages of SNS, which sends no token: each is signed by its topic, and accepted only if the configuration names that
 * topic. Two addresses in a message are fetched, only over https from the SNS host of the topic's region: the
 * certificate of the signature, and, for a new subscription, its confirmation.
 */
import { type Agent, get } from 'node:https';
import { z } from 'zod';
import { type Clock, messageOf } from '../../core/index.ts';

export interface SnsOptions {
  /** ARNs. */
  readonly topics: readonly string[];
  readonly clock: Clock;
  /** How connections are made; absent: the default of Node. */
  readonly agent?: Agent;
}

export type SnsEntry =
  /** `delivery`: the id of the message, which is the same each time it is sent. */
  | { readonly kind: 'alert'; readonly delivery: string }
  /** There is nothing to investigate: a subscription was confirmed or ended. */
  | { readonly kind: 'done'; readonly what: string }
  | { readonly kind: 'refused'; readonly why: string }
  /** Undecided: AWS did not answer when the certificate or the confirmation was fetched. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Maximum age of a message: SNS repeats it for this long. Milliseconds. */
const toleranceMs = 3_600_000;
const patienceMs = 10_000;

const message = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string().max(200),
  TopicArn: z.string().max(500),
  Message: z.string(),
  Timestamp: z.string(),
  Subject: z.string().nullish(),
  Token: z.string().optional(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
  SubscribeURL: z.string().optional(),
});

export const isSnsMessage = (headers: Headers): boolean => headers.has('x-amz-sns-message-type');

/** Returns a function that checks the text of one message. It never throws. */
export function snsReader({ topics, clock, agent }: SnsOptions): (text: string) => Promise<SnsEntry> {
  let validator: Promise<{ validate(payload: object): Promise<unknown> }> | undefined;
  const openValidator = async () => {
    const { default: Validator } = await import('sns-payload-validator');
    return new Validator({ maxCerts: 20, ...(agent !== undefined && { requestAgent: agent }) });
  };

  async function whyUnsigned(payload: object): Promise<string | null> {
    validator ??= openValidator();
    try {
      await withTimeout((await validator).validate(payload));
      return null;
    } catch (thrown) {
      // The validator caches what it fetched, even if that is no certificate, so the next message uses a new one.
      validator = undefined;
      return messageOf(thrown);
    }
  }

  return async (text) => {
    const parsedMessage = message.safeParse(parseJson(text));
    if (!parsedMessage.success) return { kind: 'refused', why: 'it is not a message of SNS' };
    const { Type, MessageId, TopicArn, Timestamp, SigningCertURL, SubscribeURL } = parsedMessage.data;
    if (!topics.includes(TopicArn))
      return { kind: 'refused', why: 'its topic is not one of alerts_sns_topics' };
    const host = `sns.${TopicArn.split(':')[3]}.amazonaws.com`;
    if (!isHttpsOn(SigningCertURL, host))
      return { kind: 'refused', why: 'its certificate is not on the SNS host of its topic' };
    if (!(Math.abs(clock.now() - Date.parse(Timestamp)) <= toleranceMs))
      return {
        kind: 'refused',
        why: 'its time differs from the clock here by more than an hour',
      };
    const why = await whyUnsigned(parsedMessage.data);
    if (why !== null)
      return /signature|SigningCertURL/i.test(why)
        ? { kind: 'refused', why: 'its signature does not match the message' }
        : { kind: 'unknown', why: `the certificate of SNS could not be read: ${why}` };
    if (Type === 'Notification') return { kind: 'alert', delivery: `sns ${TopicArn} ${MessageId}` };
    if (Type === 'UnsubscribeConfirmation') return { kind: 'done', what: 'the subscription has ended' };
    if (SubscribeURL === undefined || !isHttpsOn(SubscribeURL, host))
      return { kind: 'refused', why: 'its confirmation address is not on the SNS host of its topic' };
    const status = await requestStatus(SubscribeURL, agent).catch(messageOf);
    return status === 200
      ? { kind: 'done', what: 'the subscription is confirmed' }
      : { kind: 'unknown', why: `the subscription could not be confirmed: ${status}` };
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isHttpsOn(address: string, host: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' && url.host === host && url.username === '' && url.password === '';
}

async function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
  const timedOut = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timedOut.reject(new Error(`no answer within ${patienceMs / 1_000} s`)),
    patienceMs,
  );
  try {
    return await Promise.race([work, timedOut.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends one request, follows no redirect, and reads nothing of the body. */
const requestStatus = (address: string, agent: Agent | undefined): Promise<number> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(patienceMs);
    get(address, { signal, ...(agent !== undefined && { agent }) }, (response) => {
      response.on('error', () => {});
      response.destroy();
      resolve(response.statusCode ?? 0);
    }).on('error', reject);
  });
