/** Slack and PagerDuty in memory, as they answer a client that writes reports. Writes are kept. */
import type { Send } from './sink.ts';

export interface Written {
  readonly channel?: string;
  readonly thread_ts?: string;
  readonly ts?: string;
  readonly text?: string;
  readonly content?: string;
  readonly incident?: string;
  readonly metadata?: unknown;
}

export interface Service {
  readonly send: Send;
  /** Messages or notes, in the order in which they were written. */
  readonly written: Written[];
  /** `METHOD path`, of each request. */
  readonly asked: string[];
  /** What is lost when a client writes. */
  lossMode: 'none' | 'answer' | 'request';
  /** The error with which Slack answers a read; null: none. */
  unreadable: string | null;
}

const json = (status: number, value: unknown): Response => new Response(JSON.stringify(value), { status });

function serviceOf(answer: (service: Service, method: string, url: URL, body: string) => Response): Service {
  const service: Service = {
    written: [],
    asked: [],
    lossMode: 'none',
    unreadable: null,
    async send(address, { method, body = '{}' }) {
      const url = new URL(address);
      service.asked.push(`${method} ${url.pathname}`);
      if (method === 'POST' && service.lossMode === 'request') throw new Error('the connection was refused');
      const said = answer(service, method, url, body);
      if (method === 'POST' && service.lossMode === 'answer') throw new Error('the connection was reset');
      return said;
    },
  };
  return service;
}

/** docs.slack.dev: chat.postMessage, conversations.history, conversations.replies. */
export const slackService = (): Service =>
  serviceOf((service, method, url, body) => {
    const { written } = service;
    if (method === 'POST') {
      const message = JSON.parse(body) as Written;
      if (message.thread_ts !== undefined && !written.some(({ ts }) => ts === message.thread_ts))
        return json(200, { ok: false, error: 'thread_not_found' });
      const ts = `1772706240.${String(written.length + 1).padStart(6, '0')}`;
      written.push({ ...message, ts });
      return json(200, { ok: true, channel: 'C0123456789', ts });
    }
    if (service.unreadable !== null) return json(200, { ok: false, error: service.unreadable });
    const thread = url.searchParams.get('ts');
    const messages = written.filter(({ ts, thread_ts: of }) =>
      thread === null ? of === undefined : ts === thread || of === thread,
    );
    return json(200, { ok: true, messages, response_metadata: { next_cursor: '' } });
  });

/** developer.pagerduty.com: POST and GET /incidents/{id}/notes. */
export const pagerDutyService = (): Service =>
  serviceOf(({ written }, method, url, body) => {
    const incident = url.pathname.split('/')[2]!;
    if (method === 'GET') return json(200, { notes: written.filter((note) => note.incident === incident) });
    const { note } = JSON.parse(body) as { readonly note: { readonly content: string } };
    written.push({ ...note, incident });
    return json(201, { note });
  });
