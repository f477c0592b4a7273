import { expect, it } from 'vitest';
import { manualClock } from '../../core/index.ts';
import { openIntake } from './alerts.contract.ts';
import { storeCheck } from './store-ready.ts';

it('says that the store refuses writes, and that it takes them again', async () => {
  const { db, records } = openIntake();
  const clock = manualClock(1_000);
  const told: string[] = [];
  const ready = storeCheck(records, clock, (line) => told.push(line));
  expect(await ready()).toBeNull();
  db.run("CREATE TRIGGER full BEFORE INSERT ON alert_deliveries BEGIN SELECT RAISE(ABORT, 'no space'); END");
  // Looked at a moment ago.
  expect(await ready()).toBeNull();
  clock.advance(1_000);
  expect(await ready()).toBe('the store refuses writes');
  expect(told).toEqual([expect.stringContaining('no space')]);
  db.run('DROP TRIGGER full');
  clock.advance(1_000);
  expect(await ready()).toBeNull();
});
