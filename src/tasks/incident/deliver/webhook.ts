/**
 * Sends the report as JSON to an address. The key is included, so that the receiver can recognise a repeated
 * delivery.
 */
import { describeRefusal, guardDelivery, isSuccess, sendJson } from './http.ts';
import type { Send, Sink } from './sink.ts';

export interface WebhookOptions {
  readonly url: string;
  readonly token?: string;
  readonly send: Send;
}

export function webhookSink({ url, token, send }: WebhookOptions): Sink {
  const where = URL.parse(url)?.host ?? 'the address';
  return {
    name: 'webhook',
    idempotent: true,
    deliver: ({ key, title, markdown, incident }, signal, mask) =>
      guardDelivery(token === undefined ? [] : [token], mask, async () => {
        const answer = await sendJson(
          send,
          url,
          'POST',
          { 'idempotency-key': key, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
          signal,
          { body: { key, title, markdown, incident }, readsBody: false },
        );
        return isSuccess(answer)
          ? { kind: 'delivered', where }
          : { kind: 'failed', why: describeRefusal(where, answer) };
      }),
  };
}
