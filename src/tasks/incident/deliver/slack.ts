/** A message in a Slack channel, by `chat.postMessage`. It cannot be asked whether a message is there already. */
import { describeAnswer, guardDelivery, sendJson } from './http.ts';
import type { Send, Sink } from './sink.ts';

export interface SlackOptions {
  readonly token: string;
  /** Its id or its name. */
  readonly channel: string;
  readonly send: Send;
  readonly baseUrl?: string;
}

const maxTextLength = 3_500;

export function slackSink({ token, channel, send, baseUrl = 'https://slack.com' }: SlackOptions): Sink {
  return {
    name: 'slack',
    idempotent: false,
    deliver: ({ title, markdown }, signal, mask) =>
      guardDelivery([token], mask, async () => {
        const text = `*${escapeText(title)}*\n${escapeText(markdown.length > maxTextLength ? `${markdown.slice(0, maxTextLength)}\n…` : markdown)}`;
        const answer = await sendJson(
          send,
          `${baseUrl}/api/chat.postMessage`,
          'POST',
          { authorization: `Bearer ${token}` },
          signal,
          { body: { channel, text, unfurl_links: false, unfurl_media: false } },
        );
        const reply = (answer.json ?? {}) as { ok?: boolean; error?: string };
        return reply.ok === true
          ? { kind: 'delivered', where: `channel ${channel}` }
          : {
              kind: 'failed',
              why: describeAnswer('Slack', answer, reply.error === undefined ? '' : `: ${reply.error}`),
            };
      }),
  };
}

/** No text of a log may call a person or a channel. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
