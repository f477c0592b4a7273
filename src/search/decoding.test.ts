import { expect, test } from 'vitest';
import { decode, detectEncoding } from './decoding.ts';
import { listLeftOut } from './walk/left-out.ts';

const text = 'The turbine turns.\nAnother line.\n';
const wide = (big: boolean): Buffer => {
  const points = [0xfeff, ...[...text].map((point) => point.codePointAt(0)!)];
  const bytes = Buffer.alloc(points.length * 4);
  for (const [n, point] of points.entries())
    if (big) bytes.writeUInt32BE(point, n * 4);
    else bytes.writeUInt32LE(point, n * 4);
  return bytes;
};

test.each([
  ['little end first', wide(false)],
  ['big end first', wide(true)],
  ['little end first, without a mark', wide(false).subarray(4)],
  ['big end first, without a mark', wide(true).subarray(4)],
])('UTF-32, %s, is not read as something else', (_, bytes) => {
  expect(detectEncoding(bytes)).toBeNull();
  expect(decode(bytes)).toBeNull();
});

test('what is left out is named with the reason', () => {
  const skipped = { ignored: 0, binary: 1, minified: 0, huge: 0, unreadable: 1, linked: 0 };
  const stamp = { size: 1, modified: 1, changed: 1, inode: 1, crc: 1 };
  const passed = [
    { path: 'wide.md', reason: 'binary' as const, ...stamp },
    { path: 'closed.md', reason: 'unreadable' as const, ...stamp },
  ];
  expect(
    listLeftOut({ folders: [], passed } as unknown as Parameters<typeof listLeftOut>[0], skipped),
  ).toEqual([
    {
      line: 'left out: 1 that are not text, or not in an encoding that is read (wide.md)',
      needsAttention: false,
      mayHoldText: true,
    },
    { line: 'left out: 1 that could not be read (closed.md)', needsAttention: true, mayHoldText: true },
  ]);
});
