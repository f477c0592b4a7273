import { expect, it } from 'vitest';
import { SondeError } from './errors.ts';

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
