import { expect, it } from 'vitest';
import { toolReply } from '../../core/index.ts';
import { formatToolResult } from './tool-text.ts';

const outside = (text: string) =>
  text.replace(/<sonde-material[\s\S]*?<\/sonde-material id="\w+">/g, '[block]');
const written = { write_id: 'wr-1', applied: true, content_ids: ['pg-1'] };

it.each([
  ['a whole page', toolReply('Lamp', null), '[block]'],
  [
    'a part of a list',
    toolReply('Lamp', null, { completeness: 'partial' }),
    '[block]\n(There is more than this.)',
  ],
  ['a write', toolReply('done', null, { write: written }), 'Written: wr-1.\n[block]'],
  ['a write that says so itself', toolReply('Applied (write wr-1).', null, { write: written }), '[block]'],
])('what is known of %s stands beside it once', (_what, result, shown) => {
  expect(outside(formatToolResult('tool', result))).toBe(shown);
});

it('how to get the rest is told with it; that a write was made before, or what evidence there is, is not', () => {
  const notes = ['there are more; go on with after: B', 'evidence for the first 2 of 9 hits'];
  expect(
    formatToolResult('list_pages', toolReply('A\nB', null, { completeness: 'partial', notes })),
  ).toContain('A\nB\nnote: there are more; go on with after: B\n</sonde-material');
  const again = toolReply('done', null, { write: written, notes: ['this write had been made before'] });
  expect(formatToolResult('create_page', again)).toBe(
    formatToolResult('create_page', toolReply('done', null, { write: written })),
  );
});
