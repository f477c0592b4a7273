/**
 * Posts a message to a Slack channel (`chat.postMessage`). The reports of one group form a thread. Each message has a
 * mark in its invisible metadata, so that it is found again if the reply was lost.
 */
import { messageOf } from '../../../core/index.ts';
import { describeRefusal, guardDelivery, isSuccess, type SinkReply, sendJson } from './http.ts';
import type { DeliveryResult, Report, Send, Sink } from './sink.ts';

export interface SlackOptions {
  readonly token: string;
  /** The id or the name of the channel. Slack's API reads the messages of a channel only by its id. */
  readonly channel: string;
  readonly send: Send;
  readonly baseUrl?: string;
}

const maxTextLength = 3_500;
/** Messages per page, the newest first. */
const pageItems = 100;
const maxPages = 5;
const eventType = 'sonde_report';

interface Reply {
  readonly ok?: boolean;
  readonly error?: string;
  readonly channel?: string;
  readonly ts?: string;
  readonly messages?: readonly Message[];
  readonly response_metadata?: { readonly next_cursor?: string };
}
interface Message {
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: { readonly key?: string } };
}
/** The channel's id, and the time stamp of the message that began it. */
interface Thread {
  readonly channel: string;
  readonly ts: string;
}

export function slackSink({ token, channel, send, baseUrl = 'https://slack.com' }: SlackOptions): Sink {
  const headers = { authorization: `Bearer ${token}` };
  const toDelivered = ({ channel: id, ts }: Thread): DeliveryResult => ({
    kind: 'delivered',
    where: `channel ${channel}`,
    thread: `${id} ${ts}`,
  });

  return {
    name: 'slack',
    idempotent: true,
    deliver: (report, signal, mask) =>
      guardDelivery([token], mask, async () => {
        const thread = parseThread(await report.thread?.('slack'));
        if (report.again === true) {
          const found = await find(report.key, thread, signal);
          if (found.kind !== 'missing') return found;
        }
        try {
          return await post(report, thread, signal);
        } catch (thrown) {
          // The message may exist although the request failed, if only its answer was lost.
          const found = await find(report.key, thread, signal).catch(() => ({ kind: 'missing' }) as const);
          if (found.kind === 'delivered') return found;
          return { kind: 'failed', why: messageOf(thrown) };
        }
      }),
  };

  async function post(report: Report, thread: Thread | null, signal: AbortSignal): Promise<DeliveryResult> {
    const { title, markdown, key } = report;
    const shortMarkdown =
      markdown.length > maxTextLength ? `${markdown.slice(0, maxTextLength)}\n…` : markdown;
    const body = {
      channel: thread?.channel ?? channel,
      text: `*${escapeText(title)}*\n${escapeText(shortMarkdown)}`,
      unfurl_links: false,
      unfurl_media: false,
      metadata: { event_type: eventType, event_payload: { key } },
      ...(thread !== null && { thread_ts: thread.ts }),
    };
    const answer = await sendJson(send, `${baseUrl}/api/chat.postMessage`, 'POST', headers, signal, { body });
    const reply = toReply(answer);
    if (reply.ok === true)
      return toDelivered(thread ?? { channel: reply.channel ?? channel, ts: reply.ts ?? '' });
    // The first message was deleted or its channel archived.
    if (thread !== null && answer.status === 200 && /thread|message|channel|reply/.test(reply.error ?? ''))
      return post(report, null, signal);
    // The request succeeded, but its answer can't be read.
    if (isSuccess(answer) && reply.ok === undefined) throw new Error(describeReply(answer));
    return { kind: 'failed', why: describeReply(answer) };
  }

  /** Searches the newest messages of the thread, or of the channel if this report begins one. */
  async function find(
    key: string,
    thread: Thread | null,
    signal: AbortSignal,
  ): Promise<DeliveryResult | { readonly kind: 'missing' }> {
    const id = thread?.channel ?? channel;
    const toUncertain = (why: string): DeliveryResult => ({
      kind: 'uncertain',
      why: `the run ended while it was sent, and ${why}; it was not sent twice`,
    });
    if (!/^[CDG][A-Z0-9]{2,}$/.test(id))
      return toUncertain(`the messages of ${channel} can be read only by the channel's id`);
    let cursor = '';
    for (let page = 1; page <= maxPages; page += 1) {
      const query = new URLSearchParams({
        channel: id,
        limit: String(pageItems),
        include_all_metadata: 'true',
      });
      if (thread !== null) query.set('ts', thread.ts);
      if (cursor !== '') query.set('cursor', cursor);
      const method = thread === null ? 'history' : 'replies';
      const answer = await sendJson(
        send,
        `${baseUrl}/api/conversations.${method}?${query}`,
        'GET',
        headers,
        signal,
      );
      const { ok, messages = [], response_metadata: more } = toReply(answer);
      if (ok !== true)
        return toUncertain(`what stands in the channel cannot be asked (${describeReply(answer)})`);
      const ours = messages.find(({ metadata }) => isOurs(metadata, key));
      if (ours?.ts !== undefined)
        return toDelivered(thread ?? { channel: id, ts: ours.thread_ts ?? ours.ts });
      cursor = more?.next_cursor ?? '';
      if (cursor === '') break;
    }
    return { kind: 'missing' };
  }
}

const isOurs = (metadata: Message['metadata'], key: string): boolean =>
  metadata?.event_type === eventType && metadata.event_payload?.key === key;

const toReply = ({ json }: SinkReply): Reply =>
  typeof json === 'object' && json !== null ? (json as Reply) : {};

function describeReply(answer: SinkReply): string {
  const { error } = toReply(answer);
  return describeRefusal('Slack', answer, error === undefined ? '' : `: ${error}`);
}

function parseThread(kept: string | null | undefined): Thread | null {
  const [, channel, ts] = /^(\S+) (\d+\.\d+)$/.exec(kept ?? '') ?? [];
  return channel === undefined || ts === undefined ? null : { channel, ts };
}

/** Text from logs must not notify a person or a channel. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
