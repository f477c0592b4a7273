import { expect, it } from 'vitest';
import { createTextFilter } from './streamed-text.ts';

const words = 'I look at two pages.\nOne <call is no call> here, nor is a < b.\n';
const calls = '<call name="read_page">\n<arg name="page">Lamp</arg>\n</call>';

/** Cut into pieces of every length. */
it.each(Array.from({ length: 12 }, (_, n) => n + 1))(
  'shows words and no calls, in pieces of %i',
  (length) => {
    for (const [text, shown] of [
      [words + calls, words],
      [`${words}  ${calls}`, words],
      [calls, ''],
      ['{"answer": "as JSON"}.', '{"answer": "as JSON"}.'],
      [`${words}done`, `${words}done`],
    ] as const) {
      const heard = createTextFilter();
      const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
      expect(pieces.map(heard).join('').trimEnd()).toBe(shown.trimEnd());
    }
  },
);
