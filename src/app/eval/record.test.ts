import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Header, openRecordFile, type RowRecord, readRecord } from './record.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-record-'));
  path = join(folder, 'out.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const header: Header = {
  kind: 'evaluation',
  version: 1,
  sonde: { version: '0', commit: null, program: 'p', asked: 'here' },
  set: { name: 'set', hash: 'h', rows: 2 },
  models: ['m'],
  baseline: false,
  settings: { steps: 5 },
  started: '2026-01-01T00:00:00.000Z',
};
const row = (id: string) => ({ kind: 'row', id, model: 'm' }) as unknown as RowRecord;

function written(...lines: Parameters<ReturnType<typeof openRecordFile>['append']>[0][]): void {
  const file = openRecordFile(path, header, false);
  for (const line of lines) file.append(line);
  file.close();
}

it('is gone on with where it was cut, and a question that was begun is known', () => {
  written({ kind: 'begun', id: 'a', model: 'm', run: 'r1' }, row('a'), {
    kind: 'begun',
    id: 'b',
    model: 'm',
    run: 'r2',
  });
  appendFileSync(path, '{"kind":"row","id":"b"');
  const file = openRecordFile(path, { ...header, started: 'later' }, true);
  expect(file.recorded.rows.map(({ id }) => id)).toEqual(['a']);
  expect(file.recorded.begun).toMatchObject([{ id: 'b', run: 'r2' }]);
  file.append(row('b'));
  file.close();
  expect(readRecord(path)).toMatchObject({
    header: { started: header.started },
    rows: [{ id: 'a' }, { id: 'b' }],
    begun: [],
  });
});

it('is begun anew where a kill left not even its first line', () => {
  writeFileSync(path, '{"kind":"evalu');
  const file = openRecordFile(path, header, true);
  file.append(row('a'));
  file.close();
  expect(readRecord(path).rows).toHaveLength(1);
});

it('is never written over, and not gone on with by another measurement', () => {
  written(row('a'));
  const before = readFileSync(path, 'utf8');
  expect(() => openRecordFile(path, header, false)).toThrow('exists already');
  const others: readonly [string, Partial<Header>][] = [
    ['another set', { set: { ...header.set, hash: 'i' } }],
    ['another Sonde', { sonde: { ...header.sonde, program: 'q' } }],
    ['other models', { models: ['n'] }],
    ['--baseline differs', { baseline: true }],
    ['other settings', { settings: { steps: 6 } }],
  ];
  for (const [says, other] of others)
    expect(() => openRecordFile(path, { ...header, ...other }, true)).toThrow(says);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

it.each([
  ['another file', '# Notes\n', 'not a record of an evaluation'],
  ['rows without a beginning', '{"kind":"row","id":"a","model":"m"}\n', 'not the file of an evaluation'],
])('refuses %s', (_what, text, says) => {
  writeFileSync(path, text);
  expect(() => readRecord(path)).toThrow(says);
  expect(() => readRecord(join(folder, 'none'))).toThrow('there is no such file');
});
