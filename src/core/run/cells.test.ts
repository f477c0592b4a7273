import { expect, it } from 'vitest';
import type { LoggedEvent } from '../event.ts';
import { formatCells } from './cells.ts';

const log = (calls: number): readonly LoggedEvent[] =>
  [
    { kind: 'cell_started', step: 1, node: 'root', cell: 'root/t1.1', code: 'loop()' },
    ...Array.from({ length: calls }, (_, n) => ({
      kind: 'helper_called',
      step: 1,
      node: 'root',
      cell: 'root/t1.1',
      helper: n % 2 === 0 ? 'kb_read' : 'cite',
      outcome: n === 101 ? 'error' : 'ok',
      summary: `call ${n}`,
      bytes: 10,
      wall_ms: 1,
    })),
  ].map((event, seq) => ({ seq, at: 0, event })) as never;

it('a few calls of a cell are all there', () => {
  const text = formatCells(log(60));
  expect(text.match(/^- /gm)).toHaveLength(60);
  expect(text).not.toContain('more');
});

it('of thousands the first and the last, and what the others came to', () => {
  const text = formatCells(log(2_000));
  expect(text.match(/^- /gm)).toHaveLength(51);
  expect(text).toContain('`call 39`');
  expect(text).toContain('`call 1999`');
  expect(text).toContain(
    '1950 calls more: 975 of `kb_read` (9750 bytes, 975 ms), 975 of `cite` (1 refused, 9750 bytes, 975 ms)',
  );
});
