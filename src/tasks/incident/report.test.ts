/** The plan that a model is shown, and the report that a person reads. */

import { afterAll, expect, it } from 'vitest';
import { formatIncidentReport } from '../../core/incidents.ts';
import { listEvidence } from '../../core/runs.ts';
import type { ModelRequest } from '../../model/index.ts';
import {
  answer,
  bench,
  conclude,
  guiltyCommit,
  page,
  pool,
  requestKind,
  runTrial,
  signalOf,
  verdictOn,
  wasAsked,
} from './incident.contract.ts';

const { store, close } = bench();
afterAll(close);

const rows = { kind: 'table', rows: [] } as const;
const many = Object.fromEntries(
  Array.from({ length: 10 }, (_, n) => [`table_${n}`, { topic: 'database', script: { rows } } as const]),
);

// incident.md: plan_actions 1, 2.
it('ten questions are planned, each with its reason; what was left out is told with its own', async () => {
  const { incident, model } = await runTrial(store, {
    signals: [signalOf(pool, many)],
    script: answer as never,
  });
  const open = /^Planned, and not asked yet: (.*)\.$/m.exec(page(model.calls[0]!))?.[1]?.split(', ') ?? [];
  // Three of the ten were asked before the first turn.
  expect(open).toHaveLength(7);
  expect(open[0]).toBe('made_traces');
  const { events } = await runTrial(store, { signals: [signalOf(pool, many)] });
  const reasons = events.flatMap(({ event }) =>
    event.kind === 'action_started' && open.includes(event.action) ? [event.reasoning] : [],
  );
  expect(reasons).toHaveLength(7);
  for (const reason of reasons) expect(reason).toMatch(/ are looked at in every incident/);
  const far = incident.coverage.left_out.filter((line) => !line.includes('planned, and not needed'));
  expect(far).toHaveLength(4);
  for (const line of far) expect(line).toMatch(/^made_table_\d: 10 others score more/);
});

// incident.md: deliver 2.
it('the report: what is to blame, what shows it, what is unproved, empty and unchecked, and what it cost', async () => {
  const broken = { topic: 'errors', script: { fails: 'unreachable' } } as const;
  const { incident, events } = await runTrial(store, {
    signals: [signalOf(pool, { broken })],
    script: ((request: ModelRequest) =>
      requestKind(request) === 'turn' && !wasAsked(request, 'made_traces')
        ? answer(request)
        : conclude({
            ...verdictOn(page(request)),
            claims: ['orders was restarted 7 times <b>'],
          })) as never,
  });
  const text = formatIncidentReport(incident, listEvidence(events));
  const part = (title: string): string => text.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  expect(text).toMatch(/^# A code change is to blame\n/);
  expect(part('Root cause')).toMatch(/db\.SetMaxOpenConns\(10\).* \[ev-[0-9a-f]{10}\]/);
  expect(part('What shows it')).toContain('+\tdb.SetMaxOpenConns(10)');
  expect(part('Timeline, UTC')).toMatch(
    new RegExp(`- \\d\\d:\\d\\d:\\d\\d \\*\\*blamed\\*\\* commit ${guiltyCommit.slice(0, 12)}`),
  );
  expect(part('Suspects')).toContain(`1. commit ${guiltyCommit.slice(0, 12)}, score`);
  expect(part('Claimed and not shown')).toContain(
    '- not shown: orders was restarted 7 times \\<b> (it names no evidence)',
  );
  expect(part('Looked at and empty')).toContain('made_traces {}: nothing');
  expect(part('Not looked at')).toContain('made_broken: planned, and not needed for the conclusion');
  expect(part('Could not be checked')).toBe('');
  expect(part('Window, cost and end')).toMatch(/\d model calls, \d+ tokens, \$/);
  expect(part('Window, cost and end')).toContain('It ended because it reached its conclusion.');
  // No line stands in it twice.
  const lines = text.split('\n').filter((line) => /^(?:- |\d+\. )/.test(line));
  expect(new Set(lines).size).toBe(lines.length);
});
