import { expect, it } from 'vitest';
import { openSeats } from './seats.ts';

const pause = () => new Promise((done) => setImmediate(done));

it('the one that has waited longest gives its place; who runs is waited for, but not by what it nests', async () => {
  const happened: string[] = [];
  const places = openSeats(2);
  const one = (name: string) => ({
    park: async () => {
      happened.push(`${name} parked`);
      places.leave();
    },
  });
  const [a, b] = [one('a'), one('b')];
  await places.take(false);
  await places.take(false);
  places.idle(a);
  places.idle(b);
  await places.take(false);
  expect(happened).toEqual(['a parked']);
  places.busy(b);
  const waits = places.take(false).then(() => happened.push('third came'));
  await pause();
  await places.take(true);
  expect(happened).toEqual(['a parked']);
  places.idle(b);
  await pause();
  // Three are open: one more has to leave.
  expect(happened).toEqual(['a parked', 'b parked']);
  places.leave();
  await waits;
  expect(happened).toEqual(['a parked', 'b parked', 'third came']);
});
