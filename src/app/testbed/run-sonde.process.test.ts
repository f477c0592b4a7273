import { expect, it } from 'vitest';
import { startSonde } from './run-sonde.ts';

it('a wait for what a process says ends with it', async () => {
  const { waitFor: until } = startSonde(['no-such-command']);
  await expect(until((said) => /http:\S+/.exec(said))).rejects.toThrow('no-such-command');
});

it('a wait gives what was found, also where the process is gone by then', async () => {
  const { waitFor: until, ended } = startSonde(['--version']);
  await ended;
  expect(await until((said) => /\d+\.\d+\.\d+/.exec(said)?.index)).toBe(0);
});
