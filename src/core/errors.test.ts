import { expect, it } from 'vitest';
import { appendRemedy, SondeError } from './errors.ts';

it('says what helps: what it was given, and of a bug that it is one', () => {
  const [bug, known, bare] = [
    new SondeError('internal', { message: 'Two is one' }),
    new SondeError('internal', { message: 'Two is one', remedy: 'Count again.' }),
    new SondeError('cancelled', { message: 'It was cancelled', details: { at: 3 } }),
  ];
  expect(bug!.remedy).toMatch(/bug of Sonde: report it/);
  expect(known!.remedy).toBe('Count again.');
  expect(JSON.parse(JSON.stringify(bare))).toEqual({
    code: 'cancelled',
    message: 'It was cancelled',
    details: { at: 3 },
  });
});

it('a message and its remedy stand apart in one line', () => {
  const line = (message: string, remedy: string) => appendRemedy({ message, remedy });
  expect(line('the answer is longer than 9 bytes', 'Choose another.')).toBe(
    'the answer is longer than 9 bytes. Choose another.',
  );
  expect(line('It is over!', 'Go on.')).toBe('It is over! Go on.');
  expect(line('It is over. ', '')).toBe('It is over.');
  expect(line('It is over', '')).toBe('It is over');
});
