/** Reports as notes of PagerDuty and in threads of Slack: once each, also where an answer is lost. */
import { afterAll, describe, expect, it } from 'vitest';
import { readAlerts } from '../alert/split-message.ts';
import { bench, runTrial } from '../incident.contract.ts';
import { pagerDutySink } from './pagerduty.ts';
import { pagerDutyService, type Service, slackService } from './services.contract.ts';
import type { Report, Sink } from './sink.ts';
import { slackSink } from './slack.ts';

const { store, close } = bench();
afterAll(close);

const token = 'planted-token-0123456789';
const signal = new AbortController().signal;
const page = (id: string) =>
  JSON.stringify({
    event: {
      id: '01DEN4HPBQAAAG05V5QQYBRZMF',
      event_type: 'incident.triggered',
      occurred_at: '2026-03-05T10:24:00Z',
      data: { id, type: 'incident', title: 'checkout fails', service: { summary: 'checkout' } },
    },
  });
const about = (id: string) => readAlerts(page(id))[0]!;
const reportOf = (key: string, more: Partial<Report> = {}): Report => ({
  ...{ key, title: 't', markdown: 'It was @everybody.', incident: {} as never },
  alert: about('Q3B15VLMF3ASBD'),
  ...more,
});

const kinds: readonly (readonly [string, () => Service, (service: Service) => Sink])[] = [
  ['Slack', slackService, ({ send }) => slackSink({ token, channel: 'C0123456789', send })],
  ['PagerDuty', pagerDutyService, ({ send }) => pagerDutySink({ token, from: 'a@b.test', send })],
];

describe.each(kinds)('%s', (_name, open, over) => {
  it('gets a report once, however often it is delivered', async () => {
    const service = open();
    const sink = over(service);
    for (const again of [false, true, true])
      expect(await sink.deliver(reportOf('run-1/final', { again }), signal)).toMatchObject({
        kind: 'delivered',
      });
    expect(service.written).toHaveLength(1);
    await sink.deliver(reportOf('run-1/final-2', { again: true }), signal);
    expect(service.written).toHaveLength(2);
  });

  it('is found to have it where the answer was lost', async () => {
    const service = open();
    service.lossMode = 'answer';
    expect(await over(service).deliver(reportOf('k'), signal)).toMatchObject({ kind: 'delivered' });
    expect(service.written).toHaveLength(1);
  });

  it('has it not where the request was lost, which is told without the token', async () => {
    const service = open();
    service.lossMode = 'request';
    const came = await over(service).deliver(reportOf('k'), signal);
    expect(came).toMatchObject({ kind: 'failed', why: expect.stringContaining('refused') });
    expect(service.written).toHaveLength(0);
    service.lossMode = 'none';
    expect(await over(service).deliver(reportOf('k', { again: true }), signal)).toMatchObject({
      kind: 'delivered',
    });
    expect(service.written).toHaveLength(1);
  });
});

describe('PagerDuty', () => {
  it('the note stands on the incident that the alert came from, and calls nobody', async () => {
    const service = pagerDutyService();
    await pagerDutySink({ token, from: 'a@b.test', send: service.send }).deliver(reportOf('k'), signal);
    expect(service.written[0]).toMatchObject({ incident: 'Q3B15VLMF3ASBD' });
    expect(service.written[0]?.content).toMatch(/\(sonde k\)$/);
    expect(service.written[0]?.content).not.toContain('@everybody');
  });

  it.each([
    ['of another sender', () => readAlerts('{"alertname":"A","service":"a"}')[0]!],
    ['with an id that leads elsewhere', () => about('../users/P1')],
    ['with the address of another host', () => about('x@evil.test/')],
    ['without an id', () => about('')],
  ])('an alert %s is not for it', async (_name, alert) => {
    const service = pagerDutyService();
    const sink = pagerDutySink({ token, from: 'a@b.test', send: service.send });
    expect(sink.takes?.(reportOf('k', { alert: alert() }))).toBe(false);
    await sink.deliver(reportOf('k', { alert: alert() }), signal);
    expect(service.asked).toEqual([]);
  });

  it('an investigation of another sender does not miss it', async () => {
    const service = pagerDutyService();
    const sinks = () => [pagerDutySink({ token, from: 'a@b.test', send: service.send })];
    expect((await runTrial(store, { setting: { sinks } })).incident.deliveries).toEqual([]);
    const { incident } = await runTrial(store, { alert: page('PGR0VU2'), setting: { sinks } });
    expect(incident.deliveries).toMatchObject([{ sink: 'pagerduty', state: 'delivered' }]);
    expect(service.written[0]?.content).toContain(`(sonde ${incident.run_id}/final)`);
  });
});

describe('Slack', () => {
  it('the reports of one group are one thread, also past one that was not delivered', async () => {
    const service = slackService();
    const sinks = () => [slackSink({ token, channel: 'C0123456789', send: service.send })];
    const fire = async (before?: string) => {
      const { incident } = await runTrial(store, {
        alert: page('PGR0VU2'),
        setting: { sinks },
        ...(before !== undefined && { extra: { before } }),
      });
      return incident.run_id;
    };
    const first = await fire();
    const second = await fire(first);
    service.lossMode = 'request';
    const third = await fire(second);
    service.lossMode = 'none';
    await fire(third);
    const other = await fire();
    const [began, ...rest] = service.written;
    expect(began?.thread_ts).toBeUndefined();
    expect(rest.map(({ thread_ts: of }) => of)).toEqual([began?.ts, began?.ts, undefined]);
    expect(service.written.at(-1)?.metadata).toMatchObject({ event_payload: { key: `${other}/final` } });
  });

  it('a thread that is gone begins anew', async () => {
    const service = slackService();
    const sink = slackSink({ token, channel: 'C0123456789', send: service.send });
    const thread = async () => 'C0123456789 1772000000.000001';
    expect(await sink.deliver(reportOf('k', { thread }), signal)).toMatchObject({ kind: 'delivered' });
    expect(service.written).toMatchObject([{ channel: 'C0123456789' }]);
    expect(service.written[0]?.thread_ts).toBeUndefined();
  });

  it.each([
    ['by its name', '#incidents', null],
    ['without the right to read', 'C0123456789', 'missing_scope'],
  ])('in a channel %s nobody can tell, and it is not sent twice', async (_name, channel, unreadable) => {
    const service = slackService();
    service.unreadable = unreadable;
    const sink = slackSink({ token, channel, send: service.send });
    expect(await sink.deliver(reportOf('k', { again: true }), signal)).toMatchObject({
      kind: 'uncertain',
      why: expect.stringContaining('not sent twice'),
    });
    expect(service.written).toEqual([]);
    expect(await sink.deliver(reportOf('k'), signal)).toMatchObject({ kind: 'delivered' });
  });
});
