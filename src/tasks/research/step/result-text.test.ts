import { describe, expect, it } from 'vitest';
import { createEvidence, type Evidence } from '../../../core/index.ts';
import { resultText } from './result-text.ts';

const piece = (start: number, end: number, path = 'src/a.ts'): Evidence =>
  createEvidence({
    file_path: path,
    start_line: start,
    end_line: end,
    content: Array.from({ length: end - start + 1 }, (_, n) => `const line${start + n} = 1;`).join('\n'),
    reason: 'test',
    provenance: 'manual',
  });
const done = (...items: readonly Evidence[]) => ({
  summary: 'read lines',
  completeness: 'complete' as const,
  text: '',
  notes: [],
  evidence: items,
});
const showing = (seen: readonly Evidence[], tokens = 4_000) => ({
  tokens,
  seenIds: new Set(seen.map(({ id }) => id)),
  runEvidence: seen,
  isRequested: true,
});

describe('a line is shown once', () => {
  it('of a piece that overlaps with what is seen, the rest', () => {
    const { text, ids } = resultText(done(piece(8, 14)), showing([piece(1, 10)]));
    expect(text).toContain('… 8-10 shown above\n11| const line11 = 1;');
    expect(text).not.toContain('const line10');
    expect(ids).toEqual([piece(8, 14).id]);
  });
  it('of two in one result, too', () => {
    const { text } = resultText(done(piece(1, 10), piece(5, 12)), showing([]));
    expect(text.match(/const line7 /g)).toHaveLength(1);
    expect(text).toContain('12| const line12 = 1;');
  });
  it('of one that is seen whole, nothing but where', () => {
    const { text } = resultText(done(piece(3, 4)), showing([piece(1, 2), piece(3, 6)]));
    expect(text).toContain(`${piece(3, 4).id} src/a.ts:3-4: shown above`);
    expect(text).not.toContain('const line3');
  });
  it('but of the same lines of another file all', () => {
    expect(resultText(done(piece(3, 4, 'src/b.ts')), showing([piece(1, 9)])).text).toContain('const line3');
  });
});

it('what was asked for is never answered by the advice to ask for it', () => {
  const { text, ids } = resultText(done(piece(1, 100)), showing([], 0));
  expect(text).toContain('20| const line20 = 1;');
  expect(text).toContain('… 21-100 do not fit here: open them by themselves');
  expect(ids).toEqual([]);
});

it('what stands in the list is not shown beside it', () => {
  const item = piece(3, 4);
  const { text } = resultText({ ...done(item), text: `${item.id} 3| const`, inText: [item.id] }, showing([]));
  expect(text).toMatch(/^read lines \(complete\)\n/);
  expect(text).not.toContain('source="ev-');
});

it('of a piece that was not asked for by its place no more is shown than there is room for', () => {
  const item = piece(1, 100);
  const { text, ids } = resultText(done(item), { ...showing([], 0), isRequested: false });
  expect(text).toContain(`${item.id} src/a.ts:1-100: open_span shows it`);
  expect(text).not.toContain('const line1');
  expect(ids).toEqual([]);
});
