/** What is kept of what is sent, and which groups it makes. */

import { describe, expect, it } from 'vitest';
import { masker } from '../../core/index.ts';
import { alertLimits, splitMessage } from '../../tasks/incident/index.ts';
import { alert, openIntake, openIntakeIn, quietMs } from './alerts.contract.ts';
import { groupTopic, toGroup } from './groups.ts';

const states = ({ taken }: { readonly taken: readonly { readonly state: string }[] }) =>
  taken.map(({ state }) => state);

describe('the queue', () => {
  it('one investigation for one group, and every alert is kept', async () => {
    const { receive, groups } = openIntake();
    expect(states(await receive(alert('A', { pod: 'a-1' })))).toEqual(['opened']);
    expect(states(await receive(alert('A', { pod: 'a-2' })))).toEqual(['joined']);
    expect(states(await receive(alert('B')))).toEqual(['opened']);
    expect((await receive(alert('A', { status: 'resolved' }))).taken).toMatchObject([
      { index: 0, group: 1, state: 'resolved' },
    ]);
    expect((await receive(alert('C', { status: 'resolved' }))).taken).toMatchObject([
      { index: 0, group: null, state: 'resolved' },
    ]);
    expect(await groups.counts()).toMatchObject({ alerts: 5, waiting: 2 });
  });

  it('after an investigation it is quiet for a while', async () => {
    const { receive, clock, jobs, start } = openIntake();
    await receive(alert('A'));
    await jobs.settle(await start('run-1'), { kind: 'done' });
    expect(states(await receive(alert('A')))).toEqual(['joined']);
    clock.advance(quietMs + 1);
    expect(states(await receive(alert('A')))).toEqual(['opened']);
  });

  it('what is over and fires again is a group of its own, which knows the investigation before it', async () => {
    const { receive, jobs, start, groups } = openIntake();
    await receive(alert('A', { pod: 'a-1' }));
    await jobs.settle(await start('run-1'), { kind: 'done' });
    expect(states(await receive(alert('A', { status: 'resolved' })))).toEqual(['resolved']);
    expect((await groups.list({ max: 1 })).groups).toMatchObject([{ id: 1, closed: true, alerts: 2 }]);
    expect((await receive(alert('A'))).taken).toMatchObject([{ group: 2, state: 'opened' }]);
    const [claim] = await jobs.claim({ topic: groupTopic, max: 1 });
    expect(toGroup(claim!.job)).toMatchObject({ id: 2, before: 'run-1' });
  });

  it('is not over while one of its alerts fires', async () => {
    const { receive, jobs, start, groups } = openIntake();
    const fired = (n: number, status = 'firing') =>
      JSON.stringify({ alerts: [{ status, labels: { alertname: 'A' }, fingerprint: `f${n}` }] });
    for (const n of [1, 2]) await receive(fired(n));
    await jobs.settle(await start('run-1'), { kind: 'done' });
    await receive(fired(1, 'resolved'));
    expect((await groups.list({ max: 1 })).groups).toMatchObject([{ closed: false }]);
    expect(states(await receive(fired(1)))).toEqual(['joined']);
    for (const n of [1, 2]) await receive(fired(n, 'resolved'));
    expect(states(await receive(fired(2)))).toEqual(['opened']);
  });

  it('a note starts nothing, and is kept with what it is about', async () => {
    const { receive, groups } = openIntake();
    const told = (event_type: string) =>
      JSON.stringify({ event: { event_type, data: { id: 'P1', title: 'slow', service: { summary: 'a' } } } });
    expect((await receive(told('incident.acknowledged'))).taken).toMatchObject([
      { group: null, state: 'noted' },
    ]);
    await receive(told('incident.triggered'));
    expect((await receive(told('incident.annotated'))).taken).toMatchObject([{ group: 1, state: 'noted' }]);
    expect(await groups.counts()).toMatchObject({ alerts: 3, waiting: 1 });
  });

  it('what is over or noted in other words is with its beginning', async () => {
    const { receive } = openIntake();
    const incident = { id: 'P1', title: 'slow', service: { summary: 'a' } };
    const told = (event_type: string, data: object) => JSON.stringify({ event: { event_type, data } });
    await receive(told('incident.triggered', incident));
    const note = { id: 'N1', content: 'I look', incident: { id: 'P1', summary: 'slow' } };
    expect((await receive(told('incident.annotated', note))).taken).toMatchObject([{ group: 1 }]);
    const renamed = told('incident.resolved', { ...incident, title: 'slow since the release' });
    expect((await receive(renamed)).taken).toMatchObject([{ group: 1, state: 'resolved' }]);
    const other = told('incident.resolved', { ...incident, id: 'P2', title: 'another' });
    expect((await receive(other)).taken).toMatchObject([{ group: null, state: 'resolved' }]);
  });

  it('a full queue takes what joins a group or ends it, and refuses the rest by its place', async () => {
    const { receive, groups } = openIntake({ max: 2 });
    await receive(alert('A'));
    const many = ['B', 'C', 'A', 'D'].map((alertname) => ({ alertname, service: 'orders' }));
    const receipt = await receive(JSON.stringify([...many, { ...many[1], status: 'resolved' }]));
    expect(receipt.taken.map(({ index, state }) => [index, state])).toEqual([
      [0, 'opened'],
      [2, 'joined'],
      [4, 'resolved'],
    ]);
    expect(receipt.refused.map(({ index, code }) => [index, code])).toEqual([
      [1, 'full'],
      [3, 'full'],
    ]);
    expect(await groups.counts()).toMatchObject({ alerts: 4, waiting: 2 });
  });

  it('the same secret has the same mark in each alert', async () => {
    const mask = masker({ key: new Uint8Array(32), known: [] });
    const { db } = openIntake();
    const { receive } = openIntakeIn(db, { mask });
    const secrets = ['Wq8!zP4#rTx1', 'Wq8!zP4#rTx1', 'another-9fK2!'];
    for (const [nth, secret] of secrets.entries())
      await receive(alert(`A${nth}`, { summary: `password=${secret}` }));
    const sent = db.all('SELECT sent FROM alerts ORDER BY id').map((row) => String(row['sent']));
    const marks = sent.map((text) => /\[secret:password:[0-9a-f]{6}\]/.exec(text)?.[0]);
    expect(marks[0]).toMatch(/^\[secret:/);
    expect(marks[1]).toBe(marks[0]);
    expect(marks[2]).not.toBe(marks[0]);
    expect(sent.join()).not.toMatch(/zP4|9fK2/);
  });

  it('secrets are masked before they are kept', async () => {
    const { receive, db } = openIntake();
    await receive(alert('A', { summary: 'password=hunter2hunter2' }));
    expect(
      JSON.stringify([db.all('SELECT * FROM alerts'), db.all('SELECT * FROM queue_jobs')]),
    ).not.toContain('hunter2hunter2');
  });

  it.each([
    ['without a name', (place: string) => ({ crash: 'out of memory', region: place })],
    [
      'of CloudWatch by SNS',
      (place: string) => ({
        Type: 'Notification',
        MessageId: '0f8fad5b-d9cb-469f-a165-70867728950e',
        Subject: `ALARM: "errors" in ${place}`,
      }),
    ],
    [
      'of Alertmanager with labels alone',
      (place: string) => ({ alerts: [{ labels: { service: 'a', region: place } }] }),
    ],
    [
      'of PagerDuty without a title',
      (place: string) => ({
        event: { event_type: 'incident.triggered', data: { body: { details: { host: place } } } },
      }),
    ],
    ['as a text', (place: string) => `disk is full on ${place}`],
  ])('of alerts %s, each trouble is a group of its own, and told again it joins it', async (_, make) => {
    const { receive } = openIntake();
    for (const place of ['eu-1', 'eu-2', 'us-1', '10.0.0.1', '10.0.0.2']) {
      const sent = make(place);
      const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
      expect(states(await receive(body))).toEqual(['opened']);
      expect(states(await receive(body))).toEqual(['joined']);
    }
  });

  it('what is told again with another time, value and id is the same', async () => {
    const { receive } = openIntake();
    const told = (value: number, at: string, id: string) =>
      JSON.stringify({ MessageId: id, detail: `errors at ${value}% since ${at} on web-3`, at, value });
    await receive(told(91, '2026-03-05T10:24:00Z', '0f8fad5b-d9cb-469f-a165-70867728950e'));
    expect(
      states(await receive(told(97.5, '2026-03-05T11:02:13.5Z', '7c9e6679-7425-40de-944b-e07fc1f90ae7'))),
    ).toEqual(['joined']);
  });

  it('neighbours of what is nothing are taken', async () => {
    const { receive } = openIntake();
    const receipt = await receive(
      '[{"alertname":"A"}, null, {}, [], "", "disk is full", 42, [{"alertname":"B"}]]',
    );
    expect(receipt.refused.map(({ index, code }) => [index, code])).toEqual(
      [1, 2, 3, 4].map((n) => [n, 'empty']),
    );
    expect(receipt.taken.map(({ index }) => index)).toEqual([0, 5, 6, 7]);
  });

  it('neighbours of what the database refuses are taken', async () => {
    const { receive, db, groups } = openIntake();
    db.run(
      "CREATE TRIGGER refuses BEFORE INSERT ON alerts WHEN NEW.sent LIKE '%poison%' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const receipt = await receive(`[${alert('A')}, ${alert('poison')}, ${alert('B')}]`);
    expect(receipt.taken.map(({ index }) => index)).toEqual([0, 2]);
    expect(receipt.refused).toMatchObject([{ index: 1, code: 'not_kept' }]);
    // Of the one that was refused nothing is investigated, and sent again it is not taken for one that is there.
    expect((await groups.list({ max: 9 })).groups.map(({ title }) => title)).toEqual([
      'B (orders)',
      'A (orders)',
    ]);
    db.run('DROP TRIGGER refuses');
    expect(states(await receive(alert('poison')))).toEqual(['opened']);
  });

  it(`of more than ${alertLimits.alerts} alerts the rest is refused, and told`, async () => {
    const { receive, groups } = openIntake();
    const receipt = await receive(`[${'42,'.repeat(1_000_000)}7]`);
    expect(receipt.taken).toHaveLength(alertLimits.alerts);
    expect(receipt.refused).toMatchObject([
      { index: alertLimits.alerts, through: 1_000_000, code: 'too_many' },
    ]);
    expect((await groups.counts()).alerts).toBe(alertLimits.alerts);
  });

  it('10,000 alerts in one message are 10,000 alerts', async () => {
    const { receive, groups } = openIntake({ max: 100_000 });
    const all = Array.from({ length: 10_000 }, (_, n) => ({ labels: { alertname: `A${n}` } }));
    expect((await receive(JSON.stringify({ status: 'firing', alerts: all }))).taken).toHaveLength(10_000);
    expect(await groups.counts()).toMatchObject({ alerts: 10_000, waiting: 10_000 });
  });

  it.each([
    ['long', { text: 'x'.repeat(1_000_000) }],
    ['with a long name', { alertname: 'N'.repeat(1_000_000) }],
    ['long, in a list', [{ text: 'x'.repeat(1_000_000) }, { text: 'y'.repeat(1_000_000) }]],
    ['with a time that is none', { alertname: 'A', fired_at: 1e300 }],
    ['with a time before all times', { alertname: 'A', fired_at: 1e-9, resolved_at: -8.64e18 }],
    [
      'with names of the language',
      JSON.parse('{"__proto__": "x", "constructor": {"a": 1}, "toString": "y"}'),
    ],
    ['with half a character', { alertname: 'A\ud800', service: '\udfff' }],
    ['with an empty byte', { alertname: 'A\u0000B', service: '\u0000' }],
  ])('one %s is kept, short enough to be investigated', async (_, sent) => {
    const { receive, db, groups } = openIntake();
    const receipt = await receive(JSON.stringify(sent));
    expect(receipt.refused).toEqual([]);
    for (const row of db.all('SELECT sent FROM alerts')) {
      expect(String(row['sent']).length).toBeLessThanOrEqual(alertLimits.characters);
      expect(splitMessage(String(row['sent'])).parts).toMatchObject([{ kind: 'alert' }]);
    }
    for (const { title } of (await groups.list({ max: 9 })).groups)
      expect(title.length).toBeLessThanOrEqual(300);
  });
});
