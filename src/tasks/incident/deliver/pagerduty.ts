/** Adds a note to the PagerDuty incident that the alert came from, unless a note with our mark already exists. */
import { messageOf } from '../../../core/index.ts';
import { withoutMentions } from './github.ts';
import { describeMissingList, describeRefusal, guardDelivery, isSuccess, sendJson } from './http.ts';
import type { DeliveryResult, Send, Sink } from './sink.ts';

export interface PagerDutyOptions {
  readonly token: string;
  /** The mail address of the author, which PagerDuty requires. */
  readonly from: string;
  readonly send: Send;
  readonly baseUrl?: string;
}

const maxNoteLength = 20_000;
/** The id comes from a message: only a valid id may enter an address. */
const incidentId = /^[A-Za-z0-9]{4,40}$/;

export function pagerDutySink({
  token,
  from,
  send,
  baseUrl = 'https://api.pagerduty.com',
}: PagerDutyOptions): Sink {
  const headers = {
    accept: 'application/vnd.pagerduty+json;version=2',
    authorization: `Token token=${token}`,
    from,
  };
  return {
    name: 'pagerduty',
    idempotent: true,
    takes: ({ alert }) => alert?.source === 'pagerduty' && incidentId.test(alert.incident ?? ''),
    deliver: ({ key, markdown, alert }, signal, mask) =>
      guardDelivery([token], mask, async () => {
        const id = alert?.incident ?? '';
        if (!incidentId.test(id)) return { kind: 'failed', why: 'the alert names no incident' };
        const notes = `${baseUrl}/incidents/${id}/notes`;
        // Notes are plain text, so the mark that identifies them is visible.
        const mark = `(sonde ${key})`;
        const deliveryResult: DeliveryResult = { kind: 'delivered', where: `incident ${id}` };
        const isThere = async (): Promise<boolean | string> => {
          const listed = await sendJson(send, notes, 'GET', headers, signal);
          const known = (listed.json as { readonly notes?: unknown } | null)?.notes;
          if (!isSuccess(listed) || !Array.isArray(known))
            return describeMissingList('PagerDuty', listed, `incident ${id}`);
          return (known as { readonly content?: string }[]).some(({ content }) =>
            content?.trimEnd().endsWith(mark),
          );
        };
        const before = await isThere();
        if (typeof before === 'string') return { kind: 'failed', why: before };
        if (before) return deliveryResult;
        const content = `${withoutMentions(markdown).slice(0, maxNoteLength)}\n\n${mark}`;
        try {
          const body = { note: { content } };
          const httpReply = await sendJson(send, notes, 'POST', headers, signal, { body, readsBody: false });
          return isSuccess(httpReply)
            ? deliveryResult
            : { kind: 'failed', why: describeRefusal('PagerDuty', httpReply, ` for incident ${id}`) };
        } catch (thrown) {
          // The note may exist although the request failed, if only its answer was lost.
          if ((await isThere().catch(() => false)) === true) return deliveryResult;
          return { kind: 'failed', why: messageOf(thrown) };
        }
      }),
  };
}
