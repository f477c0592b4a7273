import { expect, it } from 'vitest';
import type { IncidentResult } from '../core/index.ts';
import { incidentJson } from './incident-json.ts';

it.each(['orders', null])('the first service to fail is among the fields: %j', (first_failing_service) => {
  const incident = { first_failing_service, suspects: [] } as unknown as IncidentResult;
  expect(incidentJson(incident)).toMatchObject({ first_failing_service });
});
