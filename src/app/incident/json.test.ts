import { expect, it } from 'vitest';
import type { IncidentResult } from '../../core/index.ts';
import { checkedIncident, incidentJson } from './json.ts';

const result = { status: 'partial' } as const;

it.each(['orders', null])('the first service to fail is among the fields: %j', (first_failing_service) => {
  const incident = { first_failing_service, suspects: [] } as unknown as IncidentResult;
  expect(incidentJson(incident, result)).toMatchObject({ first_failing_service });
});

it('what an earlier version kept has the fields that came later, empty', () => {
  const old = {
    verdict: 'code_change',
    root_cause_category: 'pool size',
    suspects: [],
  } as unknown as IncidentResult;
  expect(incidentJson(old, result)).toMatchObject({
    verdict: 'code_change',
    root_cause_category: 'pool size',
    confidence: null,
    blamed: null,
    links: [],
    window: null,
  });
});

it('times of the window are told as those of the timeline are', () => {
  const window = { from: 0, to: 60_000, baseline_from: -60_000, derivation: 'a test' };
  const { window: told } = incidentJson({ window, suspects: [] } as unknown as IncidentResult, result);
  expect(told).toEqual({
    from: '1970-01-01T00:00:00.000Z',
    to: '1970-01-01T00:01:00.000Z',
    baseline_from: '1969-12-31T23:59:00.000Z',
    derivation: 'a test',
  });
});

it('its status is what its claims came to', () => {
  expect(incidentJson({ suspects: [] } as unknown as IncidentResult, result)).toMatchObject({
    status: 'partial',
  });
});

it('its claims stand in the form of every kind of run, as the command and the library give them', () => {
  const claims = [{ text: 'It fell.', verdict: 'not shown', evidence: ['ev-1'], flags: [] }] as const;
  const incident = { suspects: [] } as unknown as IncidentResult;
  const [told, given] = [incidentJson, checkedIncident].map((form) =>
    form(incident, { ...result, claims, claim_counts: { 'not shown': 3 } }),
  );
  expect(told).toMatchObject({ claims, claim_counts: { 'not shown': 3 } });
  expect(given).toMatchObject({ status: 'partial', claims, claim_counts: { 'not shown': 3 } });
});
