import { afterAll, describe, expect, it } from 'vitest';
import { masker } from '../../../core/index.ts';
import { bench, now, runTrial } from '../incident.contract.ts';
import { githubSink } from './github.ts';
import { gitlabSink } from './gitlab.ts';
import type { Send, Sink } from './sink.ts';
import { slackSink } from './slack.ts';
import { webhookSink } from './webhook.ts';

const { store, close } = bench();
afterAll(close);

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly redirect: string;
  readonly body: Record<string, unknown>;
}

/** An HTTP service in memory: replies in turn, and what it was sent. */
function service(...replies: readonly (readonly [number, unknown, Readonly<Record<string, string>>?])[]): {
  readonly sent: Sent[];
  readonly send: Send;
} {
  const sent: Sent[] = [];
  return {
    sent,
    async send(url, { method, headers, body, redirect }) {
      sent.push({
        url,
        method,
        headers,
        redirect,
        body: body === undefined ? {} : (JSON.parse(body) as Record<string, unknown>),
      });
      const [status, value, own = {}] = replies[Math.min(sent.length - 1, replies.length - 1)] ?? [200, {}];
      return new Response(status === 204 ? null : JSON.stringify(value), { status, headers: own });
    },
  };
}

const token = 'planted-token-0123456789';

async function reportWith(sink: Sink) {
  const { incident } = await runTrial(store, { setting: { sinks: () => [sink] } });
  return incident.deliveries[0]!;
}

describe('destinations', () => {
  it('Slack: a message, in which nobody is called', async () => {
    const { send, sent } = service([200, { ok: true }]);
    expect(await reportWith(slackSink({ token, channel: 'C1', send }))).toMatchObject({
      state: 'delivered',
      detail: 'channel C1',
    });
    expect(sent[0]).toMatchObject({ url: 'https://slack.com/api/chat.postMessage', body: { channel: 'C1' } });
    expect(String(sent[0]?.body['text'])).not.toMatch(/<[!@#]/);
  });

  it('Slack: an error is told without the token', async () => {
    const { send } = service([200, { ok: false, error: `invalid_auth ${token}` }]);
    const delivery = await reportWith(slackSink({ token, channel: 'C1', send }));
    expect(delivery.state).toBe('failed');
    expect(delivery.detail).toContain('invalid_auth');
    expect(delivery.detail).not.toContain(token);
  });

  it('what a destination says has the marks of the home, its own token, too', async () => {
    const mask = masker({ key: new Uint8Array(32), known: [token] });
    const { send } = service([200, { ok: false, error: `bad ${token} for password=hunter2` }]);
    const sink = slackSink({ token, channel: 'C1', send });
    const { incident } = await runTrial(store, { setting: { sinks: () => [sink], mask } });
    expect(incident.deliveries[0]!.detail).toContain(
      `bad ${mask.mark(token)} for ${mask.system('password=hunter2')}`,
    );
    const throwing: Sink = {
      ...sink,
      deliver: () => Promise.reject(new Error('lost with password=hunter2')),
    };
    const second = await runTrial(store, { setting: { sinks: () => [throwing], mask } });
    expect(second.incident.deliveries[0]!.detail).toBe(`lost with ${mask.system('password=hunter2')}`);
  });

  // As Slack says it: docs.slack.dev, rate limits; `ratelimited` with status 429 and Retry-After in seconds.
  it.each<[string, string, number, object]>([
    ['a short pause is kept', '0', 2, { state: 'delivered' }],
    ['a long one is told', '30', 1, { state: 'failed', detail: 'Slack answered 429: ratelimited' }],
  ])('Slack limits messages: %s', async (_, pause, requests, expected) => {
    const limited = [429, { ok: false, error: 'ratelimited' }, { 'retry-after': pause }] as const;
    const { send, sent } = service(limited, [200, { ok: true, channel: 'C1', ts: '1752235200.000100' }]);
    expect(await reportWith(slackSink({ token, channel: 'C1', send }))).toMatchObject(expected);
    expect(sent).toHaveLength(requests);
  });

  it('GitHub: our comment is found behind a page of others', async () => {
    const others = Array.from({ length: 10 }, (_, id) => ({ id, body: 'by somebody' }));
    const { send, sent } = service(
      [200, others],
      [200, [{ id: 142, body: '<!-- sonde k -->\nm' }]],
      [200, {}],
    );
    const { deliver } = githubSink({ token, issue: 'a/b#7', send });
    const report = { key: 'k', title: 't', markdown: 'm', incident: {} as never };
    expect(await deliver(report, new AbortController().signal)).toMatchObject({ kind: 'delivered' });
    expect(sent.map(({ method, url }) => `${method} ${url.split('/').at(-1)}`)).toEqual([
      'GET comments?per_page=10&page=1',
      'GET comments?per_page=10&page=2',
      'PATCH 142',
    ]);
  });

  it.each([
    ['GitHub', (send: Send) => githubSink({ token, issue: 'a/b#7', send }), 'PATCH'],
    ['GitLab', (send: Send) => gitlabSink({ token, issue: 'g/p#7', send }), 'PUT'],
  ])('%s: a comment; that with our mark is written over', async (_, make, verb) => {
    const fresh = service([200, [{ id: 1, body: 'by somebody' }]], [201, {}]);
    expect(await reportWith(make(fresh.send))).toMatchObject({ state: 'delivered' });
    expect(fresh.sent.map(({ method }) => method)).toEqual(['GET', 'POST']);
    const body = String(fresh.sent[1]?.body['body']);
    const again = service([200, [{ id: 42, body }]], [200, {}]);
    const { deliver } = make(again.send);
    const key = /<!-- sonde (\S+) -->/.exec(body)?.[1] ?? '';
    await deliver(
      { key, title: 't', markdown: 'm @everybody', incident: {} as never },
      new AbortController().signal,
    );
    expect(again.sent.map(({ method }) => method)).toEqual(['GET', verb]);
    expect(again.sent[1]?.url).toMatch(/42$/);
    expect(String(again.sent[1]?.body['body'])).not.toContain('@everybody');
  });

  it('a webhook gets the report and its key', async () => {
    const { send, sent } = service([204, {}]);
    expect(await reportWith(webhookSink({ url: 'https://hooks.test/x', token, send }))).toMatchObject({
      state: 'delivered',
      detail: 'hooks.test',
    });
    expect(sent[0]?.headers['idempotency-key']).toMatch(/^run-.*\/final$/);
    expect(sent[0]?.body).toMatchObject({ incident: { verdict: 'code_change' } });
  });
});

const sinksOver = (send: Send): readonly Sink[] => [
  slackSink({ token, channel: 'C1', send }),
  githubSink({ token, issue: 'a/b#7', send }),
  gitlabSink({ token, issue: 'g/p#7', send }),
  webhookSink({ url: 'https://hooks.test/x', token, send }),
];
const report = { key: 'k', title: 't', markdown: 'm', incident: {} as never };

describe.each([0, 1, 2, 3])('destination %i', (nth) => {
  it.each([301, 302, 303, 307, 308])('that redirects with %i gets the report no further', async (status) => {
    const { send, sent } = service([status, {}, { location: 'https://elsewhere.test/' }]);
    const sink = sinksOver(send)[nth]!;
    expect(await sink.deliver(report, new AbortController().signal)).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining(`redirects (${status}), which is not followed`),
    });
    expect(sent.map(({ redirect }) => redirect)).toEqual(['manual']);
  });

  it('that never ends its answer is left once there is too much of it', async () => {
    let [given, left] = [0, false];
    const send: Send = async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            given += 1_000_000;
            controller.enqueue(new Uint8Array(1_000_000));
          },
          cancel() {
            left = true;
          },
        }),
      );
    const { kind } = await sinksOver(send)[nth]!.deliver(report, new AbortController().signal);
    // What the webhook answers is not needed; the others have to say what came of it, or what is there already.
    expect(kind).toBe(['failed', 'failed', 'failed', 'delivered'][nth]);
    expect(left).toBe(true);
    expect(given).toBeLessThan(4_000_000);
  });
});

// incident.md: deliver 1.
it('one that fails, one that hangs and one that throws stop no other', async () => {
  const ok = service([200, {}]);
  const sinks: readonly Sink[] = [
    { name: 'throws', idempotent: true, deliver: () => Promise.reject(new Error(`boom ${now}`)) },
    { name: 'fails', idempotent: true, deliver: async () => ({ kind: 'failed', why: 'answered 500' }) },
    webhookSink({ url: 'https://hooks.test/x', send: ok.send }),
  ];
  const { incident } = await runTrial(store, { setting: { sinks: () => sinks } });
  expect(incident.deliveries.map(({ sink, state }) => [sink, state])).toEqual([
    ['throws', 'failed'],
    ['fails', 'failed'],
    ['webhook', 'delivered'],
  ]);
  expect(incident.coverage.notes.join()).toContain('did not reach fails');
});
