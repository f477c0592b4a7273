import { expect, it } from 'vitest';
import { parseSchedule } from './schedules.ts';

it('waits for no event that a workspace never tells of', () => {
  expect(parseSchedule('s', 'Tidy up.', { on: ['create_page', 'promote'] }).trigger).toEqual({
    kind: 'event',
    names: ['create_page', 'promote'],
  });
  for (const on of [['no_such_event'], ['create_page', 'page.saved'], ['Create_Page'], ['constructor']])
    expect(() => parseSchedule('s', 'Tidy up.', { on })).toThrow(/it would never start/);
});
