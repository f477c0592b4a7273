/**
 * Events of RDS as its guide words them: trouble is a state of the instance with the event as its evidence, the rest is
 * none.
 */
import { describe, expect, it } from 'vitest';
import { findLineStates } from '../lines.ts';
import { rdsTrouble, rdsWell } from './rds.contract.ts';

const statesOf = (message: string) =>
  findLineStates({
    ...{ series: [], patterns: [], changes: [], spans: [], alerts: [], texts: [], tables: [] },
    lines: [
      { at: 0, service: 'orders-db', level: 'WARN', text: `RDS event: ${message}`, evidence: 'ev-event' },
    ],
  });

describe('trouble', () => {
  it.each(rdsTrouble)('RDS-EVENT-%s', (_, message, name) => {
    expect(statesOf(message)).toMatchObject([
      { condition: { name, role: 'root' }, object: 'orders-db', evidence: 'ev-event' },
    ]);
  });
});

it.each(rdsWell)('RDS-EVENT-%s: well again', (_, message) => {
  expect(statesOf(message)).toMatchObject([{ condition: { role: 'good' } }]);
});

it.each([
  ['0001', 'Backing up the DB instance.'],
  ['0002', 'Finished DB Instance backup.'],
  ['0012', 'Applying modification to database instance class.'],
  ['0016', 'The master password for the DB instance has been reset.'],
  ['0047', 'The DB instance was patched.'],
  ['0155', 'The DB instance has a DB engine minor version upgrade required.'],
  ['0230', 'The operating system update is available for your DB instance.'],
])('RDS-EVENT-%s: nothing', (_, message) => {
  expect(statesOf(message)).toEqual([]);
});
